// MadeObject: an object with everything that the operations of a patch name and the kind can have.
//
// Idea: an unknown object is taken to have what an operation on it needs, so only what is wrong for every object is
// found. Used by foreseen_patch.cc. Tested by admission/patching/foreseen_test.cc.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "admission/ownership/merge_type.h"
#include "admission/patching/kind.h"
#include "admission/patching/outlined_pointer.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/value.h"

namespace portcullis::patching {

class MadeObject {
 public:
  // A patch with `operations` operations, any of which may remove an item. Values live in the arena.
  MadeObject(Arena& arena, const ownership::MergeType& type, size_t operations)
      : arena_(arena), operations_(operations) {
    root_.type = &type;
  }

  // Adds the first `count` steps of a pointer, which must be possible.
  void add(const OutlinedPointer& pointer, size_t count);

  Value value(const KindSchema& kind) const;
  // The value at a pointer; null if there is none.
  Value value_at(const OutlinedPointer& pointer) const;
  // Whether something below the pointer is named.
  bool has_parts(const OutlinedPointer& pointer) const;

 private:
  struct Part {
    const ownership::MergeType* type = nullptr;
    std::map<std::string, Part> members;
    std::vector<Part> items;
  };
  using Step = OutlinedPointer::Step;

  Part* step(Part& at, const Step& s);
  const Part* find(const OutlinedPointer& pointer) const;
  Value value(const Part& part) const;

  Arena& arena_;
  size_t operations_;
  Part root_;
};

// The known parts of a value; unknown parts are those of `made`.
Value filled(Arena& arena, const Value& known, const Value& made);

}  // namespace portcullis::patching
