#include "typecheck/cost.h"

#include <gtest/gtest.h>

namespace portcullis {
namespace {

TEST(Cost, Saturates) {
  EXPECT_EQ(saturating_add(kUnbounded, 1), kUnbounded);
  EXPECT_EQ(saturating_add(kUnbounded - 1, 1), kUnbounded);
  EXPECT_EQ(saturating_multiply(kUnbounded, 2), kUnbounded);
  EXPECT_EQ(saturating_multiply(kUnbounded, 0), 0u);
  EXPECT_EQ(saturating_multiply(1ull << 32, (1ull << 32) - 1), 0xffffffff00000000ull);
}

TEST(Cost, ScalesUpAsGoDoes) {
  EXPECT_EQ(scale_up(1, 0.1), 1u);
  EXPECT_EQ(scale_up(10, 0.1), 1u);
  EXPECT_EQ(scale_up(11, 0.1), 2u);
  EXPECT_EQ(scale_up(0, 0.1), 0u);
  EXPECT_EQ(scale_up(kUnbounded, 0.1), 1844674407370955264u);
  EXPECT_EQ(scale_up(kUnbounded, 1), kUnbounded);
  EXPECT_EQ(scale_up(kUnbounded, 2), kUnbounded);
}

TEST(Cost, Ranges) {
  EXPECT_EQ((Range{1, 5}.united({3, 9})), (Range{1, 9}));
  EXPECT_EQ((Range{1, 5} + Range{2, kUnbounded}), (Range{3, kUnbounded}));
  EXPECT_EQ((Range{0, 15} * 0.1), (Range{0, 2}));
}

// The same shape computes with ranges and with numbers.
TEST(Cost, ShapesServeBothSides) {
  struct Actual {
    Units operator()(size_t i) const { return {i == 0 ? 25u : 9u}; }
    static Units units(uint64_t n) { return {n}; }
  };
  EXPECT_EQ(shapes::kScan0(Actual{}).n, 3u);
  EXPECT_EQ(shapes::kMatch(Actual{}).n, 9u);
  EXPECT_EQ(shapes::kSearch(Actual{}).n, 3u);
  EXPECT_EQ(shapes::kPairs(Actual{}).n, 226u);
  EXPECT_EQ(shapes::kPairsTwice(Actual{}).n, 451u);
}

}  // namespace
}  // namespace portcullis
