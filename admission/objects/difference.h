// Differences: the changes that turn one object into another, field by field.
//
// Idea: maps are compared by key. Lists are aligned, so that an inserted item is one change and does not
// change all items after it: equal items are paired first, then items of the same name, then items at the
// same place. Each difference applies to the object that the differences before it produce, so the list is a
// JSON Patch (RFC 6902). It contains no unchanged value.
// Source of behaviour: RFC 6902; Kubernetes has no such comparison.
// Limits: two lists are compared place by place if the product of their lengths exceeds kMaxAlignment.
// Tested by admission/objects/difference_test.cc, tests/cli/normalize.txt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "interpreter/values/value.h"

namespace portcullis {

struct Difference {
  enum class Operation : uint8_t { Add, Remove, Replace };
  Operation operation = Operation::Replace;
  std::string pointer;  // RFC 6901: "/spec/containers/0/image"; a final "/-" appends to the list
  std::string path;     // as in errors of Kubernetes: "spec.containers[0].image", "metadata.labels[a/b]"
  Value before, after;  // null if absent; they live as long as the compared values
};

// The changes from `before` to `after`, both plain data, in the order in which to apply them. The order of
// keys in a map does not matter. Throws BoundsExceeded (arena.h) if they need more than `most` bytes.
std::vector<Difference> differences(const Value& before, const Value& after, size_t most = ~size_t{0});

// The same as a JSON Patch: [{"op":"add","path":"/spec/replicas","value":1}]. If `old`, each `replace` and
// `remove` holds the previous value as `old`, a member that programs ignore when they apply the patch.
std::string json_patch_text(const std::vector<Difference>& differences, bool old = false);

// Makes the path of a map that of its member `key`: "spec.replicas", "metadata.labels[a/b]".
void append_member(std::string& path, std::string_view key);

// Pairs the items of two lists: pairs of indices, both ascending. An item without a pair was removed or
// added. `kMaxAlignment` bounds the steps of the alignment, and so its time and memory.
inline constexpr size_t kMaxAlignment = 250'000;
std::vector<std::pair<size_t, size_t>> align(const Value& before, const Value& after);

}  // namespace portcullis
