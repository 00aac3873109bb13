// The mutations of a request in results: the changes of each mutation with their places, and failures. Tested
// by tests/cli/mutate.txt.
#pragma once

#include "admission/mutation.h"
#include "cli/cluster/cluster.h"
#include "cli/reports/failure_trace.h"
#include "cli/reports/report.h"

namespace portcullis {

// Why the second pass runs an invocation; empty in the first pass.
std::string why_again(const MutationOutcome& outcome);

// `seen`: the object as policies first saw it. `explain`: adds every invocation, and why it ran.
void add_mutation(ReviewResult& result, const Mutation& mutation, const Value& seen,
                  const ReviewCluster& cluster, const FailureTrace& trace, bool explain);

}  // namespace portcullis
