// Lists and maps that are typed by a Kubernetes schema: x-kubernetes-list-type set and map, objects with
// fields that CEL does not see. Their equality and `+` differ from those of plain CEL lists and maps.
//
// Idea: a Value says by its flags what it is (ListFlags, MapFlags); equal() and `+` look at the left
// operand's flags and come here. A list of type map has, in front of its first element, a list of its keys'
// (escaped) names. Source of behaviour: k8s.io/apiserver
// pkg/cel/common/{valuesunstructured,valuesreflect}.go.
// Tested by interpreter/list_types_test.cc and the conformance tables crd_*.
#pragma once

#include "interpreter/value.h"

namespace portcullis {

// Room for `count` elements of a list of type map with these keys (escaped names as Strings); fill it, then
// make the value with Value::list(items, count, kMapList).
Value* alloc_map_list(Arena& arena, const Value& keys, size_t count);

// Is `v` a list or map that is compared as this file or go_values.h says?
bool is_special(const Value& v);
// The result of comparing such a value with one of another kind: that error, or "no such overload".
Value not_comparable(const Value& other, Arena& arena);

// Equality as upstream asks it of parts of typed data: as equal(), but null is not comparable with such
// values and with opaque ones.
Value equal_method(const Value& a, const Value& b, Arena& arena);
// Equality of plain data (upstream's Semantic.DeepEqual): 1 and 1.0 differ, order of keys does not matter.
bool same_data(const Value& a, const Value& b);

// Equality where the left operand is such a list; both are lists.
Value equal_special_lists(const Value& a, const Value& b, Arena& arena);
// Equality where the left operand is such a map; both are maps.
Value equal_special_maps(const Value& a, const Value& b, Arena& arena);
// `element in list` where the list is typed data: errors count if nothing is equal.
Value contains_typed(const Value& list, const Value& element, Arena& arena);
// a + b where `a` is such a list: a union for sets, a merge by keys for maps (a's places are
// kept, b's values win).
Value add_special_lists(const Value& a, const Value& b, Arena& arena);

}  // namespace portcullis
