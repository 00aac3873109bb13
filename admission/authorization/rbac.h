// RbacAuthorizer: answers checks from RBAC objects, as the API server's RBAC authorizer does.
//
// Idea: a check goes through the bindings of the cluster and of its namespace in the order of their names,
// and through the rules of their roles. Members of system:masters may do everything. Under the given
// objects lie those that every cluster has. Files in reading order: rbac_objects.h (roles, bindings,
// aggregation), rbac_validation.h (what is refused), rbac_defaults.h (what every cluster has), this.
// Source of behaviour: kubernetes plugin/pkg/auth/authorizer/rbac, pkg/registry/rbac/validation,
// pkg/apis/rbac/v1/evaluation_helpers.go.
// Limits: RBAC never denies, so what nothing allows is "no opinion". Other authorizers (node, webhook) are
// not asked. Where several bindings allow, the reason names the first by name; upstream's order is random.
// Tested by admission/authorization/rbac_test.cc.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/authorization/authorizer.h"

namespace portcullis {

class RbacAuthorizer final : public Authorizer {
 public:
  // Whether an object is one of those that `add` takes: kind Role, ClusterRole, RoleBinding,
  // ClusterRoleBinding of group rbac.authorization.k8s.io.
  static bool is_rbac(const Value& object);

  // What there is before `add`: nothing, or the roles and bindings of a new cluster.
  enum class Start : uint8_t { Empty, Defaults };
  explicit RbacAuthorizer(Start start = Start::Defaults);
  ~RbacAuthorizer() override;

  // Takes Role, ClusterRole, RoleBinding and ClusterRoleBinding objects out of `objects` and ignores the
  // others; an object takes the place of one with its kind, namespace and name. `space` is the namespace of
  // Roles and RoleBindings that name none. Texts are copied. Not to be called while others ask.
  void add(std::span<const Value> objects, std::string_view space = "default");

  // Whether there is the role that a RoleBinding or ClusterRoleBinding names; without it, it grants nothing.
  bool has_role_of(const Value& binding, std::string_view space = "default") const;
  // The names of the Roles of a namespace; without one, those of the ClusterRoles.
  std::vector<std::string> role_names(std::string_view space) const;

  AuthorizationAnswer authorize(const AuthorizationAttributes& asked, Arena& arena) const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace portcullis
