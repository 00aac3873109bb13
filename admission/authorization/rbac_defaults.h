// The roles and bindings that kube-apiserver 1.37 creates when it starts (cluster-admin, admin, edit, view,
// system:*).
//
// Idea: rbac_defaults.inc holds them as text, which is parsed on demand only. A line is an object or, after
// two spaces, a rule of the role above. Spaces separate words, commas separate the elements of a list, and
// `core` is the group with the empty name:
// ClusterRole NAME [+LABEL=VALUE]... [<LABEL=VALUE]...    `<`: aggregates the rules of roles with this label
//     VERBS GROUPS RESOURCES [NAMES]
//     VERBS urls URLS
//   ClusterRoleBinding NAME KIND:ROLE [KIND:SUBJECT]...
// Names of namespaced objects, ServiceAccounts included, are NAMESPACE/NAME. All roles also carry the label
// kubernetes.io/bootstrapping=rbac-defaults. rbac_defaults.py makes the text.
// Source of behaviour: k8s.io/kubernetes plugin/pkg/auth/authorizer/rbac/bootstrappolicy. Limits: roles of
// features that are off by default are missing.
// Tested by admission/authorization/rbac_defaults_test.cc.
#pragma once

#include "admission/authorization/rbac_objects.h"

namespace portcullis::rbac {

// Adds them to `objects`.
void add_defaults(Objects& objects);

}  // namespace portcullis::rbac
