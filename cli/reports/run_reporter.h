// Fills the model of reports (cli/formats/outcomes.h) from a review.
//
// Idea: a manifest is an item, each failure, webhook and refusal a finding; what cannot be read, failed gates, policies
// that are not evaluated and files that are left out are items at the end. Tested by tests/cli/formats.txt and
// tests/formats.py.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "cli/formats/outcomes.h"
#include "cli/reports/report.h"

namespace portcullis {

// What a policy found in `object`.
outcomes::Finding finding_of(const ReviewFailure& failure, const InputObject& object);

// The version whose answers a command gives: that of --kubernetes-version, or the newest.
std::string answered_version(const std::string& option);

// Items for errors that are said, without a verdict.
void add_errors(outcomes::Run& run, std::span<const SaidError> errors);
// Items for bounds of a test that are not met.
void add_gates(outcomes::Run& run, std::span<const GateFailure> gates);
// Items for files in directories that are no manifests.
void add_left_out(outcomes::Run& run, std::span<const LeftOut> files);

class RunReporter final : public Reporter {
 public:
  explicit RunReporter(const std::string& kubernetes_version);

  void add(const ReviewResult& result) override;
  void finish(const Remainder& rest) override;
  void give_up(const Remainder& rest) override { finish(rest); }
  std::unique_ptr<Reporter> part() const override {
    return std::make_unique<RunReporter>(kubernetes_version_);
  }
  void take(Reporter& part) override;

  // Complete after finish() or give_up().
  const outcomes::Run& run() const { return run_; }

 private:
  void add_evaluated(outcomes::Item& item, const ReviewResult& result);
  uint32_t rule(const outcomes::Rule& rule, const outcomes::Cost& cost);
  void add_gate(const GateFailure& failure);

  const std::string kubernetes_version_;
  outcomes::Run run_;
  std::unordered_map<const InputObject*, size_t> policies_;  // items of policies whose gates fail
  std::map<std::string, uint32_t> rules_;                    // by id: index in Run::rules
};

}  // namespace portcullis
