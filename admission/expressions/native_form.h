// The native form of `Object{...}`: what Go holds of it as plain maps, lists and scalars.
//
// Idea: upstream converts one level of a list or map that an expression wrote; what is deeper stays CEL's own
// ([]ref.Val, map[ref.Val]ref.Val), which no reader of plain data knows. Plain lists and maps are marked by
// kNativeList and kNativeMap (interpreter/values/native.h), and lists and maps without the mark are CEL's.
// A `null` of an expression is an enum value in Go, other than the nil of an empty optional.
// Source of behaviour: apiserver pkg/cel/mutation/dynamic (convertField), the Value() methods of cel-go.
// Limits: lists of strings that functions made ("a,b".split(",")) count as CEL's own within lists and maps.
// Tested by admission/expressions/patches_test.cc, admission/patching/json_patch_test.cc.
#pragma once

#include <span>
#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis {

// structpb.NullValue: CEL's null in a native form.
bool is_null_enum(const Value& v);

// A list that an expression made empty is a nil slice in Go: an empty list, but null where it is written.
bool is_nil_list(const Value& v);

// The native form of an Object with these fields: a map, or an error value. What cannot be converted within is
// an error value in its place, as in Go. `keep_nulls`: CEL's null is Null, not the enum value.
Value native_object(std::span<const MapEntry> fields, Arena& arena, bool keep_nulls = false);

// What %T of a native form, or of the Value() of any value, is: "int64", "[]ref.Val".
std::string_view native_type(const Value& v);

}  // namespace portcullis
