// Notes about params that bindings name but no file has, if their absence lets requests pass; and about those that the
// manifests under review bring with them.
//
// Idea: with parameterNotFoundAction Deny, the verdict itself reports the missing param. With Allow the
// policy silently does not apply, and a user who forgot a file would trust the verdict. Tested by
// tests/cli/param_scopes.txt.
#pragma once

#include <optional>
#include <string_view>

#include "cli/cluster/cluster.h"

namespace portcullis {

// The params that a binding takes.
struct ParamsOfBinding {
  std::string_view api_version, group, kind, name, name_space;  // the last two may be empty: any
  const Value* ref;                                             // its paramRef
  // Whether it takes `object`, at whatever version.
  bool has(const InputObject& object) const;
};
// Nothing if the binding has no paramRef, or its policy no paramKind.
std::optional<ParamsOfBinding> params_of(const ReviewCluster& cluster, const InputObject& binding);

// Prints the notes. The objects must be settled (namespaces.h).
void note_missing_params(const ReviewCluster& cluster);
// Prints a note about the first manifest under review that counts as a param, if the cluster is given apart from them: a
// change may set its own limits.
void note_reviewed_params(const ReviewCluster& cluster);

}  // namespace portcullis
