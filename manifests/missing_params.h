// Params that bindings take, and those of them that are nowhere among the objects although their absence lets
// requests pass.
//
// Idea: with parameterNotFoundAction Deny, the verdict itself reports the missing param. With Allow the policy silently
// does not apply, and a user who forgot a file would trust the verdict. Tested by tests/cli/param_scopes.txt and
// library/load_test.cc.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/resources.h"
#include "manifests/roles.h"

namespace portcullis {

// The params that a binding takes.
struct ParamsOfBinding {
  std::string_view api_version, group, kind, name, name_space;  // the last two may be empty: any
  const Value* ref;                                             // its paramRef
  // Whether it takes `object`, at whatever version.
  bool has(const InputObject& object) const;
};
// Nothing if the binding has no paramRef, or its policy no paramKind.
std::optional<ParamsOfBinding> params_of(const GivenPolicies& given, const InputObject& binding);

struct MissingParams {
  const InputObject* binding;
  std::string text;  // what is missing, and what follows
};
// The bindings whose params are not among `objects`, and whose policies do not apply then. The objects must be settled
// (namespaces.h). `otherwise`: what is not the case, "is among the files".
std::vector<MissingParams> missing_params(const GivenPolicies& given,
                                          std::span<const InputObject* const> objects,
                                          const Resources& resources, std::string_view otherwise);

}  // namespace portcullis
