// Values made of outlines: what an expression gives as far as that is known.
// Tested by admission/patching/foreseen_test.cc.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "admission/ownership/merge_type.h"
#include "admission/patching/outline.h"

namespace portcullis::patching {

class OutlinedValues {
 public:
  // `unknown` stands for what is not known, but for items of lists, which are left out.
  OutlinedValues(Arena& arena, const Selection& selection, Value unknown)
      : arena_(arena), selection_(selection), unknown_(unknown) {}

  // What stands for an outline in place of its own value; nothing: it counts as unknown.
  std::map<const Outline*, std::optional<Value>> instead;

  Value of(const Outline& outline);

  // Where a way into the value leads.
  struct Spot {
    const Outline* outline;                   // the last that the way leads to
    const Outline::Member* member = nullptr;  // whose value it is; null: an item, or the whole
    size_t steps = 0;                         // of the way that were gone
    bool guarded = false;
  };
  Spot at(const Outline& outline, std::span<const Value> way) const;

  // A settled part of an outline, with the way to it in the value.
  struct Part {
    const Outline* outline;
    std::vector<Value> way;
    bool guarded;
  };
  // All parts that hold no others: constants and what is not known.
  std::vector<Part> leaves(const Outline& outline) const;

  const Outline& settled(const Outline& o, bool* guarded = nullptr) const {
    return patching::settled(o, selection_, guarded);
  }

 private:
  bool is_unknown(const Outline& o) const;
  std::vector<OutlinedItem> kept(const Outline& list) const;
  const Outline* held(const Outline::Member& member, bool* guarded) const;
  void add_leaves(const Outline& o, std::vector<Value>& way, bool guarded, std::vector<Part>& out) const;

  Arena& arena_;
  const Selection& selection_;
  Value unknown_;
};

// The path that may be meant by a field that `type`, the schema of the whole object, does not have at `way` (names and
// indices); empty if nobody knows. `separator`: "." (without indices) or "/", which then also stands in front.
std::string meant_field(const ownership::MergeType& type, std::span<const Value> way, char separator);

// Values of a static type that stand for all: what refuses each of them refuses all. Empty: there are none.
std::vector<Value> exemplars(Arena& arena, const Type* type);

}  // namespace portcullis::patching
