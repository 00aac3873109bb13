// Reports the evaluations of a stage to a ReviewTrace.
//
// Idea: variables keep their values until the next stage, so a replay reads the values that the evaluation
// read.
// Tested by tests/cli/explain.txt.
#pragma once

#include <span>

#include "admission/engine/review_state.h"

namespace portcullis {

// Reports each of `results` to `trace`; they are the values of `expressions` in the activation of `state`, and may read
// `variables`. `told` has the members that they share: policy, param, part, and as `index` the index of the first one
// in the policy's list.
void tell_evaluations(ReviewTrace& trace, ReviewContext::State& state,
                      std::span<const PolicyVariable> variables, ReviewTrace::Evaluated told,
                      std::span<const PolicyExpression> expressions, std::span<const Evaluation> results);

}  // namespace portcullis
