// What the API server refuses in a Role, ClusterRole, RoleBinding or ClusterRoleBinding that someone creates,
// and in which words and order: such an object is in no cluster, and so grants nothing.
//
// Source of behaviour: k8s.io/kubernetes pkg/apis/rbac/validation. Limits: whether the creator may grant
// what the object grants (escalation) is not asked. Tested by admission/policies/rbac_validation_test.cc.
#pragma once

#include <string_view>
#include <vector>

#include "admission/objects/field_error.h"

namespace portcullis::rbac {

// `object`: decoded and defaulted (admission/builtin/normalize.h); those of namespaced
// kinds name theirs.
std::vector<FieldError> validate(const Value& object);

}  // namespace portcullis::rbac
