// RbacAuthorizer: answers checks from RBAC objects, as the API server's RBAC authorizer does.
//
// Idea: a check visits the ClusterRoleBindings, and the RoleBindings of its namespace, in the order of their
// names, and the rules of their roles. Members of system:masters may do everything. The roles and bindings
// that every cluster has are present unless given objects replace them. Files in reading order:
// rbac_objects.h (roles, bindings, aggregation), policies/rbac_validation.h (objects that the API server
// refuses), rbac_defaults.h (objects that every cluster has), this.
// Source of behaviour: kubernetes plugin/pkg/auth/authorizer/rbac, pkg/registry/rbac/validation,
// pkg/apis/rbac/v1/evaluation_helpers.go.
// Limits: RBAC never denies, so the answer is "no opinion" if no rule allows. Other authorizers (node,
// webhook) are not asked. Where several bindings allow, the reason names the first by name; the order of
// upstream is random.
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
  // Whether `add` takes the object: Role, ClusterRole, RoleBinding or ClusterRoleBinding of the group
  // rbac.authorization.k8s.io.
  static bool is_rbac(const Value& object);

  // The objects before the first `add`: none, or the roles and bindings of a new cluster.
  enum class Start : uint8_t { Empty, Defaults };
  // `as_stored`: a ClusterRole with an aggregationRule has the rules that it holds, as among the objects of a cluster.
  // Otherwise it has the rules of the roles that it selects, which kube-controller-manager writes into it.
  explicit RbacAuthorizer(Start start = Start::Defaults, bool as_stored = false);
  ~RbacAuthorizer() override;

  // Adds the Role, ClusterRole, RoleBinding and ClusterRoleBinding objects among `objects` and ignores the
  // others. An object replaces an earlier one of the same kind, namespace and name. Roles and RoleBindings
  // without a namespace belong to `space`. Texts are copied. No other thread may use the authorizer during
  // the call.
  void add(std::span<const Value> objects, std::string_view space = "default");

  // Whether the role that a RoleBinding or ClusterRoleBinding names exists; otherwise the binding grants
  // nothing.
  bool has_role_of(const Value& binding) const;
  // The names of the Roles of a namespace or, if `space` is empty, of the ClusterRoles.
  std::vector<std::string> role_names(std::string_view space) const;

  AuthorizationAnswer authorize(const AuthorizationAttributes& asked, Arena& arena) const override;
  // As if no object of the kind, namespace and name of `absent` had been added. Costs no more than authorize().
  AuthorizationAnswer authorize_without(const Value& absent, const AuthorizationAttributes& asked,
                                        Arena& arena) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace portcullis
