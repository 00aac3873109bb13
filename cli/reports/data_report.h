// Results of a review for programs: -o json and yaml. docs/output.md documents the members.
// Tested by tests/cli/output.txt, tests/cli/streams.txt.
#pragma once

#include <memory>

#include "cli/reports/report.h"

namespace portcullis {

// Prints one document to `to` when all results are there.
std::unique_ptr<Reporter> data_reporter(bool yaml, Destination& to);

}  // namespace portcullis
