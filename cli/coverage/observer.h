// Coverage of the runs of suites: an observer for the runner.
// Tested by tests/cli/coverage.txt.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "cli/coverage/collector.h"
#include "cli/suites/runner.h"

namespace portcullis {

class CoverageObserver final : public suites::Observer {
 public:
  explicit CoverageObserver(Coverage& coverage) : coverage_(coverage) {}

  ReviewTrace* trace(const suites::Batch& batch, const Session& session) override;
  crd::RuleTrace* rules(const suites::Batch& batch) override;
  void decided(const suites::Decided& decided) override;
  // Adds what was counted, after the last request.
  void finish();

 private:
  CoverageCollector& collector(const suites::Batch& batch);

  Coverage& coverage_;
  std::mutex mutex_;  // batches run on several threads
  std::map<const suites::Batch*, std::unique_ptr<CoverageCollector>> collectors_;
};

}  // namespace portcullis
