// Surroundings: objects of a cluster that its admission plugins look at, as far as they are known.
//
// Idea: what a plugin does with a new object follows from a few others (a LimitRange, the default
// StorageClass). Where those are given, it is done; where they are not, nothing is, and
// docs/faithfulness.md says so.
// Tested by admission/builtin/plugins_test.cc.
#pragma once

#include <compare>
#include <initializer_list>
#include <map>
#include <ranges>
#include <string_view>
#include <vector>

#include "admission/builtin/object.h"

namespace portcullis::builtin {

class Surroundings {
 public:
  // Takes `object` in, in place of one of the same name, if it is of a kind that a plugin looks at
  // and decodes; `name_space` is that of objects that name none. What is kept lives in `arena`,
  // with views of `object`.
  void add(Arena& arena, const Value& object, std::string_view name_space);

  // Objects as they are decoded and defaulted. Those that have no namespace of their own are listed whole,
  // the others are found by theirs. In the order of their names.
  std::vector<Value> limit_ranges(std::string_view name_space) const;
  // Null if it is not known.
  Value service_account(std::string_view name_space, std::string_view name) const;
  Value priority_class(std::string_view name) const;
  Value runtime_class(std::string_view name) const;
  // The class that pods without one get: of several the one with the lowest value.
  Value default_priority_class() const;
  // Of several the newest, then the first by name.
  Value default_storage_class() const;
  Value default_ingress_class() const;

 private:
  struct Key {
    std::string_view kind, name_space, name;
    auto operator<=>(const Key&) const = default;
  };
  using Objects = std::map<Key, Value>;
  // Those of a kind and namespace, in the order of their names.
  std::ranges::subrange<Objects::const_iterator> all(std::string_view kind,
                                                     std::string_view name_space) const;
  Value find(std::string_view kind, std::string_view name_space, std::string_view name) const;
  Value newest_default(std::string_view kind, std::initializer_list<std::string_view> annotations) const;
  Objects objects_;
};

}  // namespace portcullis::builtin
