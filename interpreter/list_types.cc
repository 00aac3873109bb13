#include "interpreter/list_types.h"

#include <string>

#include "interpreter/equal.h"
#include "interpreter/map.h"

namespace portcullis {
namespace {

constexpr std::string_view kNotScalar = "listSet operations are only supported on lists of scalar values";

bool is_container(const Value& v) { return v.is(Kind::List) || v.is(Kind::Map); }

const Value& keys_of(const Value& list) { return list.as_list().data()[-1]; }

// The key of an element as one value. `raw`: as upstream reads it for `==` on data that comes from a request: by the
// escaped name in the unescaped data, so that keys that need escaping are never found.
Value element_key(const Value& element, const Value& keys, bool raw, Arena& arena) {
  auto get = [&](const Value& name) {
    bool escaped = name.as_text().find("__") != std::string_view::npos;
    const Value* found = element.is(Kind::Map) && !(raw && escaped) ? find_key(element, name) : nullptr;
    return found == nullptr || found->is_error() ? Value::null() : *found;
  };
  if (keys.size() == 1) return get(keys.as_list()[0]);
  std::string text;
  for (const Value& name : keys.as_list()) {
    Value v = get(name);
    text += static_cast<char>(v.kind());
    if (v.is(Kind::String) || v.is(Kind::Bytes)) {
      text += std::to_string(v.size()) + ":";
      text += v.as_text();
    } else {
      text += std::to_string(v.raw_payload()) + ";";
    }
  }
  return Value::string(arena.copy(text));
}

// Keys of the elements of a list, each with the element: later elements of the same key win.
Value by_key(const Value& list, const Value& keys, bool raw, Arena& arena) {
  MapEntry* entries = alloc_entries(arena, list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    const Value& e = list.as_list()[i];
    entries[i] = {element_key(e, keys, raw, arena), e};
  }
  return make_computed_map(arena, entries, list.size());
}

Value equal_map_lists(const Value& a, const Value& b, Arena& arena) {
  if (a.size() != b.size()) return Value::boolean(false);
  const Value& keys = keys_of(a);
  bool raw = !(a.flags() & kConcatList);
  Value mine = by_key(a, keys, raw, arena), theirs = by_key(b, keys, raw, arena);
  for (const Value& e : b.as_list()) {
    const Value* match = find_same_key(mine, element_key(e, keys, raw, arena));
    if (match == nullptr) return Value::boolean(false);
    if (Value same = equal(*match, e, arena); !same.is_true()) return same;
  }
  return Value::boolean(theirs.size() == mine.size());
}

// The distinct scalars of a list, or an error.
Value set_of(const Value& list, Arena& arena) {
  MapEntry* entries = alloc_entries(arena, list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    const Value& e = list.as_list()[i];
    if (is_container(e)) return make_error(arena, kNotScalar);
    entries[i] = {e, Value::null()};
  }
  return make_computed_map(arena, entries, list.size());
}

Value equal_sets(const Value& a, const Value& b, Arena& arena) {
  if (a.size() != b.size()) return Value::boolean(false);
  Value mine = set_of(a, arena);
  if (mine.is_error()) return mine;
  for (const Value& e : b.as_list()) {
    if (is_container(e)) return make_error(arena, kNotScalar);
    if (find_same_key(mine, e) == nullptr) return Value::boolean(false);
  }
  return Value::boolean(set_of(b, arena).size() == mine.size());
}

Value equal_in_order(const Value& a, const Value& b, Arena& arena) {
  if (a.size() != b.size()) return Value::boolean(false);
  for (size_t i = 0; i < a.size(); ++i) {
    if (Value same = equal(a.as_list()[i], b.as_list()[i], arena); !same.is_true()) return same;
  }
  return Value::boolean(true);
}

Value join(const Value& a, const Value& b, Arena& arena) {
  Value* items = arena.array<Value>(size_t{a.size()} + b.size());
  size_t n = 0;
  for (const Value& e : a.as_list()) items[n++] = e;
  for (const Value& e : b.as_list()) items[n++] = e;
  return Value::list(items, n);
}

Value unite(const Value& a, const Value& b, Arena& arena) {
  Value all = join(a, b, arena);
  Value mine = set_of(a, arena);
  if (mine.is_error()) return mine;
  Value both = set_of(all, arena);
  if (both.is_error()) return both;
  Value* items = arena.array<Value>(size_t{a.size()} + both.size());
  size_t n = 0;
  for (const Value& e : a.as_list()) items[n++] = e;
  // `both` holds a's distinct elements, then b's further ones in order.
  for (const MapEntry& e : both.as_map().subspan(mine.size())) items[n++] = e.key;
  return Value::list(items, n, kSetList);
}

Value merge(const Value& a, const Value& b, Arena& arena) {
  const Value& keys = keys_of(a);
  MapEntry* places = alloc_entries(arena, size_t{a.size()} + b.size());
  size_t n = 0;
  for (const Value& e : a.as_list()) {
    places[n] = {element_key(e, keys, false, arena), Value::integer(static_cast<int64_t>(n))};
    ++n;
  }
  size_t first = n;
  for (const Value& e : b.as_list()) places[n++] = {element_key(e, keys, false, arena), Value::integer(-1)};
  // Where each key of `a` stands (its last occurrence), and how many keys only `b` has.
  MapEntry* known = alloc_entries(arena, first);
  for (size_t i = 0; i < first; ++i) known[i] = places[i];
  Value mine = make_computed_map(arena, known, first);
  Value* items = alloc_map_list(arena, keys, n);
  size_t count = 0;
  for (const Value& e : a.as_list()) items[count++] = e;
  // New keys of `b`: their place is given at the first occurrence, later ones overwrite it.
  MapEntry* added = alloc_entries(arena, b.size());
  size_t fresh = 0;
  for (size_t i = 0; i < b.size(); ++i) {
    if (find_same_key(mine, places[first + i].key) == nullptr) added[fresh++] = {places[first + i].key, Value::null()};
  }
  Value more = make_computed_map(arena, added, fresh);
  size_t at = count;
  for (const MapEntry& e : more.as_map()) const_cast<MapEntry&>(e).value = Value::integer(static_cast<int64_t>(at++));
  for (size_t i = 0; i < b.size(); ++i) {
    const Value* place = find_same_key(mine, places[first + i].key);
    if (place == nullptr) place = find_same_key(more, places[first + i].key);
    items[place->as_int()] = b.as_list()[i];
  }
  return Value::list(items, count + more.size(), kMapList | kConcatList);
}

}  // namespace

Value* alloc_map_list(Arena& arena, const Value& keys, size_t count) {
  Value* memory = arena.array<Value>(count + 1);
  new (memory) Value(keys);
  return memory + 1;
}

Value equal_typed_lists(const Value& a, const Value& b, Arena& arena) {
  if (a.flags() & kSetList) return equal_sets(a, b, arena);
  if (a.flags() & kMapList) return equal_map_lists(a, b, arena);
  return equal_in_order(a, b, arena);
}

// Entries with a null key are what CEL does not see: they count for the size, and differ only where both sides have them.
Value equal_typed_maps(const Value& a, const Value& b, Arena& arena) {
  if (a.size() != b.size()) return Value::boolean(false);
  for (const MapEntry& e : a.as_map()) {
    if (e.key.is_null()) continue;
    const Value* other = find_any_key(b, e.key);
    if (other == nullptr) return Value::boolean(false);
    if (Value same = equal(e.value, *other, arena); !same.is_true()) return same;
  }
  for (const MapEntry& e : b.as_map()) {
    if (!e.key.is_null() && find_any_key(a, e.key) == nullptr) return Value::boolean(false);
  }
  return Value::boolean(true);
}

Value add_typed_lists(const Value& a, const Value& b, Arena& arena) {
  if (a.flags() & kSetList) return unite(a, b, arena);
  if (a.flags() & kMapList) return merge(a, b, arena);
  return join(a, b, arena);
}

}  // namespace portcullis
