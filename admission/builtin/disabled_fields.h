// The fields of feature gates that are off by default: the API server drops them from an object before
// ValidatingAdmissionPolicies see it.
//
// Idea: a table has a row for each gate, with the fields that go together. Two walks over the structs that can have
// such a field find the rows that the new object has and those that the stored object uses, which stay; both only
// read. Hardly any object has such a field, and only what has one is written to.
// Limits: the stored object counts as a whole, where the server compares the templates of a Workload one by one.
// PersistentVolumeClaim's dataSourceRef is claims.h. Source of behaviour: the functions DropDisabled... of
// kubernetes pkg/api and pkg/registry, and the defaults in pkg/features, 1.37. Tested by tests/cli/disabled_fields.txt.
#pragma once

#include "admission/builtin/object.h"

namespace portcullis::builtin {

// Drops the fields from `object`, but for those that `stored`, of the same kind, uses; null at creation. Whole
// objects within `object` (the claims of a StatefulSet) stay as they are.
void drop_disabled_fields(Object& object, const Object* stored);

}  // namespace portcullis::builtin
