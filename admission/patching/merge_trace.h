// What a structured merge did with the parts of a configuration, for people: which items met which, and what gave way
// as a whole. Without a trace a merge tells nothing and pays nothing.
// Tested by admission/patching/kind_test.cc and tests/cli/mutate.txt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/ownership/field_set.h"

namespace portcullis::patching {

// As many steps of one merge are told; the others are counted.
inline constexpr size_t kMostMergeSteps = 100;

// What became of an item of a set or keyed list of the configuration, or of a whole list or map of it.
struct MergeStep {
  enum class Kind : uint8_t {
    Meets,  // the item is merged with the one at `from` of the object's list; the same item, if it is a set
    New,    // the object has no such item
    Replaces,  // the object has several such items, which give way to this one
    Whole,     // the list or map is atomic and takes the place of the object's
    Kept,      // it is null or empty, so that the object's stays
  };
  Kind kind = Kind::Meets;
  std::string_view path;  // in the arena: spec.containers[name="app"].env[name="A"], finalizers[="a"]
  uint32_t from = 0;      // of Meets: index in the object before
  uint32_t to = 0;        // of items: index in the object after
};

class MergeTrace {
 public:
  // Steps and their texts are kept in `arena`.
  explicit MergeTrace(Arena& arena) : arena_(arena), steps_(arena.array<MergeStep>(kMostMergeSteps)) {}

  // The way from the root to what is told about: down to a field or item, and back up.
  void enter(const ownership::PathElement& element);
  void leave();

  void tell(MergeStep::Kind kind, size_t from = 0, size_t to = 0);

  std::span<const MergeStep> steps() const { return {steps_, count_}; }
  size_t untold() const { return untold_; }  // how many are counted only

 private:
  Arena& arena_;
  MergeStep* steps_;
  size_t count_ = 0, untold_ = 0;
  std::string path_;
  std::vector<size_t> lengths_;  // of the path at each level above
};

}  // namespace portcullis::patching
