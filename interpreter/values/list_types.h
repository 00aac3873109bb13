// Lists and maps that are typed by a Kubernetes schema: x-kubernetes-list-type set and map, objects with
// fields that CEL does not see. Their equality and `+` differ from those of plain CEL lists and maps.
//
// Idea: a Value says by its flags what it is (ListFlags, MapFlags); equal() and `+` look at the left
// operand's flags and come here. A list of type map has, in front of its first element, a list of its keys'
// (escaped) names. Source of behaviour: k8s.io/apiserver
// pkg/cel/common/{valuesunstructured,valuesreflect}.go.
// Tested by interpreter/values/list_types_test.cc and the conformance tables crd_*.
#pragma once

#include "interpreter/values/value.h"

namespace portcullis {

// Room for `count` elements of a list of type map with these keys (escaped names as Strings); fill it, then
// make the value with Value::list(items, count, kMapList).
Value* alloc_map_list(Arena& arena, const Value& keys, size_t count);

// Room for the entries of a typed map made of `data`, one for each of that one's: fill them, then make the
// value with make_typed_map(). Behind them stands `data` itself, by which lists of type map find keys.
MapEntry* alloc_typed_entries(Arena& arena, const Value& data);
// `flags`: kTypedMap, with kTypedObject where fields go by their escaped names.
Value make_typed_map(Arena& arena, MapEntry* entries, const Value& data, uint8_t flags);

// Of a map of typed data: does CEL not see this entry? Upstream goes over them all the same.
inline bool is_hidden(const MapEntry& e) { return e.key.is(Kind::Bytes); }
// What it goes over instead: the (escaped) name of a property that is null, for which no value is found; for
// an unknown field Go's nil, here null.
Value hidden_name(const MapEntry& e, Arena& arena);
// A map of typed data with its unknown fields behind all others, as upstream goes over them.
// Not for finding keys.
Value in_order_of_iteration(const Value& map, Arena& arena);

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
