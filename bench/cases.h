// The cases of ../shared/bench/cases.json, each evaluated and written by hand (floors.h).
#pragma once

#include "bench/ratio.h"

namespace portcullis::bench {

// Adds the benches cases/NAME and floor/NAME to Google Benchmark; none if the file is not there.
void add_cases();
// Prints "ratio cases/NAME 1.42" for each.
void print_case_ratios(const Reporter& reporter);

}  // namespace portcullis::bench
