// ElementSet: a set of values by CEL equality, for distinct() and the sets library.
//
// Idea: CEL equality in general has no hash (1 == 1.0, lists, opaque values), so each element is compared
// with each other. If all elements have one simple kind, a hash table does the same in linear time; without
// it, large lists could stall a server.
// Tested by tests/language/lists.cel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interpreter/functions/call.h"

namespace portcullis {

class ElementSet {
 public:
  // An empty set for elements of `list`. contains() may be asked for elements of other lists.
  ElementSet(Arena& arena, List list);

  // Adds an element of the list. False if the set contains an equal one.
  bool add(const Value& v);
  // Whether the set contains an element equal to `v`.
  bool contains(const Value& v);

 private:
  const Value** slot(const Value& v);

  Arena& arena_;
  size_t count_ = 0;               // elements in items_
  const Value** table_ = nullptr;  // a hash table if all elements are of one kind, else null
  size_t mask_ = 0;
  Kind kind_ = Kind::Null;
  Value* items_ = nullptr;
};

}  // namespace portcullis
