// What is wrong with objects that a review only looks at, and with the kinds that policies name.
//
// Idea: no policy sees a param, a Role or an old object with a misspelt kind or field: it would just not be
// there, and a request pass. The API server takes none of them, so each is an error at its place. A paramKind
// that there is not is none: the policy is stored, and fails. Tested by tests/cli/kinds.txt and
// param_scopes.txt.
#pragma once

#include <vector>

#include "cli/cluster/cluster.h"

namespace portcullis {

void add_kind_problems(const ReviewCluster& cluster, std::vector<PolicyProblem>& out);

}  // namespace portcullis
