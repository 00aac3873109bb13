#include "grammar/literal.h"

#include <gtest/gtest.h>

#include <cmath>

namespace portcullis {
namespace {

std::string text(std::string_view token, bool bytes = false) {
  const Result<std::string> out = unescape(token, bytes);
  return out ? *out : "error: " + out.error().text;
}

TEST(Unescape, TakesQuotesOff) {
  EXPECT_EQ(text(R"("")"), "");
  EXPECT_EQ(text(R"('a"b')"), "a\"b");
  EXPECT_EQ(text(R"("""x""x""")"), "x\"\"x");
  EXPECT_EQ(text(R"(r'''a\''')"), "a\\");
  EXPECT_EQ(text("'a\r\nb\rc'"), "a\nb\nc");
  EXPECT_EQ(text("*a*"), "error: unable to unescape string");
}

TEST(Unescape, ReadsEscapes) {
  EXPECT_EQ(text(R"("\a\b\f\n\r\t\v\'\"\\\?\`")"), "\a\b\f\n\r\t\v'\"\\?`");
  EXPECT_EQ(text(R"("\xC3\377\u00e9\U0001F600")"), "Ãÿé😀");
  EXPECT_EQ(text(R"("\xC3\377é")", true), "\xC3\xFFé");
}

TEST(Unescape, RefusesWhatIsNoCodePoint) {
  EXPECT_EQ(text(R"("\uD800")"), "error: invalid unicode code point");
  EXPECT_EQ(text(R"("\U00110000")"), "error: invalid unicode code point");
  EXPECT_EQ(text(R"("\u00e9")", true), "error: unable to unescape string");
  EXPECT_EQ(text(R"("\26")"), "error: unable to unescape octal sequence in string");
  EXPECT_EQ(text(R"("\")"), "error: unable to unescape string, found '\\' as last character");
}

TEST(Numbers, KnowTheirRange) {
  EXPECT_EQ(parse_int("9223372036854775807", false), INT64_MAX);
  EXPECT_EQ(parse_int("9223372036854775808", true), INT64_MIN);
  EXPECT_EQ(parse_int("9223372036854775808", false), std::nullopt);
  EXPECT_EQ(parse_int("0x8000000000000000", true), INT64_MIN);
  EXPECT_EQ(parse_uint("18446744073709551615u"), UINT64_MAX);
  EXPECT_EQ(parse_uint("0x10000000000000000U"), std::nullopt);
}

TEST(Numbers, DoublesOverflowButDoNotUnderflow) {
  EXPECT_EQ(parse_double("1e308", true), -1e308);
  EXPECT_EQ(parse_double("1e309", false), std::nullopt);
  EXPECT_EQ(parse_double("0.0001e999999999999", false), std::nullopt);
  EXPECT_EQ(parse_double("1e-400", false), 0.0);
  EXPECT_EQ(parse_double("1000.0e-99999999999999999999", false), 0.0);
  EXPECT_EQ(parse_double("0e999", false), 0.0);
  EXPECT_EQ(parse_double("5e-324", false), 5e-324);
  EXPECT_TRUE(std::signbit(*parse_double("0.0", true)));
}

}  // namespace
}  // namespace portcullis
