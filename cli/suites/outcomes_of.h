// What came of suites, for reports for other programs (cli/formats/outcomes.h), and as JSON of our own.
// Tested by tests/cli/test_reports.txt.
#pragma once

#include <functional>
#include <string>

#include "cli/formats/outcomes.h"
#include "cli/suites/all.h"
#include "interpreter/values/json.h"

namespace portcullis::suites {

// Adds an item for each case, and one for each error of the suite's files.
void add_items(outcomes::Run& run, const SuiteResult& result);
// The same as one JSON object, to which `more` adds members behind `cases`.
std::string to_json(const outcomes::Run& run, const std::function<void(JsonWriter&)>& more);

}  // namespace portcullis::suites
