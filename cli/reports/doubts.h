// Doubts about mutations: would the same policies change their own result again, and would another order of
// policies change the result? The API server's order is random.
//
// Idea: the mutation is evaluated again, so nothing is guessed. Two policies that write the same path, or
// paths of which one contains the other, change places; the last writers come first. If no such pair matters,
// all invocations run in reverse order, which also finds policies that read what others write; if that
// matters, other pairs change places until one pair does. Limits: kMostPairs. An untried order may still have
// another result. Tested by tests/cli/mutate_explain.txt.
#pragma once

#include "admission/mutation.h"
#include "cli/reports/report.h"

namespace portcullis {

// The most pairs of policies that change places for one request; each costs one evaluation.
inline constexpr size_t kMostPairs = 8;

// Adds `doubts` to `result`, which has the changes of `mutation`. `request`: as before the mutation. The
// values of `mutation` do not change.
void add_doubts(ReviewResult& result, const Mutation& mutation, const Engine& engine,
                const AdmissionRequest& request, const Authorizer* authorizer);

}  // namespace portcullis
