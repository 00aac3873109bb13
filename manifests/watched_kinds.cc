#include "manifests/watched_kinds.h"

#include "admission/builtin/registration.h"
#include "manifests/roles.h"

namespace portcullis {

std::vector<Resource> watched_kinds(WatchedFor what) {
  struct Row {
    WatchedFor what;
    std::string_view group, kind;
  };
  constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";
  constexpr Row kOthers[] = {
      // besides policies and bindings
      {WatchedFor::Namespaces, "", "Namespace"},
      {WatchedFor::Definitions, kDefinitionGroup, "CustomResourceDefinition"},
      {WatchedFor::Authorizer, kRbacGroup, "Role"},
      {WatchedFor::Authorizer, kRbacGroup, "ClusterRole"},
      {WatchedFor::Authorizer, kRbacGroup, "RoleBinding"},
      {WatchedFor::Authorizer, kRbacGroup, "ClusterRoleBinding"},
  };
  std::vector<Resource> out;
  const auto add = [&](std::string_view group, std::string_view kind) {
    out.push_back(Resources().find(join_api_version(group, "v1"), kind));
  };
  for (const ApiKind& k : api_kinds) {
    const Role role = role_of_kind(k.kind);
    if (what == WatchedFor::Policies && (role == Role::Policy || role == Role::Binding))
      add(kRegistrationGroup, k.kind);
  }
  for (const Row& row : kOthers) {
    if (row.what == what) add(row.group, row.kind);
  }
  return out;
}

}  // namespace portcullis
