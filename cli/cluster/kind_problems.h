// Errors of objects that a review only reads, and of kinds that policies name.
//
// Idea: if a param, a Role or an old object has a misspelt kind or field, no policy finds it, and a request
// may pass wrongly. The API server refuses all of them, so each is an error at its position. A paramKind that
// does not exist is no error: the policy is stored, and fails. Tested by tests/cli/kinds.txt and
// tests/cli/param_scopes.txt.
#pragma once

#include <vector>

#include "cli/cluster/cluster.h"

namespace portcullis {

void add_kind_problems(const ReviewCluster& cluster, std::vector<PolicyProblem>& out);

}  // namespace portcullis
