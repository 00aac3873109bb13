#include "interpreter/formats/timestamp.h"

#include <gtest/gtest.h>

#include <string>

#include "interpreter/formats/duration.h"
#include "interpreter/formats/zone.h"

namespace portcullis {
namespace {

std::string rfc3339(const Timestamp& t) {
  Arena arena;
  TextBuilder out(arena);
  append_rfc3339(out, t);
  return std::string(out.view());
}

TEST(Timestamp, ReadsAndWritesRfc3339) {
  struct {
    const char* text;
    const char* printed;
  } cases[] = {{"2009-02-13T23:31:30Z", "2009-02-13T23:31:30Z"},
               {"2009-02-13T23:31:30.1200+01:30", "2009-02-13T23:31:30.12+01:30"},
               {"2023-01-01T5:04:05,5Z", "2023-01-01T05:04:05.5Z"},
               {"2023-01-01T05:04:05.1234567899-00:00", "2023-01-01T05:04:05.123456789Z"},
               {"2023-01-01T05:04:05+24:60", "2023-01-01T05:04:05+25:00"},
               {"0000-12-31T23:30:00-01:00", "0000-12-31T23:30:00-01:00"},
               {"2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z"}};
  for (auto [text, printed] : cases) {
    auto t = parse_rfc3339(text);
    ASSERT_TRUE(t) << text;
    EXPECT_EQ(rfc3339(*t), printed);
  }
  for (const char* bad :
       {"", "2023-01-01", "2023-01-01t05:04:05Z", "2023-02-29T00:00:00Z", "2023-01-01T24:00:00Z",
        "2023-01-01T00:00:60Z", "2023-13-01T00:00:00Z", "2023-01-01T00:00:00", "2023-01-01T00:00:00+0100",
        "2023-01-01T00:00:00.Z", "2023-01-01T00:00:00z", "02023-01-01T00:00:00Z", "2023-01-01T00:00:00+25:00",
        "2023-01-01T00:00:00Zx"}) {
    EXPECT_FALSE(parse_rfc3339(bad)) << bad;
  }
}

TEST(Timestamp, KnowsTheCalendar) {
  EXPECT_EQ(unix_seconds(1, 1, 1, 0, 0, 0), kMinUnixSeconds);
  EXPECT_EQ(unix_seconds(9999, 12, 31, 23, 59, 59), kMaxUnixSeconds);
  Civil c = civil_time(-1);
  EXPECT_EQ(c.year, 1969);
  EXPECT_EQ(c.weekday, 3);
  EXPECT_EQ(c.year_day, 364);
  for (int64_t day = -800000; day < 2900000; day += 37) {
    Civil d = civil_time(day * 86400);
    EXPECT_EQ(unix_seconds(d.year, d.month, d.day, 0, 0, 0), day * 86400);
  }
}

TEST(Duration, ReadsAndWritesAsGo) {
  struct {
    const char* text;
    int64_t nanos;
    const char* go;
    const char* cel;
  } cases[] = {{"1h30m", 5400000000000, "1h30m0s", "5400s"},
               {"-1.5ms", -1500000, "-1.5ms", "-0.0015s"},
               {"0", 0, "0s", "0s"},
               {"1\u00b5s", 1000, "1\u00b5s", "0.000001s"},
               {"999ns", 999, "999ns", "0.000000999s"},
               {"-9223372036854775808ns", INT64_MIN, "-2562047h47m16.854775808s", "-9223372036.854776s"},
               {".5s", 500000000, "500ms", "0.5s"}};
  Arena arena;
  for (auto [text, nanos, go, cel] : cases) {
    EXPECT_EQ(parse_duration(text), nanos) << text;
    TextBuilder a(arena), b(arena);
    append_duration(a, nanos);
    append_duration_seconds(b, nanos);
    EXPECT_EQ(a.view(), go);
    EXPECT_EQ(b.view(), cel);
  }
  for (const char* bad : {"", "1", "s", "1d", "1.s.", "9223372036854775808ns", "1h ", "+", "--1s", "."}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
}

TEST(Zone, NamesAndOffsets) {
  Arena arena;
  auto offset = [&](std::string_view zone, int64_t at = 0) -> std::string {
    TextBuilder failure(arena);
    int64_t seconds = 0;
    return zone_offset(zone, at, seconds, failure) ? std::to_string(seconds) : std::string(failure.view());
  };
  EXPECT_EQ(offset(""), "0");
  EXPECT_EQ(offset("UTC"), "0");
  EXPECT_EQ(offset("America/New_York", 1700000000), "-18000");
  EXPECT_EQ(offset("America/New_York", 1690000000), "-14400");
  EXPECT_EQ(offset("-08:30"), "-30600");
  EXPECT_EQ(offset("1:00"), "3600");
  EXPECT_EQ(offset("Nope/Zone"), "unknown time zone Nope/Zone");
  EXPECT_EQ(offset("america/new_york"), "unknown time zone america/new_york");
  EXPECT_EQ(offset("../etc"), "time: invalid location name");
  EXPECT_EQ(offset("/etc/localtime"), "time: invalid location name");
  EXPECT_EQ(offset("file:UTC"), R"(strconv.Atoi: parsing "file": invalid syntax)");
  EXPECT_EQ(offset("America"), "is a directory");
  EXPECT_EQ(offset("zone.tab"), "malformed time zone information");
  EXPECT_EQ(offset("a:1"), R"(strconv.Atoi: parsing "a": invalid syntax)");
}

}  // namespace
}  // namespace portcullis
