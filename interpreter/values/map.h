// Finds keys of any kind in maps, and makes maps of computed keys.
//
// Representation: see value.h. A map of more than kIndexThreshold entries has an index in front of its
// entries: a power-of-two table of entry numbers + 1, addressed by the hash of the key. Keys that are equal
// as CEL numbers (1, 1u, 1.0) have the same hash. Smaller maps are searched linearly: comparing a key starts
// with one integer comparison. Hashes differ between processes, so nobody can choose keys that collide.
// Tested by interpreter/values/map_test.cc.
#pragma once

#include <cstring>

#include "interpreter/values/value.h"

namespace portcullis {

// Maps with more entries get an index; in smaller ones a linear search is faster.
inline constexpr size_t kIndexThreshold = 16;

// Finds a key with numeric equivalence (1 finds 1u and 1.0); null if absent.
// Source of behaviour: cel-go common/types/map.go.
const Value* find_any_key(const Value& map, const Value& key);

// The error "no such key: k".
Value no_such_key(const Value& key, Arena& arena);
// The error of `?key: value` in a literal if `value` is no optional. Without key: of `?value` in a list.
Value no_optional(const Value* key, const Value& value, Arena& arena);

// Whether an expression may use the value as a key in a map literal.
bool can_be_key(const Value& v);

// Whether two keys are the same key in a map literal: same kind and same value. Lists, maps and opaque values
// are never the same.
bool same_key(const Value& a, const Value& b);
// Finds a key by same_key: no numeric equivalence.
const Value* find_same_key(const Value& map, const Value& key);

// An entry for the loop over `map`, an opaque value whose class has names(). Upstream's lazy.MapValue shows
// the value of the field as the loop's key; `value` false: only that is needed.
MapEntry entry_of(const Opaque& map, std::string_view name, bool value, Arena& arena);

// Makes a map of keys of any kind, for map literals. Of keys that are the same (kind and value) the last
// value wins; large maps get an index. `entries` must come from alloc_entries.
Value make_computed_map(MapEntry* entries, size_t count);

// `map` with one more entry; `map` must not have its key. A series of insertions takes linear time: the
// result shares the entries of `map` if there is room behind them.
Value insert_entry(Arena& arena, const Value& map, const Value& key, const Value& value);

// The hash of a map key; equal for keys that find each other.
uint64_t hash_key(const Value& key);

// Equality of two texts whose heads are equal, that is, whose kind, length and first three bytes are.
[[gnu::always_inline]] inline bool same_rest(const Value& a, const Value& b) {
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

// The rest of find_text_key, if the hint was wrong.
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

// Finds a string key in a map. `hint` is the position at which it was found in an earlier map of the same
// shape; it is tried first and is nearly always right. Inline everywhere: calls would take a fifth of the
// time of five typical checks.
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
