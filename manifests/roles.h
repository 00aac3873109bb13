// What the objects of a cluster are for admission, and how policies, bindings and params refer to each other.
// Tested by tests/cli and library/load_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "admission/builtin/decode.h"
#include "admission/objects/field_error.h"
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
// Whether policies decide requests for it: the API server passes policies and bindings to none.
bool is_request(const InputObject& object);
// Whether it has the kind of a policy, binding or configuration, but another group by mistake: it would decide nothing.
bool is_astray(const InputObject& object);
// The error of such an object.
std::string astray_text(const InputObject& object);
// Whether a policy, binding or configuration is a mutating one. A mutating policy may have the name of a validating
// one.
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
// The path of the first expression of a policy or webhook configuration that has the word `authorizer`; empty: none
// has.
std::string authorizer_use(const Value& object);
// A kind of params as one text, to compare.
std::string kind_key(std::string_view api_version, std::string_view kind);
std::string kind_key(const Value& param_kind);

// An RBAC object as a server stores it, in `stored`, or why it refuses the object, so that this grants nothing: the
// texts say so. `unknown`, if it is not null, receives its unknown fields.
std::vector<FieldError> decode_rbac(const InputObject& object, Arena& arena, Value& stored,
                                    std::vector<builtin::UnknownField>* unknown = nullptr);

// The policies, bindings and webhook configurations among objects, which must outlive it.
class GivenPolicies {
 public:
  using Objects = std::vector<const InputObject*>;
  // Adds a policy, binding or configuration; false for any other object.
  bool add(const InputObject& object);
  void remove(const std::unordered_set<const InputObject*>& objects);

  const Objects& policies() const { return policies_; }
  const Objects& bindings() const { return bindings_; }
  const Objects& configurations() const { return configurations_; }
  // The first one with this name; null if there is none.
  const InputObject* policy(std::string_view name, bool mutating = false) const {
    return find({Role::Policy, mutating, name});
  }
  const InputObject* binding(std::string_view name, bool mutating = false) const {
    return find({Role::Binding, mutating, name});
  }
  const InputObject* configuration(std::string_view name, bool mutating) const {
    return find({Role::Configuration, mutating, name});
  }
  // The policy that a binding names; null if there is none.
  const InputObject* policy_of(const InputObject& binding) const {
    return policy(bound_policy(binding), is_mutating(binding));
  }
  // Whether a binding names the policy.
  bool is_bound(const InputObject& policy) const { return bound_[is_mutating(policy)].contains(policy.name); }
  // Whether an object that was added before has the kind and name of this one.
  bool is_repeated(const InputObject& object) const {
    return !object.name.empty() && find(&object) != &object;
  }
  // Whether a policy has params of the kind of `object`.
  bool is_param_kind(const InputObject& object) const {
    return param_kinds_.contains(kind_key(object.api_version, object.kind));
  }

 private:
  // Objects by kind and name, the first of each.
  struct Key {
    Role role;
    bool mutating;
    std::string_view name;
    Key(Role role, bool mutating, std::string_view name) : role(role), mutating(mutating), name(name) {}
    Key(const InputObject* o) : Key(role_of(*o), is_mutating(*o), o->name) {}
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    using is_transparent = void;
    size_t operator()(const Key& k) const noexcept {
      return std::hash<std::string_view>()(k.name) + 31 * (2 * static_cast<size_t>(k.role) + k.mutating);
    }
  };
  struct SameKey {
    using is_transparent = void;
    bool operator()(const Key& a, const Key& b) const { return a == b; }
  };
  const InputObject* find(const Key& key) const;

  Objects policies_, bindings_, configurations_;
  std::unordered_set<const InputObject*, KeyHash, SameKey> first_;
  std::unordered_set<std::string_view> bound_[2];  // names of validating and of mutating policies
  std::unordered_set<std::string> param_kinds_;
};

}  // namespace portcullis
