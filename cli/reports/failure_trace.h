// Explains what a review evaluates: why an expression failed, including the variables that it reads.
//
// Idea: the engine reports each expression, and evaluates it again for a Watch (ReviewTrace). The trace
// stores the explanation of the expression (explain.h), that of each variable in it, and so on: each variable
// once, in the order of first use. Match conditions of a webhook come with its uid, "configuration/name/n", as the
// name of the policy. Tested by tests/cli/explain.txt, tests/cli/who.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/admission.h"
#include "admission/crd/rules.h"
#include "cli/reports/explain.h"

namespace portcullis {

// How much to store about expressions.
enum class Detail {
  Nothing,  // nobody reads it: each expression that does not pass would be compiled and evaluated again
  Errors,   // the deciding part; variables that failed
  Blamed,   // the values of that part, and the variables in it
  All,      // all values, all variables
};

// An expression that did not pass, without positions.
struct TracedFailure : ExplainedExpression {
  ReviewTrace::Part part;
  bool mutating;  // of a MutatingAdmissionPolicy
  std::string policy, param;
  int index;
  std::string error;  // empty: it was false; for a message expression: why it is not used, "it fails ..."
  std::vector<ExplainedExpression> variables;
  std::string subject;  // the path in the object that decided: "spec.containers[0].image"; empty: none
};

// A rule of a definition that refused the object.
struct TracedRule : ExplainedExpression {
  size_t number;  // in ObjectOutcome::rules
};

class FailureTrace final : public ReviewTrace, public crd::RuleTrace {
 public:
  // `also` is told of every expression, too; it may be null.
  FailureTrace(ReviewTrace* also, Detail detail) : also_(also), detail_(detail) {}

  void evaluated(const Evaluated& e, Replay& replay) override;
  void evaluated(const crd::EvaluatedRule& rule, crd::RuleReplay& replay) override {
    if (rules_also_ != nullptr) rules_also_->evaluated(rule, replay);
  }
  void failed(size_t number, crd::RuleReplay& replay) override;
  // `also` is told of every rule from now on, too; it may be null.
  void tell_rules(crd::RuleTrace* also) { rules_also_ = also; }
  const ReviewTrace* also() const { return also_; }
  void bound(const Bound& b) override {
    if (also_ != nullptr) also_->bound(b);
  }

  // Stores nothing from now on.
  void explain_nothing() { detail_ = Detail::Nothing; }
  // Drops everything from the last review.
  void begin() {
    failures_.clear();
    rules_.clear();
  }
  // The explanation of an expression that did not pass; null if it passed or was not evaluated. Message
  // expressions are stored if a failed validation cannot use them.
  const TracedFailure* find(Part part, std::string_view policy, std::string_view param, int index,
                            bool mutating = false) const;
  const std::vector<TracedFailure>& failures() const { return failures_; }
  // The explanation of a rule; null if it has none, as those after the first hundred of an object.
  const TracedRule* rule(size_t number) const;

 private:
  bool wants_message(const Evaluated& e) const;
  // Follows variables to the path in the object.
  std::string resolved(std::string subject, Replay& replay);
  void add_variables(TracedFailure& failure, const Explanation& explanation, Replay& replay);
  // Moves the parts that `detail_` selects.
  void take(ExplainedExpression& out, const Expression& expression, Explanation& explanation) const;

  ReviewTrace* also_;
  crd::RuleTrace* rules_also_ = nullptr;
  Detail detail_;
  NodeLog log_;
  std::vector<TracedFailure> failures_;
  std::vector<TracedRule> rules_;
};

}  // namespace portcullis
