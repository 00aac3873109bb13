// Notes about params that bindings name but no file has, if their absence lets requests pass; and about those that the
// manifests under review bring with them. Tested by tests/cli/param_scopes.txt.
#pragma once

#include "cli/cluster/cluster.h"

namespace portcullis {

// Prints the notes. The objects must be settled (namespaces.h).
void note_missing_params(const ReviewCluster& cluster);
// Prints a note about the first manifest under review that counts as a param, if the cluster is given apart from them: a
// change may set its own limits.
void note_reviewed_params(const ReviewCluster& cluster);

}  // namespace portcullis
