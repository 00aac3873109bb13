// The verdict of match conditions: whether a policy applies, is skipped, or fails.
//
// Source of behaviour: apiserver pkg/admission/plugin/webhook/matchconditions/matcher.go. Tested by
// tests/admission/evaluation, tests/admission/mutation.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "admission/engine/policy.h"
#include "admission/engine/stage.h"

namespace portcullis {

struct ConditionsVerdict {
  bool hold = false;
  std::string_view error;  // if not empty, the policy fails; if `hold` is false without error, it is skipped
};

// Judges the results of all match conditions. `fits`: whether the budget sufficed. Texts live in the arena;
// `scratch` keeps its capacity.
ConditionsVerdict judge_conditions(FailurePolicy failure, bool fits, std::span<const Evaluation> results,
                                   std::vector<std::string_view>& scratch, Arena& arena);

}  // namespace portcullis
