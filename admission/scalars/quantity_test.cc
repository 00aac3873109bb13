// Quantities: canonical texts, forms and messages as in apimachinery v0.37.
#include "admission/scalars/quantity.h"

#include <gtest/gtest.h>

#include <cmath>

namespace portcullis::quantity {
namespace {

class QuantityTest : public testing::Test {
 protected:
  Quantity of(std::string_view text) {
    Quantity q;
    EXPECT_EQ(parse(arena, text, q), "") << text;
    return q;
  }
  std::string error(std::string_view text) {
    Quantity q;
    return std::string(parse(arena, text, q));
  }
  std::string canonical(std::string_view text) { return print(arena, of(text)); }
  Arena arena;
};

TEST_F(QuantityTest, CanonicalTexts) {
  struct {
    const char *text, *want;
  } cases[] = {
      {"0", "0"},
      {"1.5", "1500m"},
      {"1.5Gi", "1536Mi"},
      {"1024", "1024"},
      {"1000", "1k"},
      {"0.5Ki", "512"},
      {"-1.5k", "-1500"},
      {"1e3", "1e3"},
      {"12e5", "1200e3"},
      {"1E", "1E"},
      {"100Ti", "100Ti"},
      {"1Ei", "1Ei"},
      {"10Ei", "9223372036854775807"},
      {"0.1n", "1n"},
      {"Ki", "0"},
      {".", "0"},
      {"+", "0"},
      {"00012", "00012"},
      {"1.500", "1.500"},
      {"1000Ki", "1000Ki"},
      {"2048Ki", "2Mi"},
      {"1234567890123456789012", "1234567890123456789012"},
      {"1e4294967296", "1e4294967296"},
  };
  for (auto& c : cases) EXPECT_EQ(canonical(c.text), c.want) << c.text;
}

TEST_F(QuantityTest, Errors) {
  for (const char* text : {"", "10Mo", "abc", "1.2.3", "1 "}) EXPECT_EQ(error(text), kBadFormat) << text;
  for (const char* text : {"10Mm", "1e", "1Ee", "+-5", "--1", "1e99999999999999999999"})
    EXPECT_EQ(error(text), kBadSuffix) << text;
  for (const char* text : {"e-10", ".e-10"}) EXPECT_EQ(error(text), kBadNumber) << text;
  EXPECT_EQ(error("1234567890123456789e2000000000"), kTooLarge);
}

TEST_F(QuantityTest, OnlyFastFormsAreIntegers) {
  EXPECT_EQ(as_int(of("1.5k")), 1500);
  EXPECT_EQ(as_int(of("50.703k")), 50703);
  EXPECT_EQ(as_int(of("1Ti")), int64_t{1} << 40);
  for (const char* text : {"1000m", "1.0", "100Ti", "1Pi", "1234567890123456789", "10E", "1e30"}) {
    EXPECT_EQ(as_int(of(text)), std::nullopt) << text;
  }
}

TEST_F(QuantityTest, Arithmetic) {
  auto sum = [&](const char* a, const char* b) { return print(arena, *add(arena, of(a), of(b))); };
  EXPECT_EQ(sum("1Gi", "1Gi"), "2Gi");
  EXPECT_EQ(sum("0", "1Gi"), "1Gi");
  EXPECT_EQ(sum("1", "1Gi"), "1073741825");
  EXPECT_EQ(sum("9E", "9E"), "18E");
  EXPECT_EQ(print(arena, *subtract(arena, of("1k"), of("1"))), "999");
  EXPECT_EQ(print(arena, *subtract(arena, of("0"), from_int(INT64_MIN))), "-9223372036854775808");
  EXPECT_FALSE(add(arena, of("1e2000000000"), of("1")));
}

TEST_F(QuantityTest, Compares) {
  EXPECT_EQ(compare(arena, of("1000m"), of("1")), 0);
  EXPECT_EQ(compare(arena, of("1e2000000000"), of("1Ei")), 1);
  EXPECT_EQ(compare(arena, of("-1e300"), of("-1")), -1);
  EXPECT_EQ(compare(arena, of("1Pi"), of("1125899906842624")), 0);
}

TEST_F(QuantityTest, ApproximatesInTwoRoundings) {
  EXPECT_EQ(as_double(of("1.5")), 1.5);
  EXPECT_EQ(as_double(of("1Pi")), 1125899906842624000000000.0 * 1e-9);
  EXPECT_TRUE(std::isnan(as_double(of("0e400"))));
}

}  // namespace
}  // namespace portcullis::quantity
