// Notes about params that bindings name but no file has, if their absence lets requests pass.
//
// Idea: with parameterNotFoundAction Deny, the verdict itself reports the missing param. With Allow the
// policy silently does not apply, and a user who forgot a file would trust the verdict. Tested by
// tests/cli/param_scopes.txt.
#pragma once

#include "cli/cluster/cluster.h"

namespace portcullis {

// Prints the notes. The objects must be settled (namespaces.h).
void note_missing_params(const ReviewCluster& cluster);

}  // namespace portcullis
