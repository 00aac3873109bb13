#include "interpreter/values/map.h"

#include <sys/random.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>

#include "grammar/escape.h"
#include "grammar/powers.h"
#include "interpreter/values/print.h"

namespace portcullis {

MapEntry entry_of(const Opaque& map, std::string_view name, bool value, Arena& arena) {
  auto read = [&](const Value& key) {
    Value out;
    return map.cls->find(map, key, Ask::Value, arena, &out) ? out : no_such_key(key, arena);
  };
  Value key = read(Value::string(name));
  return {key, value ? read(key) : Value()};
}

bool can_be_key(const Value& v) {
  switch (v.kind()) {
    case Kind::Bytes:
    case Kind::List:
    case Kind::Map:
    case Kind::Optional:
    case Kind::Struct:
    case Kind::Opaque: return false;
    default: return true;
  }
}

bool same_key(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::String:
    case Kind::Type:
    case Kind::Bytes: return same_text(a, b);
    case Kind::Double: return a.as_double() == b.as_double();
    case Kind::Null: return true;
    case Kind::Timestamp: return a.seconds() == b.seconds() && a.nanos() == b.nanos();
    default: return a.is_identical(b);
  }
}

namespace {

// An indexed map has a Header in front of its entries, and `mask + 1` numbers in front of that: 0 for a free
// slot, else the number of an entry plus 1. Entries and index may hold more than a map shows: insert_entry()
// fills spare room behind it for a larger map that shares them.
struct Header {
  uint64_t mask;
  uint32_t capacity;  // entries that fit
  uint32_t used;      // entries that belong to some map
};
static_assert(sizeof(Header) == 16);

Header& header_of(const MapEntry* entries) {
  return reinterpret_cast<Header*>(const_cast<MapEntry*>(entries))[-1];
}
const uint32_t* table_of(const MapEntry* entries, uint64_t mask) {
  return reinterpret_cast<const uint32_t*>(&header_of(entries)) - (mask + 1);
}

// Senders of objects choose the keys: with a hash that anybody can compute, 2 MB of keys that all fall into
// one slot took 20 seconds. So each process has its own hash. No result depends on it: maps keep the order of
// their entries.
struct Secret {
  uint64_t added, factor;
};
Secret make_secret() {
  Secret s{};
  // Without random numbers (a sandbox may forbid the call), addresses must do.
  if (getrandom(&s, sizeof s, GRND_NONBLOCK) != sizeof s)
    s = {reinterpret_cast<uintptr_t>(&s), reinterpret_cast<uintptr_t>(&make_secret) * 0x9e3779b97f4a7c15u};
  s.factor |= 1;
  return s;
}
// Initialised before all variables of usual priority, since these may be maps.
[[gnu::init_priority(101)]] const Secret kSecret = make_secret();

__extension__ typedef unsigned __int128 Wide;

uint64_t mix(uint64_t x) {
  Wide product = static_cast<Wide>(x ^ kSecret.added) * kSecret.factor;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t hash_text(std::string_view s, uint64_t h) {
  while (s.size() >= 8) {
    uint64_t x;
    std::memcpy(&x, s.data(), 8);
    h = mix(h ^ x);
    s.remove_prefix(8);
  }
  uint64_t x = 0;
  if (!s.empty()) std::memcpy(&x, s.data(), s.size());  // an empty text may have no address
  return mix(h ^ x);
}

template <class Same>
const Value* find_with(const Value& map, const Value& key, Same same) {
  auto entries = map.as_map();
  if (!(map.flags() & kIndexed)) {
    for (const MapEntry& e : entries) {
      if (same(e.key, key)) return &e.value;
    }
    return nullptr;
  }
  uint64_t mask = header_of(entries.data()).mask;
  const uint32_t* table = table_of(entries.data(), mask);
  for (uint64_t at = hash_key(key) & mask; table[at] != 0; at = (at + 1) & mask) {
    if (table[at] > entries.size()) continue;  // an entry of a larger map
    const MapEntry& e = entries[table[at] - 1];
    if (same(e.key, key)) return &e.value;
  }
  return nullptr;
}

uint64_t table_size(size_t count) { return std::bit_ceil(count * 2); }

// Drops entries with equal keys: the last one, key and value, takes the place of the first, as in Go; -0.0
// and 0.0 show that the key changes as well. Returns how many are left.
template <class Same>
size_t drop_duplicates(MapEntry* entries, size_t count, Same same) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    size_t j = 0;
    while (j < kept && !same(entries[j].key, entries[i].key)) ++j;
    if (j < kept) {
      entries[j] = entries[i];
    } else {
      if (kept != i) entries[kept] = entries[i];
      ++kept;
    }
  }
  return kept;
}

