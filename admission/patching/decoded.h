// Decodes the JSON that a mutation leaves of an object of a built-in kind, as the API server does.
// Source of behaviour: apimachinery pkg/runtime/serializer/json (strict decoding), pkg/runtime (conversion of
// unstructured objects). Tested by admission/patching/kind_test.cc.
#pragma once

#include <cstdint>

#include "admission/builtin/type_meta.h"
#include "admission/builtin/types.h"
#include "admission/patching/patched.h"

namespace portcullis::patching {

// The kind in a patched object, which the API server writes, with sorted members, before it reads it.
builtin::TypeMeta kind_in_patched(Arena& arena, const Value& object);

// What is known of the parts of an object.
enum class Parts : uint8_t {
  Any,
  // Structs with the mark of a Go struct (interpreter/values/go_values.h) were decoded and defaulted at their
  // place before: decoding leaves them as they are.
  MarkedAreComplete,
};

// Decodes `object` (from JSON text) strictly into `row`, and sets defaults; the result has the marks of a Go
// struct. Fails with an internal error; the order of `object` decides which error comes first.
Patched decoded_strictly(Arena& arena, const builtin::StructRow& row, const Value& object, Parts parts);

// Decodes `object` (from JSON text) into `row`; what the struct does not have is dropped. Sets no defaults.
// Fails with an internal error.
Patched decoded_leniently(Arena& arena, const builtin::StructRow& row, const Value& object);
// `object` (decoded into `row`) with its defaults.
Value completed(Arena& arena, const builtin::StructRow& row, const Value& object);

// Converts `object`, plain data that fits the schema of its kind, into `row`, and sets defaults. Fails with
// an error of the policy.
Patched decoded_loosely(Arena& arena, const builtin::StructRow& row, const Value& object, Parts parts);

// Converts `object` (a result of the two above or of a conversion) to the internal version and back. Fails with a text
// that is no Status.
Patched through_internal(Arena& arena, const builtin::StructRow& row, const Value& object);
// `object` with what its conversion leaves in the internal object of `former`, an object of the same struct. Unchanged if
// one of them does not decode.
Value over_former(Arena& arena, const builtin::StructRow& row, const Value& object, const Value& former);

}  // namespace portcullis::patching
