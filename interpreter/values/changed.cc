// See changed.h.
#include "interpreter/values/changed.h"

namespace portcullis {

Value with_member(Arena& arena, const Value& map, std::string_view name, const Value& value) {
  const size_t held = map.is(Kind::Map) ? map.size() : 0;
  MapEntry* entries = alloc_entries(arena, held + 1);
  for (size_t i = 0; i < held; ++i) entries[i] = map.as_map()[i];
  entries[held] = {Value::string(name), value};  // a later entry with the same key wins
  return make_map(entries, held + 1).with_more_flags(map.flags() & kNativeMap);
}

Value without_member(Arena& arena, const Value& map, std::string_view name) {
  if (!map.is(Kind::Map)) return map;
  MapEntry* entries = alloc_entries(arena, map.size());
  size_t n = 0;
  for (const MapEntry& e : map.as_map()) {
    if (e.key.as_text() != name) entries[n++] = e;
  }
  return make_map(entries, n).with_more_flags(map.flags() & kNativeMap);
}

}  // namespace portcullis
