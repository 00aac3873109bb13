// Keeper: copies values that stay, so that equal parts of them are there once.
//
// Idea: the policies and bindings of a cluster look alike: the same keys, rules and actions. Where a text, a list or a
// map equals one that was copied before, the copy refers to that one. Parts are copied before the whole, so lists and
// maps are equal if their bytes are.
// Limits: data as JSON and YAML have it, also as Go structs. Maps with an index are copied, not shared. Its table of
// parts takes more memory than they do, so it is dropped after the reading.
// Tested by interpreter/values/keeper_test.cc.
#pragma once

#include <string_view>
#include <unordered_set>
#include <vector>

#include "interpreter/values/value.h"

namespace portcullis {

class Keeper {
 public:
  // Copies live in `arena`, which nobody resets meanwhile.
  explicit Keeper(Arena& arena) : arena_(arena) {}

  // A copy that does not need the memory of `value`.
  Value keep(const Value& value);

 private:
  const char* share(std::string_view bytes);
  Value list(const Value& value);
  Value map(const Value& value);

  Arena& arena_;
  std::unordered_set<std::string_view> parts_;  // the bytes of texts, lists and maps in the arena
  std::vector<Value> open_;                     // copied parts of lists and maps that are not complete
};

}  // namespace portcullis
