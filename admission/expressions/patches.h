// The values of mutations: `JSONPatch{...}`, `Object{...}` and `Object.spec{...}`, with their types.
//
// Idea: both have opaque classes of their own, because neither behaves like a message. A JSONPatch always has
// its four fields, even unset ones. An Object has fields only if its static type is known; they are then read
// from its native form, in which a type is a text and an optional is its content. Behind dyn() it has no
// fields. Source of behaviour: apiserver pkg/cel/mutation. Limits: the process keeps the names of all Object
// types that expressions have used.
// Tested by admission/expressions/patches_test.cc and against the oracle (fuzz/expressions with patchTypes).
#pragma once

#include <span>
#include <string_view>

#include "interpreter/values/value.h"
#include "typecheck/type.h"

namespace portcullis {

// Provides `Object`, `Object.spec...` (every field exists and is dyn) and `JSONPatch`.
const TypeProvider* patch_types();

bool is_json_patch(const Value& v);    // JSONPatch{...}
bool is_patch_object(const Value& v);  // Object, Object.spec
// The fields of an Object as written. The name of its class is its type.
std::span<const MapEntry> object_fields(const Value& v);

// The fields of a JSONPatch. The views live as long as the value.
struct PatchOperation {
  std::string_view op, path, from;  // empty: not set
  const Value* value = nullptr;     // null: not set
};
PatchOperation patch_operation(const Value& v);

// The value as a map, in the arena: the fields of a JSONPatch that are set (texts: not empty), or the native
// form of an Object.
Value patch_fields(const Value& v, Arena& arena);

}  // namespace portcullis
