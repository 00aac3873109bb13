// Validation of RBAC objects: the errors of the API server, in its order, for the create of a Role,
// ClusterRole, RoleBinding or ClusterRoleBinding. An invalid object is in no cluster, so it grants nothing.
//
// Source of behaviour: k8s.io/kubernetes pkg/apis/rbac/validation. Limits: privilege escalation (whether the
// creator may grant these rights) is not checked. Tested by admission/policies/rbac_validation_test.cc.
#pragma once

#include <vector>

#include "admission/objects/field_error.h"

namespace portcullis::rbac {

// `object`: decoded and defaulted (admission/builtin/normalize.h). An object of a namespaced kind must have
// metadata.namespace.
std::vector<FieldError> validate(const Value& object);

}  // namespace portcullis::rbac
