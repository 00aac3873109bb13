// Reports for other programs: each format is one function of what a run found (outcomes.h), in a file of its own.
//
// Idea: a report is a text that depends on the run alone: no time, no random number, no path of the machine. The exit
// status says the same as the report, and does not depend on the format. What has no verdict is an error in each.
// docs/output.md shows how continuous integration reads them. Tested by cli/formats/formats_test.cc and
// tests/formats.py, which asks the formats' own schemas where a package has them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/formats/outcomes.h"

namespace portcullis {

// The names of the formats, for -o.
std::span<const std::string_view> report_formats();

// The report in one of these formats, ending with a line break.
std::string report(std::string_view format, const outcomes::Run& run);

namespace formats {

std::string junit(const outcomes::Run& run);         // XML of JUnit, as Jenkins and pytest write it (xunit2)
std::string tap(const outcomes::Run& run);           // Test Anything Protocol 13
std::string sarif(const outcomes::Run& run);         // SARIF 2.1.0
std::string github(const outcomes::Run& run);        // workflow commands of GitHub Actions
std::string gitlab(const outcomes::Run& run);        // code quality of GitLab
std::string html(const outcomes::Run& run);          // one page for people
std::string policyreport(const outcomes::Run& run);  // Reports and ClusterReports of openreports.io/v1alpha1

}  // namespace formats
}  // namespace portcullis
