// What a case would say of what came: the members that --update writes. Tested by tests/cli/test.txt.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/suites/expect.h"
#include "cli/suites/suite.h"

namespace portcullis::suites {

// The members that the case expects, with what came in place of what it says: the name, and the value in YAML.
// An expected denial that was none becomes `allowed`, and the other way round.
std::vector<std::pair<std::string, std::string>> fresh_members(const Case& test, const ReviewResult& result,
                                                               const Decider& decider,
                                                               const CaseTrace& trace);

}  // namespace portcullis::suites
