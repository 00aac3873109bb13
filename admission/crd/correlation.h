// Correlation: a value, the value it had before the update, and what schema both are of.
//
// Idea: errors about what did not change do not count in an update (ratcheting), so both are walked together:
// fields and map entries by name, elements of lists of type map by their keys; other lists are compared
// whole. Source of behaviour: k8s.io/apiserver pkg/cel/common/{equality,maplist}.go. Tested by
// admission/crd/object_test.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/crd/schema.h"
#include "interpreter/values/value.h"

namespace portcullis::crd {

// Finds elements of an old list by the keys of a list of type map; nothing in lists of other types.
class OldItems {
 public:
  // `old_list` may be null or no list.
  OldItems(const Schema& schema, const Value* old_list);
  const Value* find(const Value& item) const;
  // Is the list one whose elements are found by keys?
  bool keyed() const { return keyed_; }

 private:
  std::optional<std::string> key_of(const Value& item) const;

  bool keyed_ = false;
  std::vector<Value> keys_;
  std::vector<std::pair<std::string, const Value*>> by_key_;  // sorted
};

struct Correlation {
  const Value* value = nullptr;
  const Value* old = nullptr;  // null: nothing to compare with
  const Schema* schema = nullptr;

  explicit operator bool() const { return old != nullptr; }
  Correlation field(std::string_view name) const;
  Correlation item(size_t i, const OldItems& old_items) const;
  // Are both the same?
  bool unchanged() const;
};

}  // namespace portcullis::crd
