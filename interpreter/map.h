// Lookup in maps by any key, and making maps of computed keys.
//
// Representation: see value.h. A map of more than kIndexThreshold entries has an index in front of its entries:
// a power-of-two table of entry numbers + 1, found by the hash of the key. Keys that are equal as CEL numbers (1, 1u, 1.0)
// have the same hash. Smaller maps are searched linearly: a key compare is one integer compare first.
// Tested by interpreter/map_test.cc.
#pragma once

#include "interpreter/value.h"

namespace portcullis {

// Entries from which a map gets an index: below, a linear search by heads is faster.
inline constexpr size_t kIndexThreshold = 16;

// Finds any key with numeric equivalence (1 finds 1u and 1.0); null if absent. Source: cel-go common/types/map.go.
const Value* find_any_key(const Value& map, const Value& key);

// Removes later duplicates by CEL key identity (same kind and value; the last value wins), then indexes large maps.
// Used for map literals, where keys are not necessarily strings. `entries` come from alloc_entries.
Value make_computed_map(Arena& arena, MapEntry* entries, size_t count);

// Hash of a map key, equal for keys that find each other.
uint64_t hash_key(const Value& key);

}  // namespace portcullis
