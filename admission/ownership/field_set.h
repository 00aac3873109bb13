// FieldSet: a set of fields of an object, as the entries of metadata.managedFields hold it.
//
// Idea: a tree of path elements in their order; a node says whether the path that ends there is in the set.
// Sets are never changed, only made of others, and live in an arena. The plain data of it is "FieldsV1":
// {"f:spec": {"f:replicas": {}}}.
// Limits: nothing frees a set before its arena. Source of behaviour: structured-merge-diff fieldpath.
// Tested by admission/ownership/field_set_test.cc.
#pragma once

#include <cstdint>
#include <span>

#include "interpreter/values/value.h"

namespace portcullis::ownership {

// An Int or a Double, as a double.
inline double number_of(const Value& v) {
  return v.is(Kind::Double) ? v.as_double() : static_cast<double>(v.as_int());
}

// In the order in which elements are sorted.
enum class ElementKind : uint8_t {
  Field,  // value: the name, a String
  Key,    // of a keyed list's item: a Map with its keys, sorted by name
  Item,   // of a set: the item
  Index,
};

struct PathElement {
  ElementKind kind = ElementKind::Field;
  Value value;
};
// Negative, zero or positive, as upstream orders them.
int compare(const PathElement& a, const PathElement& b);

struct FieldEntry;

struct FieldSet {
  const FieldEntry* entries = nullptr;  // sorted, none without a member below
  uint32_t count = 0;

  bool empty() const { return count == 0; }
  std::span<const FieldEntry> all() const;
};

struct FieldEntry {
  PathElement element;
  FieldSet children;
  bool member = false;  // is the path that ends here in the set?
};

inline std::span<const FieldEntry> FieldSet::all() const { return {entries, count}; }

FieldSet unite(Arena& arena, const FieldSet& a, const FieldSet& b);
// Of any number of sets, in time and memory of their sizes times the logarithm of their number. Changes `sets`.
FieldSet unite_all(Arena& arena, std::span<FieldSet> sets);
// `a` without the paths of `b`; with `below` also without all paths that begin with one.
FieldSet subtract(Arena& arena, const FieldSet& a, const FieldSet& b, bool below = false);
// The set of the path of fields "a.b" alone.
FieldSet path_set(Arena& arena, std::string_view path);

// The plain data of `set`, and the set of plain data: false if it is none that the API server reads.
Value to_fields(Arena& arena, const FieldSet& set);
bool read_fields(Arena& arena, const Value& fields, FieldSet& out);

}  // namespace portcullis::ownership
