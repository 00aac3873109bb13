// All reports of a review that -o asks for, as one reporter. Tested by tests/cli/formats.txt.
#pragma once

#include <memory>
#include <vector>

#include "cli/formats/outputs.h"
#include "cli/reports/report.h"
#include "cli/reports/run_reporter.h"

namespace portcullis {

class ReviewReports final : public Reporter {
 public:
  // `outputs` must outlive this.
  ReviewReports(Outputs& outputs, const ReviewOptions& options);

  void begin(std::span<const InputObject> manifests) override;
  void end() override;
  std::unique_ptr<Reporter> part() const override;
  void take(Reporter& part) override;
  void add(const ReviewResult& result) override;
  void finish(const Remainder& rest) override;
  void give_up(const Remainder& rest) override;
  // Writes everything; false if a report cannot be written. A review that ended before it decided has an error in each
  // report for other programs.
  bool close();

 private:
  Outputs& outputs_;
  std::vector<std::unique_ptr<Reporter>> all_;
  RunReporter* run_ = nullptr;  // one of them, if it is wanted
  bool finished_ = false;
};

}  // namespace portcullis
