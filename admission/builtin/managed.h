// metadata.managedFields of built-in kinds (admission/ownership), in the requests that registry.h fills in.
//
// Idea: the API server computes the list from the object as sent and defaulted, before any plugin or policy
// changes it.
// Limits: subresources that take another kind (scale) are not tracked.
// Source of behaviour: apiserver pkg/endpoints/handlers, and GetResetFields of the strategies. Compared with
// Kubernetes by tests/decoded.cc. Tested by admission/builtin/managed_test.cc.
#pragma once

#include "admission/builtin/registry.h"

namespace portcullis::builtin {

// Sets the list of a new object.
void manage_new(const Filling& with, Object& object);
// Sets the list of `object`, which replaces `stored`, of the same struct.
void manage_update(const Filling& with, Object& object, Object& stored);

}  // namespace portcullis::builtin
