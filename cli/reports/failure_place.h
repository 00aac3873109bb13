// Where the cause of a failure stands: the expression and the part that decided, the variables behind it, the match
// condition, the audit annotation, the param reference; each at its own place in the file. Tested by
// tests/cli/explain.txt.
#pragma once

#include "admission/mutation.h"
#include "cli/cluster/cluster.h"
#include "cli/reports/failure_trace.h"
#include "cli/reports/report.h"

namespace portcullis {

// Fills in file, positions, what decided and the values that the trace kept of it.
void place_failure(ReviewFailure& failure, const ValidationOutcome& outcome, const ReviewCluster& cluster,
                   const FailureTrace& trace);

// The same of a mutation, or an invocation of a mutating policy, that failed.
void place_failure(ReviewFailure& failure, const MutationOutcome& outcome, const ReviewCluster& cluster,
                   const FailureTrace& trace);

// The field path of the expression of a mutation.
std::string mutation_path(const MutationOutcome& outcome);

// `expression` at the field path where it stands, with its position.
ExplainedExpression placed(ExplainedExpression expression, const InputObject& object,
                           const std::string& path);

// "spec.variables[2].expression": the variable of a policy with this name.
std::string variable_path(const InputObject& policy, std::string_view name);

// "spec.matchConditions[2].expression".
std::string condition_path(int index);
// The name of a match condition of a policy.
std::string condition_name(const InputObject& policy, int index);

}  // namespace portcullis
