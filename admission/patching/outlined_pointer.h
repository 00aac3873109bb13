// What is known of the path of an operation, and whether objects of a kind can have such a path.
// Tested by admission/patching/foreseen_test.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/ownership/merge_type.h"
#include "admission/patching/outline.h"

namespace portcullis::patching {

// Largest index in a path that is looked at.
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
  const Outline* whole = nullptr;  // null: it is not given
  bool to_end = true;              // false: there is more behind the steps, of which nothing is known
  bool slash = true;  // it begins with a slash; false: what stands before the first does not count
  std::string raw;    // where all is constant: the text
  std::vector<Step> steps;
  bool guarded = false;

  // The same in the form that a message shows, with what stands for parts that are not known.
  std::string text() const;
};

// The pointer that an outline of a text is.
OutlinedPointer pointer_of(const Outline& outline, const Selection& selection);

// The index that a name in a path is for a list, as the operations read it; nothing if it is none.
std::optional<int64_t> index_in_path(std::string_view name);

// How a pointer fits the schema of a kind.
struct PointerFit {
  enum class Sort : uint8_t {
    Possible,
    Impossible,  // no object has the step `at`
    Unknown,     // nobody knows what is at or behind the step `at`
  };
  Sort sort = Sort::Possible;
  size_t at = 0;
};
// `grows`: the operation may put something behind the end of a list ("-").
PointerFit fit(const OutlinedPointer& pointer, const ownership::MergeType& type, bool grows);

}  // namespace portcullis::patching
