// Lookup in maps by any key, and making maps of computed keys.
//
// Representation: see value.h. A map of more than kIndexThreshold entries has an index in front of its
// entries: a power-of-two table of entry numbers + 1, found by the hash of the key. Keys that are equal as
// CEL numbers (1, 1u, 1.0) have the same hash. Smaller maps are searched linearly: a key compare is one
// integer compare first. Hashes differ from process to process, so that no sender of objects can choose keys
// that fall on one place. Tested by interpreter/values/map_test.cc.
#pragma once

#include <cstring>

#include "interpreter/values/value.h"

namespace portcullis {

// Entries from which a map gets an index: below, a linear search by heads is faster.
inline constexpr size_t kIndexThreshold = 16;

// Finds any key with numeric equivalence (1 finds 1u and 1.0); null if absent. Source: cel-go
// common/types/map.go.
const Value* find_any_key(const Value& map, const Value& key);

// The error "no such key: k".
Value no_such_key(const Value& key, Arena& arena);

// Whether a value can be the key of a map that an expression writes.
bool can_be_key(const Value& v);

// Whether two keys are one key of a map literal: same kind and same value. Two lists, maps or opaque values
// never are.
bool same_key(const Value& a, const Value& b);
// Finds a key by same_key: no numeric equivalence.
const Value* find_same_key(const Value& map, const Value& key);

// The entry of a field of `map`, an opaque value of a class that has names. What a loop over such a map takes
// for a key is the value of the field (upstream's lazy.MapValue); `value` false: that alone is asked for.
MapEntry entry_of(const Opaque& map, std::string_view name, bool value, Arena& arena);

// Removes later duplicates by CEL key identity (same kind and value; the last value wins), then indexes large
// maps. Used for map literals, where keys are not necessarily strings. `entries` come from alloc_entries.
Value make_computed_map(Arena& arena, MapEntry* entries, size_t count);

// `map` with one more entry, whose key it does not have. Many insertions one after the other take time
// proportional to their number: the result shares the entries of `map` where there is room behind them.
Value insert_entry(Arena& arena, const Value& map, const Value& key, const Value& value);

// Hash of a map key, equal for keys that find each other.
uint64_t hash_key(const Value& key);

// Equality of two texts whose heads are known to be equal, so with the same kind, length
// and first three bytes.
inline bool same_rest(const Value& a, const Value& b) {
  size_t n = a.size();
  if (n <= 3) return true;
  const char* p = a.as_text().data();
  const char* q = b.as_text().data();
  if (p == q) return true;
  if (n >= 8) {
    uint64_t x, y;
    if (n > 16) return std::memcmp(p, q, n) == 0;
    std::memcpy(&x, p, 8), std::memcpy(&y, q, 8);
    uint64_t d = x ^ y;
    std::memcpy(&x, p + n - 8, 8), std::memcpy(&y, q + n - 8, 8);
    return (d | (x ^ y)) == 0;
  }
  uint32_t x, y;
  std::memcpy(&x, p + n - 4, 4), std::memcpy(&y, q + n - 4, 4);
  if (x != y) return false;
  std::memcpy(&x, p, 4), std::memcpy(&y, q, 4);
  return x == y;
}

// find_text_key where the hint did not help.
inline const Value* search_text_key(const Value& map, const Value& key, uint32_t& hint) {
  if (map.flags() & kIndexed) return find_key(map, key);
  auto entries = map.as_map();
  for (const MapEntry& e : entries) {
    if (e.key.raw_head() == key.raw_head() && same_rest(e.key, key)) {
      hint = static_cast<uint32_t>(&e - entries.data());
      return &e.value;
    }
  }
  if (map.flags() & kTypedObject) [[unlikely]]
    return find_key(map, key);
  return nullptr;
}

// Looks up a string key in a map. `hint` is the position where it was found last in a map of the same shape,
// and is the place that is looked at first: nearly always the right one, so that much is inline everywhere (a
// fifth of the time of five typical checks otherwise goes into calls).
[[gnu::always_inline]] inline const Value* find_text_key(const Value& map, const Value& key, uint32_t& hint) {
  auto entries = map.as_map();
  if (hint < entries.size()) [[likely]] {
    const MapEntry& e = entries[hint];
    if (e.key.raw_head() == key.raw_head() && same_rest(e.key, key)) [[likely]]
      return &e.value;
  }
  return search_text_key(map, key, hint);
}

}  // namespace portcullis
