// Surroundings: the objects of a cluster that admission plugins read, as far as they are given.
//
// Idea: the effect of a plugin on a new object follows from a few other objects (a LimitRange, the default
// StorageClass). If they are given, the plugin acts; else it does nothing, as docs/faithfulness.md explains.
// Source of behaviour: kubernetes plugin/pkg/admission. Tested by admission/builtin/plugins_test.cc.
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
  // Whether a plugin reads the kind of `object`.
  static bool reads(const Value& object);
  // Adds `object`, if a plugin reads its kind and it decodes; it replaces an object of the same name. Objects
  // without a namespace belong to `name_space`. Copies live in `arena` and refer to `object`.
  void add(Arena& arena, const Value& object, std::string_view name_space);

  // Decoded and defaulted objects, sorted by name.
  std::vector<Value> limit_ranges(std::string_view name_space) const;
  // Null if the object is unknown.
  Value service_account(std::string_view name_space, std::string_view name) const;
  Value priority_class(std::string_view name) const;
  Value runtime_class(std::string_view name) const;
  // The default class; if there are several, the one with the lowest value.
  Value default_priority_class() const;
  // The default class; if there are several, the newest, then the first by name.
  Value default_storage_class() const;
  Value default_ingress_class() const;

 private:
  struct Key {
    std::string_view kind, name_space, name;
    auto operator<=>(const Key&) const = default;
  };
  using Objects = std::map<Key, Value>;
  // The objects of a kind and namespace, sorted by name.
  std::ranges::subrange<Objects::const_iterator> all(std::string_view kind,
                                                     std::string_view name_space) const;
  Value find(std::string_view kind, std::string_view name_space, std::string_view name) const;
  Value newest_default(std::string_view kind, std::initializer_list<std::string_view> annotations) const;
  Objects objects_;
};

}  // namespace portcullis::builtin
