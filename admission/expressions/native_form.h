// The native form of `Object{...}`: its Go value, of plain maps, lists and scalars.
//
// Idea: upstream converts one level of a list or map that an expression wrote; deeper levels stay CEL values
// ([]ref.Val, map[ref.Val]ref.Val), which no reader of plain data accepts. The marks kNativeList and
// kNativeMap (interpreter/values/native.h) say which lists and maps are plain; those without a mark are CEL
// values. A `null` in an expression is an enum value in Go, unlike the nil of an empty optional.
// Source of behaviour: apiserver pkg/cel/mutation/dynamic (convertField), the Value() methods of cel-go.
// Limits: a list of strings made by a function ("a,b".split(",")) counts as a CEL value within lists and
// maps.
// Tested by admission/expressions/patches_test.cc, admission/patching/json_patch_test.cc.
#pragma once

#include <span>
#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis {

// Whether `v` is structpb.NullValue, the native form of CEL's null.
bool is_null_enum(const Value& v);

// The native form of an Object with these fields: a map, or an error value. Within the map, a value that
// cannot be converted is an error value, as in Go, and an empty list is a nil_list(). `keep_nulls`: CEL's null stays
// Null and does not become the enum value.
Value native_object(std::span<const MapEntry> fields, Arena& arena, bool keep_nulls = false);

// %T of a native form, or of the Value() of any value: "int64", "[]ref.Val".
std::string_view native_type(const Value& v);

}  // namespace portcullis
