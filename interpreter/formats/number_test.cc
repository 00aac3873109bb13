#include "interpreter/formats/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace portcullis {
namespace {

template <class F>
std::string made(F f) {
  Arena arena;
  TextBuilder out(arena);
  f(out);
  return std::string(out.view());
}

std::string general(double d) {
  return made([&](TextBuilder& out) { append_general(out, d); });
}
std::string decimal(double d) {
  return made([&](TextBuilder& out) { append_decimal(out, d); });
}

TEST(Number, GeneralHasAnExponentFromSixDigitsOn) {
  EXPECT_EQ(general(0), "0");
  EXPECT_EQ(general(-0.0), "-0");
  EXPECT_EQ(general(123456), "123456");
  EXPECT_EQ(general(1e6), "1e+06");
  EXPECT_EQ(general(123456789), "1.23456789e+08");
  EXPECT_EQ(general(1e-4), "0.0001");
  EXPECT_EQ(general(1e-5), "1e-05");
  EXPECT_EQ(general(-1.5e300), "-1.5e+300");
  EXPECT_EQ(general(5e-324), "5e-324");
  EXPECT_EQ(general(std::numeric_limits<double>::infinity()), "+Inf");
  EXPECT_EQ(general(std::nan("")), "NaN");
}

TEST(Number, DecimalNeverHas) {
  EXPECT_EQ(decimal(1e21), "1000000000000000000000");
  EXPECT_EQ(decimal(1e-7), "0.0000001");
  EXPECT_EQ(decimal(12.5), "12.5");
  EXPECT_EQ(decimal(-0.0), "-0");
}

TEST(Number, FixedAndScientificRoundHalfToEven) {
  auto fixed = [](double d, int p) { return made([&](TextBuilder& out) { append_fixed(out, d, p); }); };
  auto scientific = [](double d, int p) {
    return made([&](TextBuilder& out) { append_scientific(out, d, p); });
  };
  EXPECT_EQ(fixed(0.5, 0), "0");
  EXPECT_EQ(fixed(1.5, 0), "2");
  EXPECT_EQ(fixed(2.5, 0), "2");
  EXPECT_EQ(fixed(1.2345, 3), "1.234");
  EXPECT_EQ(fixed(-1e21, 1), "-1000000000000000000000.0");
  EXPECT_EQ(scientific(1234.5, 2), "1.23e+03");
  EXPECT_EQ(scientific(0, 0), "0e+00");
  EXPECT_EQ(scientific(1e-300, 1), "1.0e-300");
  EXPECT_EQ(fixed(1, 400).size(), 402u);
}

TEST(Number, IntegersInEveryBase) {
  auto text = [](int64_t i, int base, bool upper) {
    return made([&](TextBuilder& out) { append_int(out, i, base, upper); });
  };
  EXPECT_EQ(text(INT64_MIN, 10, false), "-9223372036854775808");
  EXPECT_EQ(text(-255, 16, true), "-FF");
  EXPECT_EQ(text(INT64_MIN, 2, false).size(), 65u);
}

TEST(Number, ParsesIntegers) {
  EXPECT_EQ(read_int("-9223372036854775808").value, INT64_MIN);
  EXPECT_EQ(read_int("+7").value, 7);
  EXPECT_EQ(read_int("9223372036854775808").status, ParseStatus::Range);
  for (const char* bad : {"", "-", "1_000", "0x1", " 1", "1 ", "--1"})
    EXPECT_EQ(read_int(bad).status, ParseStatus::Syntax);
  EXPECT_EQ(read_uint("18446744073709551615").value, UINT64_MAX);
  EXPECT_EQ(read_uint("18446744073709551616").status, ParseStatus::Range);
  EXPECT_EQ(read_uint("+1").status, ParseStatus::Syntax);
}

TEST(Number, ParsesFloatsAsGo) {
  struct {
    const char* text;
    double value;
  } good[] = {{"1_000", 1000},
              {"0x1p-2", 0.25},
              {"0x_1p4", 16},
              {"1e-400", 0},
              {".5", 0.5},
              {"5.", 5},
              {"1e+5", 1e5},
              {"0x1.8p1", 3},
              {"1_0.5_0e1_0", 1.05e11},
              {"-0", -0.0},
              {"0x1p-1074", 5e-324},
              {"0x1p-1075", 0},
              {"0x1.8p-1075", 5e-324},
              {"0x1.fffffffffffff8p0", 2.0},
              {"0e99999999999", 0}};
  for (auto [text, value] : good) {
    ReadValue<double> p = read_float(text);
    ASSERT_TRUE(p) << text;
    EXPECT_EQ(p.value, value) << text;
    EXPECT_EQ(std::signbit(p.value), std::signbit(value)) << text;
  }
  for (const char* bad :
       {"", "1__0", "_1", "1_", "0x1", "0b1", "+nan", "infi", "1e", ".", "e5", "1.2.3", "0x", "0xp1"}) {
    EXPECT_EQ(read_float(bad).status, ParseStatus::Syntax) << bad;
  }
  for (const char* large : {"1e400", "-1e309", "0x1p1024", "1e99999999999"}) {
    EXPECT_EQ(read_float(large).status, ParseStatus::Range) << large;
  }
  EXPECT_TRUE(std::isnan(read_float("NaN").value));
  EXPECT_EQ(read_float("-Infinity").value, -std::numeric_limits<double>::infinity());
}

TEST(Number, SaysWhatAtoiSays) {
  EXPECT_EQ(made([](TextBuilder& out) { append_atoi_error(out, "a\"", ParseStatus::Syntax); }),
            R"(strconv.Atoi: parsing "a\"": invalid syntax)");
}

}  // namespace
}  // namespace portcullis
