#include "manifests/roles.h"

#include "admission/builtin/registration.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

// The role that an object of the admission group has by its kind.
Role role_of_kind(std::string_view kind) {
  for (std::string_view sort : {"Validating", "Mutating"}) {
    if (!kind.starts_with(sort)) continue;
    const std::string_view rest = kind.substr(sort.size());
    if (rest == "AdmissionPolicy") return Role::Policy;
    if (rest == "AdmissionPolicyBinding") return Role::Binding;
    if (rest == "WebhookConfiguration") return Role::Configuration;
  }
  return Role::Other;
}

}  // namespace

Role role_of(const InputObject& object) {
  const std::string_view group = object.group(), kind = object.kind;
  if (group == kRegistrationGroup) return role_of_kind(kind);
  if (group.empty() && kind == "Namespace") return Role::Namespace;
  if (group == "apiextensions.k8s.io" && kind == "CustomResourceDefinition") return Role::Definition;
  if (group == "admission.k8s.io" && kind == "AdmissionReview") return Role::Review;
  return Role::Other;
}

bool is_astray(const InputObject& object) {
  return object.group() != kRegistrationGroup && role_of_kind(object.kind) != Role::Other;
}

std::string astray_text(const InputObject& object) {
  return std::string(object.kind) + " is a kind of " + std::string(kRegistrationGroup) +
         "; this one would decide nothing";
}

bool is_mutating(const InputObject& object) { return object.kind.starts_with("Mutating"); }

std::string_view bound_policy(const InputObject& binding) {
  const Value* spec = find_member(binding.value, "spec");
  return spec == nullptr ? std::string_view() : text_member(*spec, "policyName");
}

std::string missing_policy_text(const InputObject& binding, std::string_view which) {
  return "the binding names the policy " + quote_json(bound_policy(binding)) + ", which is not among " +
         std::string(which);
}

bool binds(const InputObject& object, const InputObject& policy) {
  return role_of(object) == Role::Binding && is_mutating(object) == is_mutating(policy) &&
         bound_policy(object) == policy.name;
}

const Value* param_kind(const InputObject& policy) {
  const Value* kind = find_path(policy.value, "spec.paramKind");
  return kind != nullptr && kind->is(Kind::Map) ? kind : nullptr;
}

std::string kind_key(std::string_view api_version, std::string_view kind) {
  return std::string(api_version) + " " + std::string(kind);
}

std::string kind_key(const Value& param_kind) {
  return kind_key(text_member(param_kind, "apiVersion"), text_member(param_kind, "kind"));
}

}  // namespace portcullis
