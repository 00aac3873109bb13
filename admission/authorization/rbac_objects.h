// Roles and bindings as RbacAuthorizer uses them: read from objects, aggregated, found by name.
//
// Idea: one struct represents Role and ClusterRole, another both kinds of binding; an empty namespace marks
// those of the cluster. Texts are copied, so the objects need not outlive the call. An object replaces an
// earlier one of the same kind, namespace and name, as if both were applied to a cluster. Rules of aggregated
// ClusterRoles are not copied but found in the roles that they aggregate, so that a question may be about a
// cluster that lacks one of the objects.
// Source of behaviour: k8s.io/api/rbac/v1, pkg/controller/clusterroleaggregation.
// Limits: invalid objects are not refused here (policies/rbac_validation.h does). Tested by
// admission/authorization/rbac_test.cc.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/values/arena.h"
#include "interpreter/values/value.h"

namespace portcullis::rbac {

using Texts = std::vector<std::string>;
using Labels = std::map<std::string, std::string>;

inline constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

struct Rule {
  Texts verbs, groups, resources, names, urls;
};

struct Requirement {
  std::string key, op;
  Texts values;
};
// A label selector; all requirements must hold.
using Selector = std::vector<Requirement>;

struct Role {
  std::string space, name;  // `space` empty: a ClusterRole
  bool standard = false;    // every cluster has it
  bool replaced = false;    // by the next one, which is not standard
  Labels labels;
  std::vector<Rule> rules;
  std::vector<Selector> aggregates;
};

struct Subject {
  std::string kind, name, space;
};

struct Binding {
  std::string space, name;                  // `space` empty: a ClusterRoleBinding
  bool standard = false, replaced = false;  // as above
  std::string role_kind, role_name;
  std::vector<Subject> subjects;
  size_t role_begin = 0, role_end = 0;  // the roles of that name, a replaced one and the other
};

// The name of an object, or of none.
struct Name {
  enum class Of : uint8_t { Nothing, Role, Binding };
  Of kind = Of::Nothing;
  std::string_view space = {}, name = {};
};

class Objects {
 public:
  // `as_stored`: the objects are those of a cluster, so a ClusterRole has the rules that it holds, whatever it
  // aggregates.
  explicit Objects(bool as_stored = false) : as_stored_(as_stored) {}

  // Adds an object of one of the four kinds and ignores others. A Role or RoleBinding without a namespace
  // belongs to `space`.
  void add(const Value& object, std::string_view space);
  void add(Role role) { roles_.push_back(std::move(role)); }
  void add(Binding binding) { bindings_.push_back(std::move(binding)); }
  // Sorts, and finds what ClusterRoles aggregate. Must be called after the last `add` and before the
  // questions below.
  void settle();

  // By namespace, then by name. A standard object that another one replaces is there, too, before that one.
  const std::vector<Role>& roles() const { return roles_; }
  const std::vector<Binding>& bindings() const { return bindings_; }
  // Whether an element of the above is in a cluster to which `absent` was never added; a standard object of
  // that name takes its place.
  bool exists(const Role& role, const Name& absent) const;
  bool exists(const Binding& binding, const Name& absent) const;
  // Finds the roles of a binding that is no element of bindings().
  void link(Binding& binding) const;
  // The role that a linked binding names; null if it does not exist.
  const Role* role_of(const Binding& binding, const Name& absent = {}) const;
  // For each role, the indices of the roles that its aggregation selectors select.
  const std::vector<std::vector<size_t>>& sources() const { return sources_; }

 private:
  bool as_stored_;
  std::vector<Role> roles_;
  std::vector<Binding> bindings_;
  std::vector<std::vector<size_t>> sources_;
};

// Is `object` of kind Role, ClusterRole, RoleBinding or ClusterRoleBinding of the RBAC group?
bool is_object(const Value& object);
Binding read_binding(const Value& object, std::string_view space);
// The texts lie in `arena`.
Name object_name(const Value& object, std::string_view space, Arena& arena);

// Looks for a rule in several roles. What a role aggregates may itself aggregate, in a cycle, too, and several bindings
// may name one role; each role is visited once.
class RuleSearch {
 public:
  // All must outlive it; `absent` as in Objects::exists.
  RuleSearch(const Objects& objects, const Name& absent, Arena& arena)
      : objects_(objects),
        absent_(absent),
        seen_(arena.array<bool>(size())),
        found_(arena.array<size_t>(size())) {
    std::fill_n(seen_, size(), false);
  }

  // Whether `allows` is true for a rule of `role`, an element of roles(); false if it was asked about before.
  template <class F>
  bool any(const Role& role, F allows) {
    size_t at = count_;
    for (visit(static_cast<size_t>(&role - objects_.roles().data())); at < count_; at++) {
      const Role& one = objects_.roles()[found_[at]];
      if (one.aggregates.empty() && std::ranges::any_of(one.rules, allows)) return true;
      for (size_t i : objects_.sources()[found_[at]]) visit(i);
    }
    return false;
  }

 private:
  size_t size() const { return objects_.roles().size(); }
  void visit(size_t i) {
    if (seen_[i] || !objects_.exists(objects_.roles()[i], absent_)) return;
    seen_[i] = true;
    found_[count_++] = i;
  }

  const Objects& objects_;
  const Name& absent_;
  bool* seen_;
  size_t* found_;  // in the order of the visits
  size_t count_ = 0;
};

}  // namespace portcullis::rbac
