// Members of JSON objects by name. find_key() of value.h finds keys of other kinds.
// Tested through its users: admission/authorization/rbac_test.cc, tests/cli.
#pragma once

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

}  // namespace portcullis
