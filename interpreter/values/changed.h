// Lists and maps of which some parts become others.
//
// Idea: mostly nothing changes. So a list or map is copied when its first part does, keeps its marks (native.h), and
// shares all parts that stay. Tested by interpreter/values/changed_test.cc, manifests/yaml_test.cc,
// tests/cli/as_sent.txt.
#pragma once

#include <algorithm>

#include "interpreter/values/native.h"

namespace portcullis {

// `list` with `change(item)` for each item.
template <class Change>
Value with_changed_items(Arena& arena, const Value& list, const Change& change) {
  const std::span<const Value> items = list.as_list();
  Value* made = nullptr;
  for (size_t i = 0; i < items.size(); i++) {
    const Value item = change(items[i]);
    if (item.is_identical(items[i])) continue;
    if (made == nullptr) std::copy_n(items.data(), items.size(), made = arena.array<Value>(items.size()));
    made[i] = item;
  }
  return made == nullptr ? list : Value::list(made, items.size(), list.flags());
}

// `map` with the value `change(entry)` for each entry.
template <class Change>
Value with_changed_values(Arena& arena, const Value& map, const Change& change) {
  const std::span<const MapEntry> entries = map.as_map();
  MapEntry* made = nullptr;
  for (size_t i = 0; i < entries.size(); i++) {
    const Value value = change(entries[i]);
    if (value.is_identical(entries[i].value)) continue;
    if (made == nullptr)
      std::copy_n(entries.data(), entries.size(), made = alloc_entries(arena, entries.size()));
    made[i].value = value;
  }
  return made == nullptr ? map : make_map(made, entries.size()).with_more_flags(map.flags() & kNativeMap);
}

// `map`, whose keys are texts, with this member, behind the others if it is new; a map of it alone if `map` is none. A
// map read from JSON stays one (kNativeMap; no_members() is an empty one). The name is not copied.
Value with_member(Arena& arena, const Value& map, std::string_view name, const Value& value);
// `map` without this member; `map` itself if it is none.
Value without_member(Arena& arena, const Value& map, std::string_view name);

}  // namespace portcullis
