// Stage: a run of expressions out of one budget, with the variables they compose.
//
// Idea: what the API server calls ForInput. Within a stage `variables` are computed at most once, and what
// they cost is charged to the expression that asked first; if the budget does not cover an expression, the
// whole stage fails. Source of behaviour: apiserver pkg/admission/plugin/cel/{activation,composition}.go.
// Limits: kPerCallLimit for each expression and each variable.
// Tested by tests/admission/evaluation, tests/conformance (condition, condition_budget, composition).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "admission/engine/policy.h"
#include "interpreter/cel.h"
#include "interpreter/values/activation.h"

namespace portcullis {

inline constexpr uint64_t kPerCallLimit = kPerCallCostLimit;
// Validations and messages; audit annotations have it anew.
inline constexpr int64_t kPolicyBudget = kPolicyCostBudget;
inline constexpr int64_t kMatchConditionBudget = kMatchConditionsCostBudget;
inline constexpr std::string_view kOutOfBudget =
    "validation failed due to running out of cost budget, no further validation rules will be run";

// What one expression gave.
struct Evaluation {
  Value value;             // if there is no error
  std::string_view error;  // Kubernetes' text, wrapped
  uint64_t cost = 0;       // with the variables it forced
  bool absent = false;     // there was no expression
};

// The place of the variable that an expression calls `field`; their number if there is none.
size_t find_variable(std::span<const PolicyVariable> variables, std::string_view field);

// Evaluates stages for one thread. Texts and values live in the context's arena.
class StageRunner {
 public:
  explicit StageRunner(Context& context);
  ~StageRunner();

  // Instead of kPerCallLimit.
  void set_call_limit(uint64_t limit) { limits_.cost_limit = limit; }
  // Runs all of `expressions`; false if the budget ran out (then nothing of the results counts). `budget` is
  // what is left. `number` is that of `variables` in the activation's table.
  bool run(std::span<const PolicyExpression> expressions, std::span<const PolicyVariable> variables,
           bool uses_variables, uint32_t number, Activation& activation, int64_t& budget,
           std::vector<Evaluation>& results);

 private:
  class Variables;
  Context& context_;
  Limits limits_;
  std::unique_ptr<Variables> variables_;
};

}  // namespace portcullis
