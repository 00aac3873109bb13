// What mutating policies made of a request, as results show it: the changes of each mutation with its place, and what
// failed. Tested by tests/cli/mutate.txt.
#pragma once

#include "admission/mutation.h"
#include "cli/cluster.h"
#include "cli/failure_trace.h"
#include "cli/report.h"

namespace portcullis {

// `seen`: the request's object as the policies saw it first.
void add_mutation(ReviewResult& result, const Mutation& mutation, const Value& seen,
                  const ReviewCluster& cluster, const FailureTrace& trace);

}  // namespace portcullis
