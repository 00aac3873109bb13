// Coverage as people and programs read it. Files are in the order of their names, policies in that of the file.
//
//   text  a line a policy, and below it what no case reached, with its place
//   json  everything that was counted; docs/testing.md describes it
//   lcov  tracefile of geninfo(1): lines with expressions, their goals as branches, expressions as functions
//   html  the sources with their expressions marked; one file without scripts and links to elsewhere
//
// Tested by cli/coverage/report_test.cc, tests/cli/coverage.txt.
#pragma once

#include <string>

#include "cli/coverage/coverage.h"
#include "cli/messages/messages.h"

namespace portcullis {

std::string coverage_text(const Coverage& coverage, const Paint& paint);
std::string coverage_json(const Coverage& coverage);
std::string coverage_lcov(const Coverage& coverage);
std::string coverage_html(const Coverage& coverage);

// "true 3, false 1, error 2"; "never evaluated".
std::string outcomes_text(const Outcomes& outcomes, CoveragePart::Kind kind);

}  // namespace portcullis
