// What mutating policies made of a request, as results show it: the changes of each mutation with its place, and what
// failed. Tested by tests/cli/mutate.txt.
#pragma once

#include "admission/mutation.h"
#include "cli/cluster/cluster.h"
#include "cli/reports/failure_trace.h"
#include "cli/reports/report.h"

namespace portcullis {

// `seen`: the request's object as the policies saw it first. `explain`: with every invocation, and why it ran.
void add_mutation(ReviewResult& result, const Mutation& mutation, const Value& seen,
                  const ReviewCluster& cluster, const FailureTrace& trace, bool explain);

}  // namespace portcullis
