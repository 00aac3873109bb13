// C++ types of CEL's bytes, timestamps, durations, lists and maps, for code that does not need a Value.
// Tested by tests/language.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "interpreter/values/value.h"

namespace portcullis {

struct Bytes {
  std::string_view data;
};
struct Timestamp {
  int64_t seconds = 0;  // Unix
  uint32_t nanos = 0;   // 0..999999999
  int16_t offset_minutes = 0;
};
struct Duration {
  int64_t nanos = 0;
};
using List = std::span<const Value>;
using Map = std::span<const MapEntry>;

}  // namespace portcullis
