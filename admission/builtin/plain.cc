#include "admission/builtin/plain.h"

#include "interpreter/values/changed.h"

namespace portcullis::builtin {
namespace {

constexpr uint8_t kMarks = kGoMap | kGoStruct;

bool holds_more(const Value& v) { return v.is(Kind::Map) || v.is(Kind::List); }

Value plain_list(Arena& arena, const Value& list) {
  std::span<const Value> items = list.as_list();
  // All items of a slice have the same type.
  if (items.empty() || !holds_more(items[0])) return Value::list(items.data(), items.size(), kNativeList);
  Value* made = arena.array<Value>(items.size());
  for (size_t i = 0; i < items.size(); ++i) new (&made[i]) Value(plain_data(arena, items[i]));
  return Value::list(made, items.size(), kNativeList);
}

Value plain_map(Arena& arena, const Value& map) {
  std::span<const MapEntry> entries = map.as_map();
  bool flat = true;
  for (const MapEntry& e : entries) flat = flat && !holds_more(e.value);
  if (flat) return Value::map(entries.data(), entries.size(), (map.flags() & kIndexed) | kNativeMap);
  MapEntry* made = alloc_entries(arena, entries.size());
  for (size_t i = 0; i < entries.size(); ++i)
    new (&made[i]) MapEntry{entries[i].key, plain_data(arena, entries[i].value)};
  return make_native_map(made, entries.size());
}

}  // namespace

Value plain_throughout(Arena& arena, const Value& data) {
  arena.step();
  Value plain = plain_data(arena, data);
  if (!plain.is_identical(data)) return plain;
  const auto inside = [&](const Value& part) { return plain_throughout(arena, part); };
  if (data.is(Kind::List)) return with_changed_items(arena, data, inside);
  if (data.is(Kind::Map))
    return with_changed_values(arena, data, [&](const MapEntry& e) { return inside(e.value); });
  return data;
}

Value plain_data(Arena& arena, const Value& data) {
  if (data.is(Kind::List)) return (data.flags() & kGoList) ? plain_list(arena, data) : data;
  if (data.is(Kind::Map)) return (data.flags() & kMarks) ? plain_map(arena, data) : data;
  return data;
}

}  // namespace portcullis::builtin
