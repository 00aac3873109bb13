// Compares two states of an object: which fields were added, modified and removed.
//
// Idea: both states are walked together, along their MergeType. Source of behaviour: structured-merge-diff
// typed (compare, validate), with two of its quirks: a list or map that is empty on both sides is a leaf, and
// items whose path element occurs more than once are one leaf. Tested by admission/ownership/compare_test.cc.
#pragma once

#include "admission/ownership/field_set.h"
#include "admission/ownership/merge_type.h"

namespace portcullis::ownership {

struct Comparison {
  FieldSet added, modified, removed;
};

// Finds the path element of an item of a list that is not atomic; false if the item can have none.
bool element_of(Arena& arena, const MergeType& list, const Value& item, PathElement& out);
// The type of the entry `name` of a map; null if the schema has no such field. `near`: see MergeFields.
const MergeType* entry_type(const MergeType& map, const Value& name, int& near);
inline const MergeType* entry_type(const MergeType& map, const Value& name) {
  int near = 0;
  return entry_type(map, name, near);
}
// Where a value comes from: a decoded object of a built-in kind has the Go types of its kind.
enum class Source : uint8_t { Anywhere, Decoded };
// Whether `value` has this type: keys of items must be present, items of sets must be scalars. Only
// conforming values can be compared.
bool conforms(const Value& value, const MergeType& type, Source source);
// Compares two values that conform to `type`.
Comparison compare_objects(Arena& arena, const Value& before, const Value& after, const MergeType& type);
// Adapts `set`, which an older schema may have produced, to `type`: a list or map that is atomic now becomes
// one leaf.
FieldSet reconcile(Arena& arena, const FieldSet& set, const MergeType& type);

}  // namespace portcullis::ownership
