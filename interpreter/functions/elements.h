// ElementSet: which elements were seen, by CEL equality. For distinct() and the sets library.
//
// Idea: equality of any two values has no hash (1 == 1.0, lists, opaque values), so in general every element
// is compared with every other. Where all elements are of one simple kind a hash table does the same in
// linear time; that is what keeps large lists from being a way to stall a server.
// Tested by tests/language/lists.cel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interpreter/functions/call.h"

namespace portcullis {

class ElementSet {
 public:
  // A set for the elements of `list`, none of them added yet. Elements of other lists may
  // be asked for as well.
  ElementSet(Arena& arena, List list);

  // Adds an element of the list; false if an equal one is there.
  bool add(const Value& v);
  // Whether an element equal to `v` was added.
  bool contains(const Value& v);

 private:
  const Value** slot(const Value& v);

  Arena& arena_;
  size_t count_ = 0;               // elements in items_
  const Value** table_ = nullptr;  // hash table of elements of one kind, or null
  size_t mask_ = 0;
  Kind kind_ = Kind::Null;
  Value* items_ = nullptr;
};

}  // namespace portcullis
