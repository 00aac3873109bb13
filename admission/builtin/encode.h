// Object -> plain data, as the API server makes it (runtime.DefaultUnstructuredConverter): what is left out,
// what appears as zero or null; marked as the parts of a Go struct that they are (interpreter/values/go_values.h).
// Tested by admission/builtin/normalize_test.cc and against the oracle's mode `decode`.
#pragma once

#include "admission/builtin/object.h"

namespace portcullis::builtin {

// A map with the fields of `object` in Go's order; lives in the arena.
Value encode(Arena& arena, const Object& object);
// The same without the marks.
Value encode_plain(Arena& arena, const Object& object);

// Is the field left out where it is absent?
bool is_left_out_absent(const FieldRow& field);

}  // namespace portcullis::builtin
