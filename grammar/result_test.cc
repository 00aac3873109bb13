#include "grammar/result.h"

#include <gtest/gtest.h>

namespace portcullis {
namespace {

TEST(Result, HoldsValueOrError) {
  Result<std::string> good = std::string("a");
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good->size(), 1u);
  EXPECT_EQ(std::move(good).value(), "a");
  const Result<std::string> bad = Error{"broken", {3, 1}};
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().position.line, 3);
}

TEST(Result, OfNothing) {
  EXPECT_TRUE(Result<void>().ok());
  EXPECT_FALSE(Result<void>(Error{"broken"}).ok());
}

}  // namespace
}  // namespace portcullis
