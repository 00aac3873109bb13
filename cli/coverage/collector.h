// Counts the outcomes of the expressions of reviews and mutations, for one thread.
//
// Idea: the engine tells what it evaluated (ReviewTrace), and each expression is evaluated once more by a program that
// tells the values of its nodes. The variables that an expression reads count with it, each once a stage. A message
// counts where its validation failed: elsewhere the engine evaluates it and drops the value. Whether a request has a
// verdict is known last, so what it showed counts at its end.
// Tested by cli/coverage/coverage_test.cc.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "admission/mutation.h"
#include "cli/coverage/coverage.h"

namespace portcullis {

class CoverageCollector final : public ReviewTrace {
 public:
  explicit CoverageCollector(std::shared_ptr<const CoveragePlan> plan)
      : plan_(std::move(plan)), asked_(plan_->targets.size()), counts_(asked_) {}

  void evaluated(const Evaluated& expression, Replay& replay) override;
  void bound(const Bound& binding) override;
  // Hears of the rules of definitions.
  crd::RuleTrace& rules() { return rules_; }
  // The answers to a request; the context must have `want_outcomes`.
  void add(const Decision& decision);
  void add(const Mutation& mutation);
  // After each request. Nothing counts of one without a verdict: no case can depend on what was evaluated for it.
  void end_request(bool has_verdict);

  const std::shared_ptr<const CoveragePlan>& plan() const { return plan_; }
  const std::vector<Outcomes>& counts() const { return counts_; }

 private:
  struct Rules final : crd::RuleTrace {
    explicit Rules(CoverageCollector& c) : to(c) {}
    void evaluated(const crd::EvaluatedRule& rule, crd::RuleReplay& replay) override;
    CoverageCollector& to;
  };
  const WatchedPolicy* policy_of(std::string_view name, bool mutating) const;
  void begin_stage(const Evaluated& e);
  void run(const WatchedPolicy& policy, const WatchedExpression& expression, Replay& replay);
  void add_failure(std::string_view policy, bool mutating, bool ignored);

  std::shared_ptr<const CoveragePlan> plan_;
  std::vector<Outcomes> asked_;  // by the request that is being decided
  std::vector<Outcomes> counts_;
  // The stage that the last expression belongs to.
  std::string policy_, param_;
  Part part_ = Part::MatchCondition;
  bool mutating_ = false;
  int index_ = -1;
  std::set<std::string, std::less<>> read_;  // variables that have been counted
  std::set<int> failed_;                     // validations
  Rules rules_{*this};
};

}  // namespace portcullis
