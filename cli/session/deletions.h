// --deleted: objects that the former state of a repository has and the new one lacks.
//
// Idea: `kubectl apply --prune`, Argo CD and Flux send a DELETE for them after they have applied the rest. An object is
// the same in another version of its kind. What such tools leave alone is left out here, too, and a note says so:
// objects without a name (generateName), those that others own, and those with an annotation that keeps them. Policies,
// bindings and webhook configurations are no requests. Tested by tests/cli/deleted.txt.
#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include "manifests/object.h"

namespace portcullis {

// Those of `old` that are to be deleted, each once, in their order; `replaced`: what the new state has. Says what is
// left out.
std::vector<InputObject> deleted_objects(std::span<const InputObject> old,
                                         const std::unordered_set<const InputObject*>& replaced);

}  // namespace portcullis
