#include "grammar/quote.h"

#include <gtest/gtest.h>

#include <cmath>

namespace portcullis {
namespace {

TEST(Quote, EscapesAsGo) {
  EXPECT_EQ(quote("a\"b\\c\n\x01\x7f"), R"("a\"b\\c\n\x01\x7f")");
  EXPECT_EQ(quote("é日😀"), "\"é日😀\"");
  EXPECT_EQ(quote("\u00a0\u200b\U000e0001"), R"("\u00a0\u200b\U000e0001")");
  EXPECT_EQ(quote("a\xff\uFFFD"), "\"a\\xff\uFFFD\"");
}

TEST(Quote, KnowsPrintable) {
  for (const char32_t rune : {U' ', U'~', U'\u00a1', U'\u0377', U'\U000E01EF'})
    EXPECT_TRUE(is_printable(rune));
  for (const char32_t rune : {U'\x7f', U'\u0080', U'\u00ad', U'\u2028', U'\U0010FFFF'})
    EXPECT_FALSE(is_printable(rune));
}

TEST(FormatDouble, PrintsShortest) {
  EXPECT_EQ(format_double(1), "1");
  EXPECT_EQ(format_double(0.1), "0.1");
  EXPECT_EQ(format_double(123456), "123456");
  EXPECT_EQ(format_double(1234567), "1.234567e+06");
  EXPECT_EQ(format_double(0.0001), "0.0001");
  EXPECT_EQ(format_double(0.00001), "1e-05");
  EXPECT_EQ(format_double(-1.5e300), "-1.5e+300");
  EXPECT_EQ(format_double(-0.0), "-0");
  EXPECT_EQ(format_double(NAN), "NaN");
  EXPECT_EQ(format_double(-INFINITY), "-Inf");
  EXPECT_EQ(format_double(INFINITY), "+Inf");
}

}  // namespace
}  // namespace portcullis
