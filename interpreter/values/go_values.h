// Parts of typed Go structs: `request`, namespaceObject, and objects of built-in kinds as the API server
// holds them.
//
// Idea: the API server shows such data through wrappers of its own, which behave like JSON nearly everywhere.
// Flags of a Value (kGoList, kGoMap, kGoStruct) mark such data, and only the operations that differ look at
// them:
// - == with a value that is no list or map is an error; nested lists and maps are unequal if comparing their
//   parts gives errors; two structs of different types are unequal, whatever is in them
// - a key that is no string is an error, also in `in`; the index of a list must be an int
// - an empty list or map is no zero value; `+` makes a plain list, never a concatenation
// Source of behaviour: apiserver pkg/cel/common/valuesschemalesstyped.go.
// Tested by interpreter/values/go_values_test.cc and against the oracle (fuzz/expressions, mode `condition`).
#pragma once

#include "interpreter/values/value.h"

namespace portcullis {

// The name of a value's Go type in Kubernetes' error texts: "types.Int", "*types.Optional".
std::string_view go_type(const Value& v);

// The error of converting a type to a Go value.
inline constexpr std::string_view kTypeNotConverted = "type conversion not supported for 'type'";
// The error of converting a value that is no text to a Go string; empty for values that have other errors.
std::string_view go_string_error(const Value& v);

// Whether the value is a map or struct, or a list, that is part of a Go struct.
inline bool is_go_map(const Value& v) { return v.is(Kind::Map) && (v.flags() & (kGoMap | kGoStruct)); }
inline bool is_go_list(const Value& v) { return v.is(Kind::List) && (v.flags() & kGoList); }

// `==` of such a list or map with another list or map: a bool, or the error of comparing their parts.
Value equal_go_lists(const Value& a, const Value& b, Arena& arena);
Value equal_go_maps(const Value& a, const Value& b, Arena& arena);

// `element in list`: whether an element is equal to it; an error counts as unequal.
bool go_list_contains(const Value& list, const Value& element, Arena& arena);

// The error for a key that is no string, and for an index that is no int.
Value bad_go_key(const Value& key, Arena& arena);
Value bad_go_index(const Value& index, Arena& arena);

}  // namespace portcullis
