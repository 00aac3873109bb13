// See make.h.
#include "library/make.h"

#include <algorithm>
#include <array>

#include "interpreter/values/json.h"
#include "interpreter/values/native.h"
#include "library/bridge.h"

namespace portcullis::v1 {
namespace {

// How often lists, maps and optionals that were made here are nested in a value stands in bits of its first word that
// their kinds leave free, but for Go structs. So a value that would be nested too deeply is found without walking it.
// What else made parts of it has bounds of its own.
constexpr int kShift = 16;
constexpr uint64_t kMask = 0xffff;
static_assert(kMaxJsonDepth <= static_cast<int>(kMask));

uint64_t depth(const portcullis::Value& v) {
  const bool is_map = v.is(portcullis::Kind::Map) && !(v.flags() & kGoStruct);
  const bool nested = is_map || v.is(portcullis::Kind::List) || v.is(portcullis::Kind::Optional);
  return nested ? (v.raw_head() >> kShift) & kMask : 0;
}

constexpr ErrorValue kTooDeep{"exceeded max depth"};

// `made` contains parts of at most this depth.
Value nested(const portcullis::Value& made, uint64_t parts) {
  if (parts >= kMaxJsonDepth) return outer(portcullis::Value::error(&kTooDeep));
  auto words = std::bit_cast<std::array<uint64_t, 2>>(made);
  words[0] |= (parts + 1) << kShift;
  return std::bit_cast<Value>(words);
}

}  // namespace

Value make_bytes(Arena& arena, std::string_view bytes) { return Value::bytes(arena.copy(bytes)); }

Value make_list(Arena& arena, std::span<const Value> items) {
  if (const auto error = std::ranges::find_if(items, &Value::is_error); error != items.end()) return *error;
  auto* copies = arena.array<portcullis::Value>(items.size());
  uint64_t deepest = 0;
  for (size_t i = 0; i < items.size(); i++) {
    new (&copies[i]) portcullis::Value(inner(items[i]));
    deepest = std::max(deepest, depth(copies[i]));
  }
  return nested(portcullis::Value::list(copies, items.size(), kNativeList), deepest);
}

Value make_map(Arena& arena, std::span<const MapItem> entries) {
  const auto error = std::ranges::find_if(entries, &Value::is_error, &MapItem::value);
  if (error != entries.end()) return error->value;
  MapEntry* copies = alloc_entries(arena, entries.size());
  uint64_t deepest = 0;
  for (size_t i = 0; i < entries.size(); i++) {
    new (&copies[i]) MapEntry{portcullis::Value::string(arena.copy(entries[i].key)), inner(entries[i].value)};
    deepest = std::max(deepest, depth(copies[i].value));
  }
  return nested(make_native_map(copies, entries.size()), deepest);
}

Value make_optional(Arena& arena, std::optional<Value> value) {
  if (!value) return outer(portcullis::Value::optional(nullptr));
  if (value->is_error()) return *value;
  const auto* held = arena.make<portcullis::Value>(inner(*value));
  return nested(portcullis::Value::optional(held), depth(*held));
}

}  // namespace portcullis::v1
