// Members of JSON objects by name. find_key() of value.h finds keys of other kinds.
// Tested through its users: admission/authorization/rbac_test.cc, tests/cli.
#pragma once

#include <span>
#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis {

// The member of a map, or null; null if `map` is no map.
inline const Value* find_member(const Value& map, std::string_view name) {
  return map.is(Kind::Map) ? find_key(map, Value::string(name)) : nullptr;
}
// The same; null also if the member has another kind.
inline const Value* find_member(const Value& map, std::string_view name, Kind kind) {
  const Value* found = find_member(map, name);
  return found != nullptr && found->is(kind) ? found : nullptr;
}
// The text of a string member; empty if the member is absent or no string. Lives as long as the map.
inline std::string_view text_member(const Value& map, std::string_view name) {
  const Value* found = find_member(map, name, Kind::String);
  return found == nullptr ? std::string_view() : found->as_text();
}

// The items of a list; none if `v` is no list.
inline std::span<const Value> list_items(const Value& v) {
  return v.is(Kind::List) ? v.as_list() : std::span<const Value>();
}
// The items of a list member; none if the member is absent or no list.
inline std::span<const Value> list_member(const Value& map, std::string_view name) {
  const Value* found = find_member(map, name, Kind::List);
  return found == nullptr ? std::span<const Value>() : found->as_list();
}

}  // namespace portcullis
