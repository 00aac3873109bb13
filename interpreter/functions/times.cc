// Functions that return parts of timestamps and durations.
// Source of behaviour: cel-go common/stdlib (inTimeZone) and common/types/duration.go.
// Tested by tests/language/time.cel, tests/examples.cc.
#include "interpreter/formats/duration.h"
#include "interpreter/formats/timestamp.h"
#include "interpreter/formats/zone.h"
#include "interpreter/functions/call.h"
#include "interpreter/functions/tables.h"

namespace portcullis::tables {
namespace {

constexpr auto kYear = [](const Civil& c) { return c.year; };
constexpr auto kMonth = [](const Civil& c) { return int64_t{c.month - 1}; };
constexpr auto kYearDay = [](const Civil& c) { return int64_t{c.year_day}; };
constexpr auto kDay = [](const Civil& c) { return int64_t{c.day - 1}; };
constexpr auto kDate = [](const Civil& c) { return int64_t{c.day}; };
constexpr auto kWeekday = [](const Civil& c) { return int64_t{c.weekday}; };
constexpr auto kHour = [](const Civil& c) { return int64_t{c.hour}; };
constexpr auto kMinute = [](const Civil& c) { return int64_t{c.minute}; };
constexpr auto kSecond = [](const Civil& c) { return int64_t{c.second}; };

template <auto Part>
Value part_utc(CallContext&, const Value* args, size_t) {
  return Value::integer(Part(civil_time(args[0].seconds())));
}

// Seconds of the local time in `zone`; false with an error in `failure` if the zone does not exist.
bool local_seconds(CallContext& context, int64_t seconds, std::string_view zone, int64_t& local,
                   Value& failure) {
  TextBuilder text(context.arena());
  int64_t offset;
  if (!zone_offset(zone, seconds, offset, text)) {
    failure = context.error(text.view());
    return false;
  }
  // An offset may be absurd ("9999999999999:00"); Go's arithmetic wraps around.
  local = static_cast<int64_t>(static_cast<uint64_t>(seconds) + static_cast<uint64_t>(offset));
  return true;
}

template <auto Part>
Value part_in(CallContext& context, const Value* args, size_t) {
  Value failure;
  int64_t local;
  if (!local_seconds(context, args[0].seconds(), args[1].as_text(), local, failure)) return failure;
  return Value::integer(Part(civil_time(local)));
}

int64_t milliseconds(Timestamp t) { return t.nanos / 1'000'000; }

// Go's Hours, Minutes and Seconds are doubles, the whole units plus the rest, which CEL truncates. Just below
// a whole number of very many units the sum rounds up.
int64_t whole_units(int64_t nanos, int64_t unit) {
  return static_cast<int64_t>(static_cast<double>(nanos / unit) +
                              static_cast<double>(nanos % unit) / static_cast<double>(unit));
}

constexpr std::string_view kZoned =
    "as without an argument, but in a time zone: an IANA name or an offset like '-08:30'";

// The overload for UTC and the overload with a zone, each with its value for 2009-02-13T23:31:30.5Z.
#define PART(ID, TZ_ID, NAME, PART, DOC, UTC, IN_TOKYO)                                 \
  row(ID, "timestamp." NAME "() -> int", part_utc<PART>, DOC ", in UTC",                \
      "timestamp('2009-02-13T23:31:30.5Z')." NAME "()  // => " UTC),                    \
      row(TZ_ID, "timestamp." NAME "(string) -> int", part_in<PART>, kZoned,            \
          "timestamp('2009-02-13T23:31:30.5Z')." NAME "('Asia/Tokyo')  // => " IN_TOKYO \
          "\ntimestamp('2009-02-13T23:31:30.5Z')." NAME "('+09:00')  // => " IN_TOKYO)

constexpr Function kRows[] = {
    PART("timestamp_to_year", "timestamp_to_year_with_tz", "getFullYear", kYear, "the year", "2009", "2009"),
    PART("timestamp_to_month", "timestamp_to_month_with_tz", "getMonth", kMonth, "the month, from 0", "1",
         "1"),
    PART("timestamp_to_day_of_year", "timestamp_to_day_of_year_with_tz", "getDayOfYear", kYearDay,
         "the day of the year, from 0", "43", "44"),
    PART("timestamp_to_day_of_month", "timestamp_to_day_of_month_with_tz", "getDayOfMonth", kDay,
         "the day of the month, from 0", "12", "13"),
    PART("timestamp_to_day_of_month_1_based", "timestamp_to_day_of_month_1_based_with_tz", "getDate", kDate,
         "the day of the month, from 1", "13", "14"),
    PART("timestamp_to_day_of_week", "timestamp_to_day_of_week_with_tz", "getDayOfWeek", kWeekday,
         "the day of the week, from 0 for Sunday", "5", "6"),
    PART("timestamp_to_hours", "timestamp_to_hours_with_tz", "getHours", kHour, "the hour", "23", "8"),
    row("duration_to_hours", "duration.getHours() -> int",
        wrap([](Duration d) { return whole_units(d.nanos, 3600 * kNanosPerSecond); }),
        "the whole duration in hours, without fraction", "duration('3h30m').getHours()  // => 3"),
    PART("timestamp_to_minutes", "timestamp_to_minutes_with_tz", "getMinutes", kMinute, "the minute", "31",
         "31"),
    row("duration_to_minutes", "duration.getMinutes() -> int",
        wrap([](Duration d) { return whole_units(d.nanos, 60 * kNanosPerSecond); }),
        "the whole duration in minutes, without fraction", "duration('1h30s').getMinutes()  // => 60"),
    PART("timestamp_to_seconds", "timestamp_to_seconds_tz", "getSeconds", kSecond, "the second", "30", "30"),
    row("duration_to_seconds", "duration.getSeconds() -> int",
        wrap([](Duration d) { return whole_units(d.nanos, kNanosPerSecond); }),
        "the whole duration in seconds, without fraction", "duration('1m1.5s').getSeconds()  // => 61"),
    row("timestamp_to_milliseconds", "timestamp.getMilliseconds() -> int",
        wrap([](Timestamp t) { return milliseconds(t); }), "the milliseconds of the second",
        "timestamp('2009-02-13T23:31:30.5Z').getMilliseconds()  // => 500"),
    row("timestamp_to_milliseconds_with_tz", "timestamp.getMilliseconds(string) -> int",
        wrap([](CallContext& c, Timestamp t, std::string_view zone) {
          Value failure;
          int64_t local;
          return local_seconds(c, t.seconds, zone, local, failure) ? Value::integer(milliseconds(t))
                                                                   : failure;
        }),
        kZoned, "timestamp('2009-02-13T23:31:30.5Z').getMilliseconds('Asia/Tokyo')  // => 500"),
    row("duration_to_milliseconds", "duration.getMilliseconds() -> int",
        wrap([](Duration d) { return d.nanos / 1'000'000; }),
        "the whole duration in milliseconds, without fraction",
        "duration('1.5s').getMilliseconds()  // => 1500"),
};
#undef PART

}  // namespace

std::span<const Function> times() { return kRows; }

}  // namespace portcullis::tables
