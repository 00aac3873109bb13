// What Go keeps as plain JSON: lists and maps that were read, not made by an expression.
//
// They behave like all others; only error texts tell them apart, because Go prints what they hold in its own
// way (print.h). Further flags of interpreter/values/value.h (ListFlags, MapFlags).
// Tested by tests/language (strings.cel).
#pragma once

#include <cstdint>

#include "interpreter/values/value.h"

namespace portcullis {

inline constexpr uint8_t kNativeList = 64;
inline constexpr uint8_t kNativeMap = 64;
static_assert((kNativeList & (kConcatList | kSpecialList)) == 0);
static_assert((kNativeMap & (kIndexed | kTypedObject | kSpecialMap)) == 0);

// make_map() for entries that were read from JSON.
inline Value make_native_map(Arena& arena, MapEntry* entries, size_t count) {
  Value map = make_map(arena, entries, count);
  return Value::map(map.as_map().data(), map.size(), map.flags() | kNativeMap);
}

}  // namespace portcullis
