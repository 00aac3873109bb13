// Runs many suites on several threads, and hands over their results in the order of the suites.
// Tested by tests/cli/test.txt.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cli/suites/runner.h"

namespace portcullis::suites {

struct AllOptions {
  RunOptions run;
  int jobs = 1;
  bool fail_fast = false;  // nothing is begun after a case that did not pass
  bool progress = false;   // on standard error, once a second, if more than a second remains
  Observer* observer = nullptr;
};

// What came of one suite; the batches in their order.
struct SuiteResult {
  const Suite* suite = nullptr;
  std::vector<BatchResult> batches;
};

// Calls `done` on the calling thread.
void run_all(std::span<const std::unique_ptr<Suite>> suites, const AllOptions& options,
             const std::function<void(const SuiteResult&)>& done);

}  // namespace portcullis::suites
