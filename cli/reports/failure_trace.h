// Looks into what a review evaluates: why an expression did not pass, down through the variables that it reads.
//
// Idea: the engine tells each expression and lets it be evaluated again, watched (ReviewTrace). What is kept of an
// expression is its explanation (explain.h), and that of each variable which the explanation mentions, and so on:
// each variable once, in the order in which they are met. Limits: values are good until the next review. Tested by
// tests/cli/explain.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/admission.h"
#include "cli/reports/explain.h"
#include "cli/reports/gates.h"

namespace portcullis {

// How much of expressions is kept.
enum class Detail {
  Errors,  // the part that decided; of variables those that failed
  Blamed,  // the values of that part, and the variables in it
  All,     // all values, all variables
};

// What did not pass. No positions yet.
struct TracedFailure : ExplainedExpression {
  ReviewTrace::Part part;
  bool mutating;  // of a MutatingAdmissionPolicy
  std::string policy, param;
  int index;
  std::string error;  // empty: it gave false; of a message expression: why it is not used, "it fails ..."
  std::vector<ExplainedExpression> variables;
};

class FailureTrace final : public ReviewTrace {
 public:
  FailureTrace(Gates& gates, Detail detail) : gates_(gates), detail_(detail) {}

  void evaluated(const Evaluated& e, Replay& replay) override;

  // Forgets what was before.
  void begin() { failures_.clear(); }
  // What is known of an expression that did not pass; null if it did, or was not evaluated.
  // Of message expressions those are kept that a failed validation cannot use.
  const TracedFailure* find(Part part, std::string_view policy, std::string_view param, int index,
                            bool mutating = false) const;
  const std::vector<TracedFailure>& failures() const { return failures_; }

 private:
  bool wants_message(const Evaluated& e) const;
  void add_variables(TracedFailure& failure, const Explanation& explanation, Replay& replay);
  // Moves what the detail asks for.
  void take(ExplainedExpression& out, const Expression& expression, Explanation& explanation) const;

  Gates& gates_;
  Detail detail_;
  NodeLog log_;
  std::vector<TracedFailure> failures_;
};

}  // namespace portcullis
