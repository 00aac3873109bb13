// Roles and bindings as the RBAC authorizer asks them: read from objects, aggregated, found by name.
//
// Idea: one struct for Role and ClusterRole, and one for their bindings, told apart by the namespace, which
// those of the cluster do not have. Texts are copied, so that objects may go. An object of the same kind,
// namespace and name as one before takes its place, as in a cluster to which both are applied.
// Source of behaviour: k8s.io/api/rbac/v1, pkg/controller/clusterroleaggregation.
// Limits: what the API server would refuse is not refused here. Tested by admission/authorization/rbac_test.cc.
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
// Of labels: all requirements must hold.
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
  // Takes an object of one of the four kinds in; others are ignored. `space` is the namespace of a Role or
  // RoleBinding that names none.
  void add(const Value& object, std::string_view space);
  void add(Role role) { given_.push_back(std::move(role)); }
  void add(Binding binding) { bindings_.push_back(std::move(binding)); }
  // To be called before the questions below: sorts, and gives aggregated ClusterRoles their rules.
  void settle();

  // By namespace, then by name.
  const std::vector<Role>& roles() const { return roles_; }
  const std::vector<Binding>& bindings() const { return bindings_; }
  // The role that a binding names, or null.
  const Role* role_of(const Binding& binding) const;

 private:
  std::vector<Role> given_, roles_;  // as the objects have them, and with the rules of those they aggregate
  std::vector<Binding> bindings_;
};

// Is `object` of kind Role, ClusterRole, RoleBinding or ClusterRoleBinding of the RBAC group?
bool is_object(const Value& object);
Binding read_binding(const Value& object, std::string_view space);

}  // namespace portcullis::rbac
