// FieldSet: a set of fields of an object, as an entry of metadata.managedFields holds it.
//
// Idea: a tree of sorted path elements. A node says whether the path to it is a member of the set. Sets are
// immutable and live in an arena. Their serialized form is "FieldsV1": {"f:spec": {"f:replicas": {}}}.
// Limits: the memory of a set is freed with its arena. Source of behaviour: structured-merge-diff fieldpath.
// Tested by admission/ownership/field_set_test.cc.
#pragma once

#include <cstdint>
#include <span>

#include "interpreter/values/value.h"

namespace portcullis::ownership {

// The value of an Int or Double as a double.
inline double number_of(const Value& v) {
  return v.is(Kind::Double) ? v.as_double() : static_cast<double>(v.as_int());
}

// Whether the value is what the schema of a scalar allows.
inline bool is_scalar(const Value& v) {
  return v.is(Kind::String) || v.is(Kind::Bool) || v.is(Kind::Int) || v.is(Kind::Double);
}

// In the order in which elements sort.
enum class ElementKind : uint8_t {
  Field,  // value: the name, a String
  Key,    // an item of a keyed list; value: a Map of its keys, sorted by name
  Item,   // an item of a set; value: the item
  Index,
};

struct PathElement {
  ElementKind kind = ElementKind::Field;
  Value value;
};
// Negative, zero or positive, in the order of upstream.
int compare(const PathElement& a, const PathElement& b);

struct FieldEntry;

struct FieldSet {
  const FieldEntry* entries = nullptr;  // sorted; each is a member or has a member below
  uint32_t count = 0;

  bool empty() const { return count == 0; }
  std::span<const FieldEntry> all() const;
};

struct FieldEntry {
  PathElement element;
  FieldSet children;
  bool member = false;  // whether the set holds the path that ends here
};

inline std::span<const FieldEntry> FieldSet::all() const { return {entries, count}; }

FieldSet unite(Arena& arena, const FieldSet& a, const FieldSet& b);
// The union of any number of sets, in time and memory O(n log k) for k sets of total size n. Overwrites
// `sets`.
FieldSet unite_all(Arena& arena, std::span<FieldSet> sets);
// `a` without the paths of `b`; if `below`, also without all paths below those.
FieldSet subtract(Arena& arena, const FieldSet& a, const FieldSet& b, bool below = false);
// The set that holds only the path of fields "a.b".
FieldSet path_set(Arena& arena, std::string_view path);

// Converts `set` to FieldsV1, and FieldsV1 to a set; read_fields returns false for data that the API server
// does not accept.
Value to_fields(Arena& arena, const FieldSet& set);
bool read_fields(Arena& arena, const Value& fields, FieldSet& out);

}  // namespace portcullis::ownership
