// Lists and maps that were read from JSON, which Go keeps as plain Go values.
//
// They behave like those that an expression makes, except in error texts, because Go prints their content
// differently (print.h). More flags beside ListFlags and MapFlags of interpreter/values/value.h.
// Tested by tests/language (strings.cel).
#pragma once

#include <cstdint>

#include "interpreter/values/value.h"

namespace portcullis {

// Go's nil slice, which an empty list of `Object{...}` becomes: readers see an empty list, writers write null.
// It is recognised by the address of its items.
inline const Value kNilItems[1];

inline constexpr uint8_t kNativeList = 64;
inline constexpr uint8_t kNativeMap = 64;
static_assert((kNativeList & (kConcatList | kSpecialList)) == 0);
static_assert((kNativeMap & (kIndexed | kTypedObject | kSpecialMap)) == 0);

inline Value nil_list() { return Value::list(kNilItems, 0, kNativeList); }
inline bool is_nil_list(const Value& v) { return v.is(Kind::List) && v.as_list().data() == kNilItems; }

// An empty map of that sort, to which members are added.
inline Value no_members() { return Value::map(nullptr, 0, kNativeMap); }

// As make_map(), for entries that were read from JSON.
inline Value make_native_map(MapEntry* entries, size_t count) {
  Value map = make_map(entries, count);
  return Value::map(map.as_map().data(), map.size(), map.flags() | kNativeMap);
}

}  // namespace portcullis
