// Parts of typed Go structs: `request`, namespaceObject, and objects of built-in kinds as the API server
// holds them.
//
// Idea: the API server shows such data through wrappers of its own that behave like JSON nearly everywhere.
// Where not, flags of the Value (kGoList, kGoMap, kGoStruct) say so, and only places that are off the usual
// paths look at them:
//   == with anything but a list or map is an error; a list or map in a list or map is unequal where its parts
//     give errors
//   keys that are no strings are errors, in `in` too; indices of a list must be ints
//   an empty list or map is no zero value; `+` makes a plain list, never a concatenation
// Source of behaviour: apiserver pkg/cel/common/valuesschemalesstyped.go.
// Tested by interpreter/values/go_values_test.cc and against the oracle (fuzz/expressions, mode `condition`).
#pragma once

#include "interpreter/values/value.h"

namespace portcullis {

// Name of the Go type of a value, as error texts of Kubernetes have it: "types.Int", "*types.Optional".
std::string_view go_type(const Value& v);

// Whether a value is a map or struct, or a list, of a Go struct, by its flags.
inline bool is_go_map(const Value& v) { return v.is(Kind::Map) && (v.flags() & (kGoMap | kGoStruct)); }
inline bool is_go_list(const Value& v) { return v.is(Kind::List) && (v.flags() & kGoList); }

// `==` of such a list or map with a list or map: a bool, or the error of its parts.
Value equal_go_lists(const Value& a, const Value& b, Arena& arena);
Value equal_go_maps(const Value& a, const Value& b, Arena& arena);

// `element in list`: whether an element is equal; errors count as unequal.
bool go_list_contains(const Value& list, const Value& element, Arena& arena);

// The error of a key that is no string, of an index that is no int.
Value bad_go_key(const Value& key, Arena& arena);
Value bad_go_index(const Value& index, Arena& arena);

}  // namespace portcullis
