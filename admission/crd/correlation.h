// Correlation: a value, its value before the update, and the schema of both.
//
// Idea: an update ignores errors of unchanged values (ratcheting), so both values are walked together: fields
// and map entries are matched by name, items of lists of type map by their keys; other lists are compared as
// a whole. Source of behaviour: k8s.io/apiserver pkg/cel/common/{equality,maplist}.go. Tested by
// admission/crd/definition_test.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/crd/schema.h"
#include "interpreter/values/value.h"

namespace portcullis::crd {

// Finds items of an old list by the keys of a list of type map; finds nothing in lists of other types.
class OldItems {
 public:
  // `old_list` may be null or no list.
  OldItems(const Schema& schema, const Value* old_list);
  const Value* find(const Value& item) const;
  // Whether items of this list are found by keys.
  bool keyed() const { return keyed_; }

 private:
  std::optional<std::string> key_of(const Value& item) const;

  bool keyed_ = false;
  std::vector<Value> keys_;
  std::vector<std::pair<std::string, const Value*>> by_key_;  // sorted
};

struct Correlation {
  const Value* value = nullptr;
  const Value* old = nullptr;  // null: no value to compare with
  const Schema* schema = nullptr;
  // Whether this is a resource, or its metadata, which always differ from those before: they have members that no
  // schema describes (uid, resourceVersion), whether or not the values here show them.
  bool resource = false;

  explicit operator bool() const { return old != nullptr; }
  Correlation field(std::string_view name) const;
  Correlation item(size_t i, const OldItems& old_items) const;
  // Whether the value is the same as before.
  bool unchanged() const;
};

}  // namespace portcullis::crd
