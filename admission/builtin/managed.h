// metadata.managedFields of objects of built-in kinds (admission/ownership), in the requests that registry.h
// fills in.
//
// The API server computes it of the object as it was sent and defaulted, before any plugin or policy has
// changed it.
// Limits: of subresources that take another kind (scale) nothing is known.
// Source of behaviour: apiserver pkg/endpoints/handlers, and the strategies' GetResetFields. Judge:
// tests/decoded.cc.
// Tested by admission/builtin/managed_test.cc.
#pragma once

#include "admission/builtin/registry.h"

namespace portcullis::builtin {

// Of a new object.
void manage_new(const Filling& with, Object& object);
// Of `object` that is put in place of `stored`, of the same struct.
void manage_update(const Filling& with, Object& object, Object& stored);

}  // namespace portcullis::builtin
