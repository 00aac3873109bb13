#include "manifests/watched_kinds.h"

#include "admission/builtin/registration.h"
#include "admission/scalars/group_version.h"

namespace portcullis {

std::vector<Resource> watched_kinds(WatchedFor what) {
  struct Row {
    WatchedFor what;
    std::string_view group, kind;
  };
  constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";
  constexpr Row kWatched[] = {
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
    if (what == WatchedFor::Policies && k.sort != ApiKind::Sort::Configuration)
      add(kRegistrationGroup, k.kind);
  }
  for (const Row& row : kWatched) {
    if (row.what == what) add(row.group, row.kind);
  }
  return out;
}

}  // namespace portcullis
