// The roles and bindings that every cluster has: what kube-apiserver 1.37 makes when it starts
// (cluster-admin, admin, edit, view, system:*).
//
// Idea: rbac_defaults.inc holds them as text, which is read when they are asked for and costs nothing
// before. A line is an object, or behind two spaces a rule of the role above; words stand between spaces,
// the elements of a list between commas, and `core` is the group without name:
//   ClusterRole NAME [+LABEL=VALUE]... [<LABEL=VALUE]...    `<`: takes the rules of the roles with this label
//     VERBS GROUPS RESOURCES [NAMES]
//     VERBS urls URLS
//   ClusterRoleBinding NAME KIND:ROLE [KIND:SUBJECT]...
// Names of what is in a namespace, ServiceAccounts too, are NAMESPACE/NAME. All roles carry the label
// kubernetes.io/bootstrapping=rbac-defaults, too. Source: plugin/pkg/auth/authorizer/rbac/bootstrappolicy of
// k8s.io/kubernetes, by rbac_defaults.py. Limits: features that are off by default are off.
// Tested by admission/authorization/rbac_defaults_test.cc.
#pragma once

#include <string_view>

#include "admission/authorization/rbac_objects.h"

namespace portcullis::rbac {

// The objects in the notation above.
std::string_view defaults_text();
// Adds them to `objects`.
void add_defaults(Objects& objects);

}  // namespace portcullis::rbac
