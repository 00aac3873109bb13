// Audit annotations and message expressions of policies that read `authorizer`, by themselves or by a variable.
//
// Idea: the API server declares `authorizer` for both, by variables at least, so such a policy is taken; but it binds
// none when it evaluates them, so the expression fails. An annotation that fails is denied as failurePolicy says, a
// message that fails is replaced. Tested by tests/cli/check.txt.
#pragma once

#include <vector>

#include "cli/cluster/cluster.h"

namespace portcullis {

// Adds warnings about all policies of the cluster.
void add_authorizer_problems(const ReviewCluster& cluster, std::vector<PolicyProblem>& problems);

}  // namespace portcullis
