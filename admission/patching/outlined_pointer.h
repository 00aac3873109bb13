// What is known about the path of an operation, and whether objects of a kind can have that path. Tested by
// admission/patching/foreseen_test.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/ownership/merge_type.h"
#include "admission/patching/outline.h"

namespace portcullis::patching {

// The largest index in a path that is followed.
inline constexpr int64_t kMostOutlinedIndex = 200;

struct OutlinedPointer {
  // A name between two slashes.
  struct Step {
    enum class Sort : uint8_t {
      Name,   // `name`
      Any,    // some name, escaped: jsonpatch.escapeKey(x)
      Index,  // some index: string(i)
    };
    Sort sort = Sort::Name;
    std::string name;  // without escapes
    ExpressionPoint place;
  };
  const Outline* whole = nullptr;  // null: absent
  bool to_end = true;              // false: more steps follow, which are unknown
  bool slash = true;               // it begins with a slash; if not, the text before the first does not count
  std::string raw;                 // the text, if all of it is constant
  std::vector<Step> steps;
  bool guarded = false;

  // The pointer as a message shows it, with placeholders for unknown parts.
  std::string text() const;
};

// The pointer in the outline of a text.
OutlinedPointer pointer_of(const Outline& outline, const Selection& selection);

// The list index that a name in a path means to operations; nothing if it is none.
std::optional<int64_t> index_in_path(std::string_view name);

// Whether a pointer fits the schema of a kind.
struct PointerFit {
  enum class Sort : uint8_t {
    Possible,
    Impossible,  // no object has the step `at`
    Unknown,     // the schema does not say what is at or after step `at`
  };
  Sort sort = Sort::Possible;
  size_t at = 0;
};
// `grows`: the operation may append to a list ("-").
PointerFit fit(const OutlinedPointer& pointer, const ownership::MergeType& type, bool grows);

}  // namespace portcullis::patching
