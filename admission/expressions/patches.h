// What mutations are made of: values of `JSONPatch{...}` and of `Object{...}`, `Object.spec{...}`, and their
// types.
//
// Idea: both are opaque values of their own, because neither behaves like a struct of a message. A JSONPatch
// has its four fields whether they are set or not. An Object only has fields where its type is known: they
// are then read from its native form, in which a type is a text and an optional what it holds; behind dyn() it
// has none. Source of behaviour: apiserver
// pkg/cel/mutation. Limits: names of types are kept for the life of the process, as many as expressions have
// named. Tested by admission/expressions/patches_test.cc and against the oracle (fuzz/expressions with patchTypes).
#pragma once

#include <span>
#include <string_view>

#include "interpreter/values/structs.h"
#include "typecheck/type.h"

namespace portcullis {

// `Object`, `Object.spec...` (any field, dyn) and `JSONPatch`.
const TypeProvider* patch_types();

bool is_json_patch(const Value& v);    // JSONPatch{...}
bool is_patch_object(const Value& v);  // Object, Object.spec
// The fields of an Object as they were written; its type is the name of its class.
std::span<const MapEntry> object_fields(const Value& v);

// What is set of a JSONPatch; views live as long as the value.
struct PatchOperation {
  std::string_view op, path, from;  // empty: not set
  const Value* value = nullptr;     // null: not set
};
PatchOperation patch_operation(const Value& v);

// As a map: the fields of a JSONPatch that are set (texts: not empty), the native form of an Object. Lives in
// the arena.
Value patch_fields(const Value& v, Arena& arena);

}  // namespace portcullis
