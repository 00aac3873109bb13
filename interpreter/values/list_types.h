// Lists and maps with the types of a Kubernetes schema: x-kubernetes-list-type set and map, and objects with
// fields that CEL does not see. Their equality and `+` differ from those of plain CEL lists and maps.
//
// Idea: the flags of a Value (ListFlags, MapFlags) say what it is; equal() and `+` look at the flags of the
// left operand and call the functions here. In front of the first element of a list of type map lies a list
// of the (escaped) names of its keys.
// Source of behaviour: k8s.io/apiserver pkg/cel/common/{valuesunstructured,valuesreflect}.go.
// Tested by interpreter/values/list_types_test.cc and the conformance tables crd_*.
#pragma once

#include "interpreter/values/value.h"

namespace portcullis {

// Room for `count` elements of a list of type map with these keys (escaped names as Strings). Fill it, then
// make the value with Value::list(items, count, kMapList).
Value* alloc_map_list(Arena& arena, const Value& keys, size_t count);

// Room for the entries of a typed map made from `data`, as many as `data` has. Fill them, then call
// make_typed_map(). `data` itself is stored behind them; lists of type map find their keys through it.
MapEntry* alloc_typed_entries(Arena& arena, const Value& data);
// Makes the map. `flags`: kTypedMap, and kTypedObject if the keys are escaped names of fields.
Value make_typed_map(MapEntry* entries, const Value& data, uint8_t flags);

// Whether CEL does not see this entry of a typed map. Upstream's iteration visits it nevertheless.
inline bool is_hidden(const MapEntry& e) { return e.key.is(Kind::Bytes); }
// The key that the iteration shows for a hidden entry: the (escaped) name of a property that is null and
// therefore has no value; for an unknown field Go's nil, here null.
Value hidden_name(const MapEntry& e, Arena& arena);
// A typed map with its unknown fields behind all others, which is the order of upstream's iteration. Not for
// lookups.
Value in_order_of_iteration(const Value& map, Arena& arena);

// Whether this file or go_values.h defines the equality of `v`, a list or map.
bool is_special(const Value& v);
// The result of comparing such a value with one of another kind: `other` if it is an error, else "no such
// overload".
Value not_comparable(const Value& other, Arena& arena);

// Equality as upstream compares parts of typed data: like equal(), but null cannot be compared with such
// values or with opaque ones.
Value equal_method(const Value& a, const Value& b, Arena& arena);
// Equality of plain data (upstream's Semantic.DeepEqual): 1 and 1.0 differ; the order of keys does not
// matter.
bool same_data(const Value& a, const Value& b);

// Equality of two lists if the left one is special.
Value equal_special_lists(const Value& a, const Value& b, Arena& arena);
// Equality of two maps if the left one is special.
Value equal_special_maps(const Value& a, const Value& b, Arena& arena);
// `element in list` for typed data: an error is the result if no element is equal.
Value contains_typed(const Value& list, const Value& element, Arena& arena);
// a + b if `a` is special: a union for sets, a merge by keys for lists of type map (elements keep their
// places in `a`, values of `b` win).
Value add_special_lists(const Value& a, const Value& b, Arena& arena);

}  // namespace portcullis
