// Stage: evaluates a list of expressions with one budget and shared variables.
//
// Idea: the API server's ForInput. A stage evaluates each variable at most once, and charges its cost to the
// expression that reads it first. If the budget does not cover an expression, the whole stage fails. Source
// of behaviour: apiserver pkg/admission/plugin/cel/{activation,composition}.go. Limits: kPerCallCostLimit for
// each expression and each variable. Tested by admission/engine/stage_test.cc, tests/admission/evaluation,
// tests/conformance (condition, condition_budget, composition).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "admission/engine/policy.h"
#include "admission/expressions/environment.h"
#include "interpreter/cel.h"
#include "interpreter/values/activation.h"

namespace portcullis {

// The result of one expression.
struct Evaluation {
  Value value;             // valid if there is no error
  std::string_view error;  // Kubernetes' text, with its prefix
  uint64_t cost = 0;       // with the cost of the variables that it evaluated first
  bool absent = false;     // the expression is absent
};

// The variables of a policy, as its stages read them.
struct StageVariables {
  std::span<const PolicyVariable> all;
  uint32_t number =
      PathTable::kNone;  // of `variables` in the activation's table; kNone: no expression reads them
};
// Those of a policy. `number`: that of `variables`, as above.
inline StageVariables variables_of(const LoadedPolicy& policy, uint32_t number) {
  return {policy.variables, policy.uses_variables ? number : PathTable::kNone};
}

// The index of the variable that an expression reads as `field`; the number of variables if there is none.
size_t find_variable(std::span<const PolicyVariable> variables, std::string_view field);

// Evaluates stages for one thread. Texts and values live in the arena of the context.
class StageRunner {
 public:
  explicit StageRunner(Context& context);
  ~StageRunner();

  // Instead of kPerCallCostLimit.
  void set_call_limit(uint64_t limit) { limits_.cost_limit = limit; }
  // Ends evaluations as ReviewContext says, and notes it there. `context` must outlive the runs.
  void interrupt_for(ReviewContext& context);
  // Evaluates `expressions`; false if the budget is exhausted (then the results are invalid). `budget` is
  // reduced by their cost.
  bool run(std::span<const PolicyExpression> expressions, const StageVariables& variables,
           Activation& activation, int64_t& budget, std::vector<Evaluation>& results);

  // `variables` of the last run, which keep their values, and their number; PathTable::kNone if it had none.
  LazyFields& fields();
  uint32_t number() const { return number_; }

 private:
  class Variables;
  bool evaluate_one(const PolicyExpression& expression, Activation& activation, int64_t& budget,
                    Evaluation& result);

  Context& context_;
  Limits limits_;
  bool no_review_ = false;
  bool* interrupted_ = &no_review_;
  std::unique_ptr<Variables> variables_;
  uint32_t number_ = PathTable::kNone;
};

}  // namespace portcullis