// alloc_entries has laid out header and table, for at least `count` entries.
template <class Same>
Value make_indexed(MapEntry* entries, size_t count, Same same) {
  uint64_t mask = header_of(entries).mask;
  uint32_t* table = const_cast<uint32_t*>(table_of(entries, mask));
  std::memset(table, 0, (mask + 1) * sizeof(uint32_t));
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t at = hash_key(entries[i].key) & mask;
    while (table[at] != 0 && !same(entries[table[at] - 1].key, entries[i].key)) at = (at + 1) & mask;
    if (table[at] != 0) {
      entries[table[at] - 1] = entries[i];
    } else {
      if (kept != i) entries[kept] = entries[i];
      table[at] = static_cast<uint32_t>(++kept);
    }
  }
  header_of(entries).capacity = header_of(entries).used = static_cast<uint32_t>(kept);
  return Value::map(entries, kept, kIndexed);
}

template <class Same>
Value make(MapEntry* entries, size_t count, Same same) {
  if (count <= kIndexThreshold) return Value::map(entries, drop_duplicates(entries, count, same));
  return make_indexed(entries, count, same);
}

bool lossless_int(double d, int64_t& out) {
  if (!(d >= -kTwoTo63 && d < kTwoTo63) || d != std::trunc(d)) return false;
  out = static_cast<int64_t>(d);
  return true;
}
bool lossless_uint(double d, uint64_t& out) {
  if (!(d >= 0 && d < kTwoTo64) || d != std::trunc(d)) return false;
  out = static_cast<uint64_t>(d);
  return true;
}

}  // namespace

uint64_t hash_key(const Value& key) {
  switch (key.kind()) {
    case Kind::Int:
    case Kind::Uint: return mix(key.raw_payload());
    case Kind::Double: {
      int64_t i;
      uint64_t u;
      if (lossless_int(key.as_double(), i)) return mix(static_cast<uint64_t>(i));
      if (lossless_uint(key.as_double(), u)) return mix(u);
      return mix(key.raw_payload());
    }
    case Kind::String:
    case Kind::Type:
    case Kind::Bytes: return hash_text(key.as_text(), key.raw_head());
    case Kind::Timestamp: return mix(key.raw_payload() ^ key.nanos());
    default: return mix(key.raw_payload() ^ key.raw_head());
  }
}

namespace {

// Finds a field of a typed object by another spelling of its escaped name (`namespace` for `__namespace__`).
const Value* find_by_name(const Value& object, const Value& key) {
  std::optional<std::string> name = unescape_property(key.as_text());
  if (!name) return nullptr;
  std::optional<std::string> escaped = escape_property(*name);
  if (!escaped || *escaped == key.as_text()) return nullptr;
  return find_with(object, Value::string(*escaped), same_text);
}

}  // namespace

const Value* find_key(const Value& map, const Value& key) {
  const Value* found = find_with(map, key, same_text);
  if (found == nullptr && (map.flags() & kTypedObject)) [[unlikely]]
    return find_by_name(map, key);
  return found;
}

const Value* find_same_key(const Value& map, const Value& key) { return find_with(map, key, same_key); }

