// Roles and bindings as RbacAuthorizer uses them: read from objects, aggregated, found by name.
//
// Idea: one struct represents Role and ClusterRole, another both kinds of binding; an empty namespace marks
// those of the cluster. Texts are copied, so the objects need not outlive the call. An object replaces an
// earlier one of the same kind, namespace and name, as if both were applied to a cluster.
// Source of behaviour: k8s.io/api/rbac/v1, pkg/controller/clusterroleaggregation.
// Limits: invalid objects are not refused here (policies/rbac_validation.h does). Tested by
// admission/authorization/rbac_test.cc.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/values/value.h"

namespace portcullis::rbac {

using Texts = std::vector<std::string>;
using Labels = std::map<std::string, std::string>;

inline constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

struct Rule {
  Texts verbs, groups, resources, names, urls;
  bool operator==(const Rule&) const = default;
};

struct Requirement {
  std::string key, op;
  Texts values;
};
// A label selector; all requirements must hold.
using Selector = std::vector<Requirement>;

struct Role {
  std::string space, name;  // `space` empty: a ClusterRole
  Labels labels;
  std::vector<Rule> rules;
  std::vector<Selector> aggregates;
};

struct Subject {
  std::string kind, name, space;
};

struct Binding {
  std::string space, name;  // `space` empty: a ClusterRoleBinding
  std::string role_kind, role_name;
  std::vector<Subject> subjects;
};

class Objects {
 public:
  // Adds an object of one of the four kinds and ignores others. A Role or RoleBinding without a namespace
  // belongs to `space`.
  void add(const Value& object, std::string_view space);
  void add(Role role) { given_.push_back(std::move(role)); }
  void add(Binding binding) { bindings_.push_back(std::move(binding)); }
  // Sorts, and gives aggregated ClusterRoles their rules. Must be called after the last `add` and before the
  // questions below.
  void settle();

  // By namespace, then by name.
  const std::vector<Role>& roles() const { return roles_; }
  const std::vector<Binding>& bindings() const { return bindings_; }
  // The role that a binding names; null if it does not exist.
  const Role* role_of(const Binding& binding) const;

 private:
  std::vector<Role> given_, roles_;  // as given; with aggregated rules
  std::vector<Binding> bindings_;
};

// Is `object` of kind Role, ClusterRole, RoleBinding or ClusterRoleBinding of the RBAC group?
bool is_object(const Value& object);
Binding read_binding(const Value& object, std::string_view space);

}  // namespace portcullis::rbac
