// Timestamps: Unix seconds, nanoseconds and the UTC offset they are printed with; the proleptic Gregorian
// calendar; RFC 3339.
//
// Idea: a timestamp keeps the offset of its text, because string(timestamp('...+01:00')) must print it again;
// all else depends on the instant alone.
// Limits: years 1 to 9999 (CEL's range); a local time may lie in year 0 or 10000.
// Tested by interpreter/formats/timestamp_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "interpreter/values/builder.h"
#include "interpreter/values/scalars.h"

namespace portcullis {

// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
inline constexpr int64_t kMinUnixSeconds = -62135596800;
inline constexpr int64_t kMaxUnixSeconds = 253402300799;

// Date and time at one UTC offset.
struct Civil {
  int64_t year;
  int month;  // 1..12
  int day;    // 1..31
  int hour, minute, second;
  int weekday;   // 0 = Sunday
  int year_day;  // 0..365
};

// Date and time of `seconds` since the Unix epoch. The caller adds the offset.
Civil civil_time(int64_t seconds);
// Seconds since the Unix epoch of a date and time, which must exist.
int64_t unix_seconds(int64_t year, int month, int day, int hour, int minute, int second);

// time.Parse(time.RFC3339, text), as lenient as Go: hours of one digit, a comma before the fraction, more
// than nine digits (cut off), offsets up to 24:60. Nothing if malformed. Does not check the range of years
// (kMinUnixSeconds).
std::optional<Timestamp> parse_rfc3339(std::string_view text);

// Format(time.RFC3339Nano): a fraction without trailing zeros, "Z" for offset 0.
void append_rfc3339(TextBuilder& out, const Timestamp& t);
// time.Time.String(): "2006-01-02 15:04:05.999999999 -0700 MST". Only UTC has a zone name.
void append_go_time(TextBuilder& out, const Timestamp& t);

}  // namespace portcullis
