// RbacAuthorizer: answers checks from RBAC objects, as the API server's RBAC authorizer does.
//
// Idea: roles and bindings are flattened once into grants {who, where, rules, source}; a check goes through
// the grants of the cluster and of its namespace in the order of their names. Members of system:masters may
// do everything. Aggregated ClusterRoles get the rules of the ClusterRoles that their selectors select, as
// the controller would give them. Source of behaviour: kubernetes plugin/pkg/auth/authorizer/rbac,
// pkg/registry/rbac/validation, pkg/apis/rbac/v1/evaluation_helpers.go,
// pkg/controller/clusterroleaggregation.
// Limits: RBAC never denies, so what nothing allows is "no opinion". Other authorizers (node, webhook) are
// not asked. Tested by admission/rbac_test.cc.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "admission/authorizer.h"

namespace portcullis {

class RbacAuthorizer final : public Authorizer {
 public:
  // Whether an object is one of those that `add` takes: kind Role, ClusterRole, RoleBinding,
  // ClusterRoleBinding of group rbac.authorization.k8s.io.
  static bool is_rbac(const Value& object);

  RbacAuthorizer();
  ~RbacAuthorizer() override;

  // Takes Role, ClusterRole, RoleBinding and ClusterRoleBinding objects out of `objects` and ignores the
  // others. Texts are copied. Not to be called while others ask.
  void add(std::span<const Value> objects);

  AuthorizationAnswer authorize(const AuthorizationAttributes& asked, Arena& arena) const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace portcullis
