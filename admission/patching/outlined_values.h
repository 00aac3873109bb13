// Makes values from outlines: the known part of an expression's value. Tested by
// admission/patching/foreseen_test.cc.
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
  // `unknown` replaces unknown parts, except items of lists, which are omitted, and parts of `Object{...}`, for which
  // an empty optional stands: it becomes the nil that fits each field, where null is a value without JSON.
  OutlinedValues(Arena& arena, const Selection& selection, Value unknown)
      : arena_(arena), selection_(selection), unknown_(unknown) {}

  // Replaces the values of these outlines; nothing: the outline counts as unknown.
  std::map<const Outline*, std::optional<Value>> instead;

  Value of(const Outline& outline);

  // The end of a path into the value.
  struct Spot {
    const Outline* outline;                   // the last outline on the path
    const Outline::Member* member = nullptr;  // the member with that value; null: an item, or the whole
    size_t steps = 0;                         // the number of steps that exist
    bool guarded = false;
  };
  Spot at(const Outline& outline, std::span<const Value> way) const;

  // A settled part of an outline, with its path in the value.
  struct Part {
    const Outline* outline;
    std::vector<Value> way;
    bool guarded;
  };
  // All parts without parts of their own: constants and unknown parts.
  std::vector<Part> leaves(const Outline& outline) const;

  const Outline& settled(const Outline& o, bool* guarded = nullptr) const {
    return patching::settled(o, selection_, guarded);
  }
  // The value of a field; null: the field is omitted. After '?', it is the content of an optional.
  const Outline* held(const Outline::Member& member, bool* guarded) const;

 private:
  bool is_unknown(const Outline& o) const;
  std::vector<OutlinedItem> kept(const Outline& list) const;
  void add_leaves(const Outline& o, std::vector<Value>& way, bool guarded, std::vector<Part>& out) const;

  Arena& arena_;
  const Selection& selection_;
  Value unknown_;
};

// A suggestion for a field that `type`, the schema of the whole object, does not have at `way` (names and
// indices): its path, or empty if there is none. `separator`: "." (without indices) or "/", which then also
// comes first.
std::string meant_field(const ownership::MergeType& type, std::span<const Value> way, char separator);

// Values of a static type that represent all its values: if each of them is refused, all are. Empty: there
// are none.
std::vector<Value> exemplars(Arena& arena, const Type* type);

}  // namespace portcullis::patching
