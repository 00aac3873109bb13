// What people want to know of mutations before they trust them: would the same policies change their own result once
// more, and would the result be another one if the policies ran in another order? The API server's order is random.
//
// Idea: nothing is guessed: the mutation is evaluated again. Two policies that write one path, or paths of which one
// contains the other, change places, those that write last first. If that makes no difference, all invocations run in
// the reverse order, which also finds policies that read what others write; if that does, other pairs change places
// until one pair makes a difference, too. Limits: kMostPairs. An order that nobody tried may still give something else.
// Tested by tests/cli/mutate_explain.txt.
#pragma once

#include "admission/mutation.h"
#include "cli/reports/report.h"

namespace portcullis {

// As many pairs of policies change places for one request, each for one more evaluation.
inline constexpr size_t kMostPairs = 8;

// Adds `doubts` to `result`, which has the changes of `mutation`. `request`: as the mutation began with it. The values of
// `mutation` stay as they are.
void add_doubts(ReviewResult& result, const Mutation& mutation, const Engine& engine,
                const AdmissionRequest& request, const Authorizer* authorizer);

}  // namespace portcullis
