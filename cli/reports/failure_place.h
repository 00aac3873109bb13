// Finds the cause of a failure: the expression and its deciding part, its variables, the match condition, the
// audit annotation, the param reference, each with its position in the file. Tested by tests/cli/explain.txt.
#pragma once

#include "admission/mutation.h"
#include "cli/cluster/cluster.h"
#include "cli/cluster/crd.h"
#include "cli/reports/failure_trace.h"
#include "cli/reports/report.h"

namespace portcullis {

// Sets file, positions, the deciding part, and the values that the trace has of it.
void place_failure(ReviewFailure& failure, const ValidationOutcome& outcome, const ReviewCluster& cluster,
                   const FailureTrace& trace);

// The same for a mutation, or for an invocation of a mutating policy, that failed.
void place_failure(ReviewFailure& failure, const MutationOutcome& outcome, const ReviewCluster& cluster,
                   const FailureTrace& trace);

// The failure of the rule that `error` names; nothing if it names none.
std::optional<ReviewFailure> rule_failure(const CustomOutcome& outcome, const CustomOutcome::Error& error,
                                          const FailureTrace& trace);

// Adds the outcome to what was evaluated, if it is one of a validation.
void add_evaluated(ReviewResult& result, const ValidationOutcome& outcome);

// The field path of the expression of a mutation.
std::string mutation_path(const MutationOutcome& outcome);

// `expression`, which is at the field path `path`, with its position.
ExplainedExpression placed(ExplainedExpression expression, const InputObject& object,
                           const std::string& path);

// "spec.variables[2].expression": the path of the policy's variable with this name.
std::string variable_path(const InputObject& policy, std::string_view name);

// "spec.matchConditions[2].expression".
std::string condition_path(int index);
// The name of a match condition of a policy.
std::string condition_name(const InputObject& policy, int index);

}  // namespace portcullis
