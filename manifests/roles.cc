#include "manifests/roles.h"

#include "admission/builtin/normalize.h"
#include "admission/builtin/registration.h"
#include "admission/expressions/expression_places.h"
#include "admission/policies/rbac_validation.h"
#include "admission/scalars/group_version.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"
#include "manifests/resources.h"

namespace portcullis {

namespace {

// The role of a kind of the admission group: Policy, Binding or Configuration; else Other.
Role role_of_kind(std::string_view kind) {
  const ApiKind* found = find_api_kind(kind);
  if (found == nullptr) return Role::Other;
  switch (found->sort) {
    case ApiKind::Sort::Policy: return Role::Policy;
    case ApiKind::Sort::Binding: return Role::Binding;
    case ApiKind::Sort::Configuration: return Role::Configuration;
  }
  return Role::Other;
}

}  // namespace

Role role_of(const InputObject& object) {
  const std::string_view group = object.group(), kind = object.kind;
  if (group == kRegistrationGroup) return role_of_kind(kind);
  if (group.empty() && kind == "Namespace") return Role::Namespace;
  if (group == kDefinitionGroup && kind == "CustomResourceDefinition") return Role::Definition;
  if (group == "admission.k8s.io" && kind == "AdmissionReview") return Role::Review;
  return Role::Other;
}

bool is_request(const InputObject& object) {
  const Role role = role_of(object);
  return role != Role::Policy && role != Role::Binding;
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

std::string authorizer_use(const Value& object) {
  for (const PlacedExpression& e : expressions_of(object)) {
    if (e.text.find("authorizer") != e.text.npos) return e.path;
  }
  return {};
}

std::string kind_key(std::string_view api_version, std::string_view kind) {
  return std::string(api_version) + " " + std::string(kind);
}

std::string kind_key(const Value& param_kind) {
  return kind_key(text_member(param_kind, "apiVersion"), text_member(param_kind, "kind"));
}

std::vector<FieldError> decode_rbac(const InputObject& object, Arena& arena, Value& stored,
                                    std::vector<builtin::UnknownField>* unknown) {
  const std::string so = "; so this " + std::string(object.kind) + " grants nothing";
  if (!Resources().find(object.api_version, object.kind).exists())
    return {
        {.field = "apiVersion",
         .message = std::string(object.api_version) + " is not served by this version of Kubernetes" + so}};
  builtin::DecodeOptions options;
  options.unknown = unknown;
  Value given = object.value;  // whose namespace is known even if it has no metadata
  if (find_member(given, "metadata") == nullptr && !object.namespace_name.empty()) {
    const Value space =
        with_member(arena, Value::map(nullptr, 0), "namespace", Value::string(object.namespace_name));
    given = with_member(arena, given, "metadata", space);
  }
  builtin::Normalized decoded = builtin::normalize(arena, given, options);
  stored = decoded.object;
  std::vector<FieldError> out;
  if (decoded.error.empty()) {
    out = rbac::validate(decoded.object);
  } else {
    out.push_back({.field = decoded.error_path, .message = decoded.error});
  }
  for (FieldError& e : out) e.message = "the API server refuses it: " + e.message + so;
  return out;
}

bool GivenPolicies::add(const InputObject& object) {
  switch (role_of(object)) {
    case Role::Policy:
      policies_.push_back(&object);
      if (const Value* kind = param_kind(object)) param_kinds_.insert(kind_key(*kind));
      break;
    case Role::Binding:
      bindings_.push_back(&object);
      bound_[is_mutating(object)].insert(bound_policy(object));
      break;
    case Role::Configuration: configurations_.push_back(&object); break;
    default: return false;
  }
  first_.insert(&object);
  return true;
}

void GivenPolicies::remove(const std::unordered_set<const InputObject*>& objects) {
  const GivenPolicies before = std::exchange(*this, {});
  for (const Objects* list : {&before.policies_, &before.bindings_, &before.configurations_}) {
    for (const InputObject* o : *list) {
      if (!objects.contains(o)) add(*o);
    }
  }
}

const InputObject* GivenPolicies::find(const Key& key) const {
  const auto found = first_.find(key);
  return found == first_.end() ? nullptr : *found;
}

}  // namespace portcullis
