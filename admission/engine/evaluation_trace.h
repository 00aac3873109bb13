// Tells a ReviewTrace what a stage evaluated.
//
// Idea: variables keep their values until the next stage, so a replay sees what the evaluation saw.
// Tested by tests/cli/explain.txt.
#pragma once

#include <span>
#include <string_view>

#include "admission/engine/review_state.h"

namespace portcullis {

// Tells `trace` each of `results`, which `expressions` of `policy` gave in the activation of `state`. `told` has what is
// common to them: policy, param, part, and in `index` the number of the first one in the policy's list.
void tell_evaluations(ReviewTrace& trace, ReviewContext::State& state, const LoadedPolicy& policy,
                      ReviewTrace::Evaluated told, std::span<const PolicyExpression> expressions,
                      std::span<const Evaluation> results);

}  // namespace portcullis
