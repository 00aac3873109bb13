// Differences: what makes one object of another, field by field.
//
// Idea: maps are compared by key; lists are aligned, so that an item that is put in the middle is one change and
// not a change of all behind it: equal items belong together, then items that have the same name, then what
// stands in one place. Each difference holds on the object as those before it left it, so the list is a
// JSON Patch (RFC 6902) as it stands, and it is small: what did not change is not in it.
// Limits: lists whose lengths multiply to more than kMaxAlignment are compared place by place.
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
  std::string pointer;  // RFC 6901: "/spec/containers/0/image"; "/-" at its end: behind the last item
  std::string path;     // as Kubernetes' errors have it: "spec.containers[0].image", "metadata.labels[a/b]"
  Value before, after;  // null where there is none; they live as long as the values compared
};

// What makes `after` of `before`, plain data both, in the order in which it is to be done. The order of a
// map's keys does not count.
std::vector<Difference> differences(const Value& before, const Value& after);

// The same as a JSON Patch: [{"op":"add","path":"/spec/replicas","value":1}]. With `old`, `replace` and `remove`
// also say what was there, as `old`, which a program that applies patches passes over.
std::string json_patch_text(const std::vector<Difference>& differences, bool old = false);

// Makes the path of a map that of its member `key`: "spec.replicas", "metadata.labels[a/b]".
void append_member(std::string& path, std::string_view key);

// Which items of two lists belong together: pairs of indices, both ascending; what is in no pair was removed or
// added. `kMaxAlignment` bounds the time and memory: steps of the alignment.
inline constexpr size_t kMaxAlignment = 250'000;
std::vector<std::pair<size_t, size_t>> align(const Value& before, const Value& after);

}  // namespace portcullis
