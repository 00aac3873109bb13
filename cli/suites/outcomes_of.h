// What came of suites, for reports for other programs (cli/formats/outcomes.h), and as JSON of our own.
// Tested by tests/cli/test_reports.txt.
#pragma once

#include <string>
#include <vector>

#include "cli/formats/outcomes.h"
#include "cli/suites/all.h"

namespace portcullis::suites {

// Adds an item for each case, and one for each error of the suite's files.
void add_items(outcomes::Run& run, const SuiteResult& result);
// The same as one JSON object, with everything that `errors` names.
std::string to_json(const outcomes::Run& run);

}  // namespace portcullis::suites
