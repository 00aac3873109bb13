#include "grammar/source.h"

#include <gtest/gtest.h>

namespace portcullis {
namespace {

TEST(Source, LocatesOffsetsInCodePoints) {
  const Source source("aé\n日本\n");
  EXPECT_EQ(source.size(), 6);
  EXPECT_EQ(source.location(0), (Location{1, 0}));
  EXPECT_EQ(source.location(2), (Location{1, 2}));  // the newline ends its own line
  EXPECT_EQ(source.location(3), (Location{2, 0}));
  EXPECT_EQ(source.location(6), (Location{3, 0}));
  EXPECT_EQ(source.offset({2, 1}), 4);
  EXPECT_EQ(source.offset({4, 0}), -1);
}

TEST(Source, KeepsCelGosAnswerForNodesWithoutToken) {
  EXPECT_EQ(Source("a").location(-1), (Location{1, -1}));
  EXPECT_EQ(Source("").offset({1, 0}), -1);
}

TEST(Source, CutsLines) {
  const Source source("a\n日本\n");
  EXPECT_EQ(source.line(1), "a");
  EXPECT_EQ(source.line(2), "日本");
  EXPECT_EQ(source.line(3), "");
  EXPECT_EQ(source.line(4), std::nullopt);
  EXPECT_EQ(source.line(-1), std::nullopt);
  EXPECT_EQ(Source("").line(1), std::nullopt);
}

TEST(Source, RepairsInvalidUtf8) {
  const Source source("a\xff\xc3");
  EXPECT_EQ(source.text(), "a\uFFFD\uFFFD");
  EXPECT_EQ(source.size(), 3);
}

}  // namespace
}  // namespace portcullis
