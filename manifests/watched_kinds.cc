#include "manifests/watched_kinds.h"

#include "admission/builtin/registration.h"

namespace portcullis {

std::vector<Resource> watched_kinds(WatchedFor what) {
  struct Row {
    WatchedFor what;
    std::string_view group, kind;
  };
  constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";
  constexpr Row kWatched[] = {
      {WatchedFor::Policies, kRegistrationGroup, "ValidatingAdmissionPolicy"},
      {WatchedFor::Policies, kRegistrationGroup, "ValidatingAdmissionPolicyBinding"},
      {WatchedFor::Policies, kRegistrationGroup, "MutatingAdmissionPolicy"},
      {WatchedFor::Policies, kRegistrationGroup, "MutatingAdmissionPolicyBinding"},
      {WatchedFor::Namespaces, "", "Namespace"},
      {WatchedFor::Definitions, "apiextensions.k8s.io", "CustomResourceDefinition"},
      {WatchedFor::Authorizer, kRbacGroup, "Role"},
      {WatchedFor::Authorizer, kRbacGroup, "ClusterRole"},
      {WatchedFor::Authorizer, kRbacGroup, "RoleBinding"},
      {WatchedFor::Authorizer, kRbacGroup, "ClusterRoleBinding"},
  };
  std::vector<Resource> out;
  for (const Row& row : kWatched) {
    if (row.what == what) out.push_back(Resources().find(join_api_version(row.group, "v1"), row.kind));
  }
  return out;
}

}  // namespace portcullis
