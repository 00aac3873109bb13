// What the API server makes of JSON that a mutation left of an object of a built-in kind.
// Source of behaviour: apimachinery pkg/runtime/serializer/json (strict decoding), pkg/runtime (conversion of
// unstructured objects). Tested by admission/patching/kind_test.cc.
#pragma once

#include <string_view>

#include "admission/builtin/types.h"
#include "admission/patching/patched.h"

namespace portcullis::patching {

// The kind that an object says it is, as the decoder of JSON reads it; the error of one that cannot be read.
struct ReadKind {
  std::string_view group, version, kind;  // empty: not said
  std::string_view error;
};
ReadKind read_kind(Arena& arena, const Value& object);

// `object`, which was JSON text, strictly decoded into `row` and defaulted, with the marks of a Go struct. Fails
// with an internal error; of several errors the order of `object` decides.
Patched decoded_strictly(Arena& arena, const builtin::StructRow& row, const Value& object);

// `object`, which was plain data that fits the schema of its kind, converted into `row` and defaulted. Fails with an
// error of the policy.
Patched decoded_loosely(Arena& arena, const builtin::StructRow& row, const Value& object);

// `object` (decoded and defaulted) converted to the internal version and back.
Patched through_internal(Arena& arena, const builtin::StructRow& row, const Value& object);

}  // namespace portcullis::patching