Value no_such_key(const Value& key, Arena& arena) {
  if (!key.is(Kind::String)) return make_error(arena, "no such key: " + format_go(key));
  constexpr std::string_view kText = "no such key: ";
  char* text = static_cast<char*>(arena.allocate(kText.size() + key.size()));
  std::memcpy(text, kText.data(), kText.size());
  if (key.size() > 0) std::memcpy(text + kText.size(), key.as_text().data(), key.size());
  return Value::error(arena.make<ErrorValue>(std::string_view(text, kText.size() + key.size())));
}

Value no_optional(const Value* key, const Value& value, Arena& arena) {
  const std::string what = key == nullptr ? "list element" : "entry '" + format_go(*key) + "'";
  return make_error(arena,
                    "cannot initialize optional " + what + " from non-optional value " + format_go(value));
}

const Value* find_any_key(const Value& map, const Value& key) {
  if (key.is(Kind::String)) return find_key(map, key);
  if (const Value* v = find_with(map, key, same_key)) return v;
  auto find = [&](const Value& other) { return find_with(map, other, same_key); };
  switch (key.kind()) {
    case Kind::Double: {
      int64_t i;
      uint64_t u;
      if (lossless_int(key.as_double(), i)) {
        if (const Value* v = find(Value::integer(i))) return v;
      }
      return lossless_uint(key.as_double(), u) ? find(Value::uinteger(u)) : nullptr;
    }
    case Kind::Int:
      return key.as_int() >= 0 ? find(Value::uinteger(static_cast<uint64_t>(key.as_int()))) : nullptr;
    case Kind::Uint:
      return key.as_uint() <= INT64_MAX ? find(Value::integer(static_cast<int64_t>(key.as_uint()))) : nullptr;
    default: return nullptr;
  }
}

MapEntry* alloc_entries(Arena& arena, size_t count) {
  if (count <= kIndexThreshold) return arena.array<MapEntry>(count);
  if (count > UINT32_MAX) throw BoundsExceeded();
  size_t front = table_size(count) * sizeof(uint32_t) + sizeof(Header);
  char* memory = static_cast<char*>(arena.allocate(front + count * sizeof(MapEntry)));
  Header* header = reinterpret_cast<Header*>(memory + front) - 1;
  header->mask = table_size(count) - 1;
  header->capacity = header->used = static_cast<uint32_t>(count);
  return reinterpret_cast<MapEntry*>(memory + front);
}

Value make_map(MapEntry* entries, size_t count) {
  return make(entries, count,
              [](const Value& a, const Value& b) { return a.raw_head() == b.raw_head() && same_rest(a, b); });
}

Value make_computed_map(MapEntry* entries, size_t count) { return make(entries, count, same_key); }

Value insert_entry(Arena& arena, const Value& map, const Value& key, const Value& value) {
  size_t count = map.size();
  auto entries = map.as_map();
  if (count < kIndexThreshold) {
    MapEntry* copy = arena.array<MapEntry>(count + 1);
    std::copy(entries.begin(), entries.end(), copy);
    copy[count] = {key, value};
    return Value::map(copy, count + 1);
  }
  MapEntry* place = const_cast<MapEntry*>(entries.data());
  if (!(map.flags() & kIndexed) || header_of(place).used != count || header_of(place).capacity == count) {
    place = alloc_entries(arena, count * 2);
    std::copy(entries.begin(), entries.end(), place);
    make_indexed(place, count, same_key);
    header_of(place).capacity = static_cast<uint32_t>(count * 2);
  }
  Header& header = header_of(place);
  place[count] = {key, value};
  header.used = static_cast<uint32_t>(count + 1);
  uint32_t* table = const_cast<uint32_t*>(table_of(place, header.mask));
  uint64_t at = hash_key(key) & header.mask;
  while (table[at] != 0) at = (at + 1) & header.mask;
  table[at] = header.used;
  return Value::map(place, count + 1, kIndexed);
}

}  // namespace portcullis
