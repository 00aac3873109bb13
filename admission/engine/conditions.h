// What comes of match conditions: whether a policy has its say, is left out, or fails.
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
  std::string_view error;  // not empty: why the policy fails; if it does not hold without, it is left out
};

// Judges what all conditions gave; `fits`: the budget sufficed. Texts live in the arena; `scratch` keeps its capacity.
ConditionsVerdict judge_conditions(FailurePolicy failure, bool fits, std::span<const Evaluation> results,
                                   std::vector<std::string_view>& scratch, Arena& arena);

}  // namespace portcullis
