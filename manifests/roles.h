// What the objects of a cluster are for admission, and how policies, bindings and params refer to each other.
// Tested by tests/cli and library/load_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "manifests/object.h"

namespace portcullis {

enum class Role {
  Policy,         // ValidatingAdmissionPolicy, MutatingAdmissionPolicy
  Binding,        // a binding of either
  Configuration,  // of webhooks
  Namespace,
  Definition,  // CustomResourceDefinition
  Review,      // AdmissionReview
  Other,
};
Role role_of(const InputObject& object);
// Whether it has the kind of a policy, binding or configuration, but another group by mistake: it would decide nothing.
bool is_astray(const InputObject& object);
// The error of such an object.
std::string astray_text(const InputObject& object);
// Whether a policy, binding or configuration is a mutating one. A mutating policy may have the name of a validating one.
bool is_mutating(const InputObject& object);

// The name of the policy that a binding names; may be empty. Lives as long as the binding's value.
std::string_view bound_policy(const InputObject& binding);
// What is wrong with a binding whose policy is not among `which`, as "the given files".
std::string missing_policy_text(const InputObject& binding, std::string_view which);
// What is wrong with a policy that no binding names.
inline constexpr std::string_view kUnboundPolicy = "no binding names this policy, so it decides nothing";
// Whether an object is a binding of the policy.
bool binds(const InputObject& object, const InputObject& policy);
// The paramKind of a policy; null if it has none.
const Value* param_kind(const InputObject& policy);
// A kind of params as one text, to compare.
std::string kind_key(std::string_view api_version, std::string_view kind);
std::string kind_key(const Value& param_kind);

}  // namespace portcullis
