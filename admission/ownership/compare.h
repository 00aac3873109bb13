// Two states of an object -> the fields that were added, changed and removed.
//
// Source of behaviour: structured-merge-diff typed (compare, validate), of which quirks are kept: a list or
// map that is empty on both sides is a leaf; items that occur more than once count as one leaf. Tested by
// admission/ownership/compare_test.cc.
#pragma once

#include "admission/ownership/field_set.h"
#include "admission/ownership/merge_type.h"

namespace portcullis::ownership {

struct Comparison {
  FieldSet added, modified, removed;
};

// The path element of an item of a list that is not atomic; false if it can have none.
bool element_of(Arena& arena, const MergeType& list, const Value& item, PathElement& out);
// The type of the entry `name` of a map; null: there is no such field.
const MergeType* entry_type(const MergeType& map, const Value& name);
// Is `value` one of this type? Only such are compared: keys of items must be there, items of sets scalars.
bool conforms(Arena& arena, const Value& value, const MergeType& type);
// Both must conform.
Comparison compare_objects(Arena& arena, const Value& before, const Value& after, const MergeType& type);
// `set`, which may have been made by an older schema, as this one has it: what is atomic now is one leaf.
FieldSet reconcile(Arena& arena, const FieldSet& set, const MergeType& type);

}  // namespace portcullis::ownership
