#include "interpreter/values/list_types.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "grammar/escape.h"
#include "interpreter/values/equal.h"
#include "interpreter/values/go_values.h"
#include "interpreter/values/map.h"

namespace portcullis {
namespace {

constexpr std::string_view kNotScalar = "listSet operations are only supported on lists of scalar values";

bool is_container(const Value& v) { return v.is(Kind::List) || v.is(Kind::Map); }

const Value& keys_of(const Value& list) { return list.as_list().data()[-1]; }

// The data that a typed map was made from.
const Value& data_of(const Value& map) { return map.as_map().data()[map.size()].value; }

// The keys of an element, combined into one value. `raw`: as upstream reads them for `==` on data from a
// request, namely by escaped name in the unescaped data. Keys whose names need escaping are then never found;
// "60m" and "1h" are different keys although they are one duration; other elements get an error as key, which
// matches nothing.
Value element_key(const Value& element, const Value& keys, bool raw, Arena& arena) {
  if (raw && !(element.is(Kind::Map) && (element.flags() & kTypedMap)))
    return make_error(arena, "unexpected data format");
  auto get = [&](const Value& name) {
    const Value* found = !element.is(Kind::Map) ? nullptr
                         : raw                  ? find_key(data_of(element), name)
                                                : find_any_key(element, name);
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

// A map from the key of each element to the element. Of equal keys the last element wins.
Value by_key(const Value& list, const Value& keys, bool raw, Arena& arena) {
  MapEntry* entries = alloc_entries(arena, list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    const Value& e = list.as_list()[i];
    entries[i] = {element_key(e, keys, raw, arena), e};
  }
  return make_computed_map(entries, list.size());
}

Value equal_map_lists(const Value& a, const Value& b, Arena& arena) {
  if (a.size() != b.size()) return Value::boolean(false);
  const Value& keys = keys_of(a);
  bool raw = a.flags() & kTypedList;
  Value mine = by_key(a, keys, raw, arena);
  for (const Value& e : b.as_list()) {
    const Value* match = find_same_key(mine, element_key(e, keys, raw, arena));
    if (match == nullptr) return Value::boolean(false);
    if (Value same = equal_method(*match, e, arena); !same.is_true()) return same;
  }
  return Value::boolean(by_key(b, keys, raw, arena).size() == mine.size());
}

// The set of scalars in a list, or an error.
Value set_of(const Value& list, Arena& arena) {
  MapEntry* entries = alloc_entries(arena, list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    const Value& e = list.as_list()[i];
    if (is_container(e)) return make_error(arena, kNotScalar);
    entries[i] = {e, Value::null()};
  }
  return make_computed_map(entries, list.size());
}

Value equal_sets(const Value& a, const Value& b, Arena& arena) {
  if (a.size() != b.size()) return Value::boolean(false);
  Value mine = set_of(a, arena);
  if (mine.is_error()) return mine;
  for (const Value& e : b.as_list()) {
    if (is_container(e)) return make_error(arena, kNotScalar);
    if (e.is_error() || find_same_key(mine, e) == nullptr) return Value::boolean(false);
  }
  return Value::boolean(set_of(b, arena).size() == mine.size());
}

Value equal_in_order(const Value& a, const Value& b, Arena& arena) {
  if (a.size() != b.size()) return Value::boolean(false);
  for (size_t i = 0; i < a.size(); ++i) {
    if (Value same = equal_method(a.as_list()[i], b.as_list()[i], arena); !same.is_true()) return same;
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
  Value* items = arena.array<Value>(size_t{a.size()} + b.size());
  size_t n = 0;
  for (const Value& e : a.as_list()) items[n++] = e;
  // `both` holds the distinct elements of `a`, then the additional ones of `b` in order.
  for (const MapEntry& e : both.as_map().subspan(mine.size())) {
    if (!e.key.is_error()) items[n++] = e.key;
  }
  // An error equals nothing, so all errors of `b` are additional.
  for (const Value& e : b.as_list()) {
    if (e.is_error()) items[n++] = e;
  }
  return Value::list(items, n, kSetList);
}

// Elements of `b` replace those of `a` with the same key in place; the others follow in order (twice, if `b`
// has them twice).
Value merge(const Value& a, const Value& b, Arena& arena) {
  const Value& keys = keys_of(a);
  MapEntry* places = alloc_entries(arena, a.size());
  Value* items = alloc_map_list(arena, keys, size_t{a.size()} + b.size());
  size_t n = 0;
  for (const Value& e : a.as_list()) {
    new (&places[n]) MapEntry{element_key(e, keys, false, arena), Value::integer(static_cast<int64_t>(n))};
    new (&items[n++]) Value(e);
  }
  Value mine = make_computed_map(places, n);
  for (const Value& e : b.as_list()) {
    const Value* place = find_same_key(mine, element_key(e, keys, false, arena));
    if (place != nullptr)
      items[place->as_int()] = e;
    else
      new (&items[n++]) Value(e);
  }
  return Value::list(items, n, kMapList);
}

// Compares an entry that CEL does not see with the entry of the same name in `other`.
Value equal_hidden(const MapEntry& e, const Value& other, Arena& arena) {
  Value name = Value::string(e.key.as_text());
  if (e.value.is(Kind::Optional))
    return Value::boolean(find_any_key(other, name) == nullptr);  // a property that is null
  if (!(other.flags() & kTypedMap)) return make_error(arena, "no such overload");
  for (const MapEntry& o : other.as_map()) {
    if (o.key.as_text() == e.key.as_text()) return Value::boolean(same_data(e.value, o.value));
  }
  return Value::boolean(true);
}

Value equal_seen(const MapEntry& e, const Value& map, const Value& other, Arena& arena) {
  Value key = e.key;
  const Value* mine = &e.value;
  std::optional<std::string> name;
  if ((map.flags() & kTypedObject) && key.as_text().find("__") != std::string_view::npos) {
    name = unescape_property(key.as_text());
    if (!name) return Value::boolean(true);
    key = Value::string(*name);
    mine = find_any_key(map, key);  // upstream asks with the name; it is not found if it looks like an escape
  }
  const Value* theirs = find_any_key(other, key);
  if (mine == nullptr || theirs == nullptr) return Value::boolean(mine == theirs);
  return equal_method(*mine, *theirs, arena);
}

}  // namespace

Value* alloc_map_list(Arena& arena, const Value& keys, size_t count) {
  Value* memory = arena.array<Value>(count + 1);
  new (memory) Value(keys);
  return memory + 1;
}

Value hidden_name(const MapEntry& e, Arena& arena) {
  if (!e.value.is(Kind::Optional)) return Value::null();
  std::string name(e.key.as_text());
  return Value::string(arena.copy(escape_property(name).value_or(name)));
}

Value in_order_of_iteration(const Value& map, Arena& arena) {
  auto unknown = [](const MapEntry& e) { return is_hidden(e) && !e.value.is(Kind::Optional); };
  std::span<const MapEntry> entries = map.as_map();
  if (std::is_partitioned(entries.begin(), entries.end(), std::not_fn(unknown))) return map;
  MapEntry* ordered = alloc_entries(arena, entries.size());
  auto middle = std::remove_copy_if(entries.begin(), entries.end(), ordered, unknown);
  std::copy_if(entries.begin(), entries.end(), middle, unknown);
  return Value::map(ordered, entries.size(), map.flags() & ~kIndexed);
}

MapEntry* alloc_typed_entries(Arena& arena, const Value& data) {
  MapEntry* entries = alloc_entries(arena, size_t{data.size()} + 1);
  new (&entries[data.size()]) MapEntry{Value::null(), data};
  return entries;
}

Value make_typed_map(MapEntry* entries, const Value& data, uint8_t flags) {
  Value map = make_map(entries, data.size());
  return Value::map(map.as_map().data(), map.size(), map.flags() | flags);
}

bool is_special(const Value& v) {
  return (v.is(Kind::List) && (v.flags() & kSpecialList)) || (v.is(Kind::Map) && (v.flags() & kSpecialMap));
}

Value not_comparable(const Value& other, Arena& arena) {
  return other.is_error() ? other : make_error(arena, "no such overload");
}

Value equal_method(const Value& a, const Value& b, Arena& arena) {
  if (a.is(Kind::Opaque)) return a.as_opaque().cls->equal(a.as_opaque(), b, arena);
  return b.is_null() && is_special(a) ? not_comparable(b, arena) : equal(a, b, arena);
}

bool same_data(const Value& a, const Value& b) {
  if (a.is_identical(b)) return true;
  if (a.kind() != b.kind() || ((a.is(Kind::List) || a.is(Kind::Map)) && a.size() != b.size())) return false;
  switch (a.kind()) {
    case Kind::Null: return true;
    case Kind::String: return a.as_text() == b.as_text();
    case Kind::Double: return a.as_double() == b.as_double();
    case Kind::List:
      for (size_t i = 0; i < a.size(); ++i) {
        if (!same_data(a.as_list()[i], b.as_list()[i])) return false;
      }
      return true;
    case Kind::Map:
      for (const MapEntry& e : a.as_map()) {
        const Value* other = find_any_key(b, e.key);
        if (other == nullptr || !same_data(e.value, *other)) return false;
      }
      return true;
    default: return a.raw_payload() == b.raw_payload();
  }
}

Value equal_special_lists(const Value& a, const Value& b, Arena& arena) {
  if (a.flags() & kGoList) return equal_go_lists(a, b, arena);
  if (a.flags() & kSetList) return equal_sets(a, b, arena);
  if (a.flags() & kMapList) return equal_map_lists(a, b, arena);
  return equal_in_order(a, b, arena);
}

Value equal_special_maps(const Value& a, const Value& b, Arena& arena) {
  if (!(a.flags() & kTypedMap)) return equal_go_maps(a, b, arena);
  if (a.size() != b.size()) return Value::boolean(false);
  // Go starts at a random entry of a map and stops at the first one that is unequal or fails. In a small map
  // this is usually the first entry in order of insertion, as here.
  for (const MapEntry& e : a.as_map()) {
    Value same = is_hidden(e) ? equal_hidden(e, b, arena) : equal_seen(e, a, b, arena);
    if (!same.is_true()) return same;
  }
  return Value::boolean(true);
}

Value contains_typed(const Value& list, const Value& element, Arena& arena) {
  if (element.is_error()) return element;
  Value failure = Value::boolean(false);
  for (const Value& item : list.as_list()) {
    Value same = equal_method(item, element, arena);
    if (same.is_true()) return same;
    if (same.is_error() && !failure.is_error()) failure = same;
  }
  return failure;
}

Value add_special_lists(const Value& a, const Value& b, Arena& arena) {
  if (a.flags() & kSetList) return unite(a, b, arena);
  if (a.flags() & kMapList) return merge(a, b, arena);
  return join(a, b, arena);
}

}  // namespace portcullis
