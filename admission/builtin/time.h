// metav1.Time and metav1.MicroTime: parsing and printing. Source of behaviour: Go's time.Parse, whose errors
// name the failing part of the layout, and apimachinery pkg/apis/meta/v1/{time,micro_time}.go. Tested by
// tests/decoded.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "interpreter/values/arena.h"

namespace portcullis::builtin {

inline constexpr std::string_view kRfc3339 = "2006-01-02T15:04:05Z07:00";
inline constexpr std::string_view kRfc3339Micro = "2006-01-02T15:04:05.000000Z07:00";
inline constexpr std::string_view kDateOnly = "2006-01-02";
inline constexpr std::string_view kLocalTime = "2006-01-02T15:04:05";  // without zone: UTC

// The result of time.Parse.
struct GoTime {
  std::string error;    // Go's text, or empty
  int64_t seconds = 0;  // since the Unix epoch
  int32_t nanos = 0;
  int32_t offset_seconds = 0;  // of the zone in the text
};

// time.Parse(layout, text); `layout` is one of the four layouts above.
GoTime parse_go_time(std::string_view layout, std::string_view text);

struct ParsedTime {
  std::string error;      // Go's text, or empty
  std::string_view text;  // in UTC, printed with the layout; empty for Go's zero time (year 1)
};

// Parses `text` by `layout` (RFC 3339, with or without microseconds) and prints it in UTC, in the arena.
ParsedTime parse_time(Arena& arena, std::string_view layout, std::string_view text);

// The present time as RFC 3339 in UTC, in the arena.
std::string_view time_now(Arena& arena);

}  // namespace portcullis::builtin
