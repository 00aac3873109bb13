// Exact decimals: compared with small numbers computed in other ways, and at sizes beyond a machine word.
#include "admission/scalars/decimal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace portcullis::decimal {
namespace {

class DecimalTest : public testing::Test {
 protected:
  Decimal of(std::string_view text) { return parse(arena, text).value(); }
  Arena arena;
};

TEST_F(DecimalTest, ParsesAndPrints) {
  for (const char* text : {"0", "7", "-7", "999999999", "1000000000", "123456789012345678901234567890"}) {
    EXPECT_EQ(digits(of(text)), text);
  }
  EXPECT_EQ(digits(of("+001.50")), "150");
  EXPECT_EQ(of("+001.50").scale, 2);
  EXPECT_EQ(of("1.").scale, 0);
  for (const char* bad : {"", ".", "-", "1.2.3", "1e3", "--1", "x"}) EXPECT_FALSE(parse(arena, bad)) << bad;
}

TEST_F(DecimalTest, ComparesAtAnyScale) {
  std::vector<const char*> ordered = {"-1000000000000000000000",
                                      "-2",
                                      "-1.5",
                                      "-0.000000000001",
                                      "0",
                                      "0.1",
                                      "0.10000000001",
                                      "1",
                                      "9.99999999999999999999",
                                      "10",
                                      "1000000000000000000001"};
  for (size_t i = 0; i < ordered.size(); i++) {
    for (size_t j = 0; j < ordered.size(); j++) {
      EXPECT_EQ(compare(of(ordered[i]), of(ordered[j])), i == j  ? 0
                                                         : i < j ? -1
                                                                 : 1)
          << ordered[i] << " " << ordered[j];
    }
  }
  EXPECT_EQ(compare(of("1.0"), of("1.000000000000000000000000")), 0);
  EXPECT_EQ(compare(from_int(arena, 1, -2000000000), from_int(arena, 9, 2000000000)), 1);
}

TEST_F(DecimalTest, Adds) {
  auto sum = [&](const char* a, const char* b) { return digits(*add(arena, of(a), of(b))); };
  EXPECT_EQ(sum("999999999999999999", "1"), "1000000000000000000");
  EXPECT_EQ(sum("1000000000000000000", "-1"), "999999999999999999");
  EXPECT_EQ(sum("1", "-1000000000000000000"), "-999999999999999999");
  EXPECT_EQ(sum("1.5", "0.05"), "155");
  EXPECT_EQ(sum("5", "-5"), "0");
  EXPECT_FALSE(add(arena, from_int(arena, 1, -kMaxShift - 1), of("1")));
}

TEST_F(DecimalTest, RoundsAwayFromZero) {
  auto rounded = [&](const char* text, int32_t scale) { return digits(*round_up(arena, of(text), scale)); };
  EXPECT_EQ(rounded("1.01", 0), "2");
  EXPECT_EQ(rounded("-1.01", 0), "-2");
  EXPECT_EQ(rounded("1.00", 0), "1");
  EXPECT_EQ(rounded("0.0000000000000000001", 9), "1");
  EXPECT_EQ(rounded("999999999.9999999999", 0), "1000000000");
  EXPECT_EQ(rounded("3", 9), "3000000000");
}

TEST_F(DecimalTest, FactorsAndDoubles) {
  int times = 0;
  EXPECT_EQ(digits(remove_tens(arena, of("120000000000000"), times)), "12");
  EXPECT_EQ(times, 13);
  EXPECT_EQ(digits(remove_tens(arena, of("7000000000"), times)), "7");
  EXPECT_EQ(times, 9);
  EXPECT_EQ(digits(remove_tens(arena, of("-1234567890123"), times)), "-1234567890123");
  EXPECT_EQ(times, 0);
  EXPECT_EQ(digits(remove_tens(arena, of("0"), times)), "0");
  EXPECT_EQ(times, 0);
  EXPECT_EQ(digits(remove_1024(arena, times_power_of_two(arena, of("3"), 60), times)), "3");
  EXPECT_EQ(times, 6);
  EXPECT_EQ(digits(remove_1024(arena, times_power_of_two(arena, of("-5"), 55), times)), "-160");
  EXPECT_EQ(times, 5);
  EXPECT_EQ(unscaled_double(of("123456789012345678901234567890")), 123456789012345678901234567890.0);
  EXPECT_TRUE(std::isinf(unscaled_double(of(std::string(400, '9')))));
}

// One pass, however many factors there are.
TEST_F(DecimalTest, ManyFactorsTakeLittleMemory) {
  const Decimal long_one = of("1" + std::string(100'000, '0'));
  const size_t before = arena.reserved();
  int times = 0;
  EXPECT_EQ(digits(remove_tens(arena, long_one, times)), "1");
  EXPECT_EQ(times, 100'000);
  Decimal power = of("1");
  for (int i = 0; i < 100; i++) power = times_power_of_two(arena, power, 60);
  EXPECT_EQ(digits(remove_1024(arena, power, times)), "1");
  EXPECT_EQ(times, 600);
  EXPECT_LT(arena.reserved(), before + 1'000'000);
}

}  // namespace
}  // namespace portcullis::decimal
