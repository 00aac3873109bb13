// Params that bindings name and nobody gave, where that lets requests pass.
//
// Idea: with parameterNotFoundAction Deny a verdict says itself that a param is missing; with Allow the policy
// does not apply, silently, and whoever forgot a file would take that for a verdict. Tested by
// tests/cli/param_scopes.txt.
#pragma once

#include "cli/cluster/cluster.h"

namespace portcullis {

// To be asked when objects are settled (namespaces.h).
void note_missing_params(const ReviewCluster& cluster);

}  // namespace portcullis
