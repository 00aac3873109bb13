// A record of a structured merge for people: which items of a configuration were merged with which of the
// object, and which lists and maps were replaced. A merge without a trace records nothing and costs nothing.
// Tested by admission/patching/kind_test.cc and tests/cli/mutate_explain.txt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/ownership/field_set.h"

namespace portcullis::patching {

// The number of recorded steps of one merge; further steps are counted.
inline constexpr size_t kMostMergeSteps = 100;

// The outcome of an item of a set or keyed list of the configuration, or of a whole list or map.
struct MergeStep {
  enum class Kind : uint8_t {
    Meets,     // merged with the item at `from` of the object's list; a set has the same item
    New,       // the object has no such item
    Replaces,  // the object has several such items; this one replaces them
    Whole,     // the list or map is atomic and replaces the object's
    Kept,      // it is null or empty, so the object's stays
  };
  Kind kind = Kind::Meets;
  std::string_view path;  // in the arena: spec.containers[name="app"].env[name="A"], finalizers[="a"]
  uint32_t from = 0;      // if Meets: index in the object before
  uint32_t to = 0;        // of an item: index in the object after
};

class MergeTrace {
 public:
  // Steps and their texts live in `arena`.
  explicit MergeTrace(Arena& arena) : arena_(arena), steps_(arena.array<MergeStep>(kMostMergeSteps)) {}

  // The path to the part that is recorded next: enters a field or item, and leaves it.
  void enter(const ownership::PathElement& element);
  void leave();

  void tell(MergeStep::Kind kind, size_t from = 0, size_t to = 0);

  std::span<const MergeStep> steps() const { return {steps_, count_}; }
  size_t untold() const { return untold_; }  // the number of steps that are only counted

 private:
  Arena& arena_;
  MergeStep* steps_;
  size_t count_ = 0, untold_ = 0;
  std::string path_;
  std::vector<size_t> lengths_;  // of the path, at each level above
};

}  // namespace portcullis::patching
