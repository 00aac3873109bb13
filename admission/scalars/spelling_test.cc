#include "admission/scalars/spelling.h"

#include <gtest/gtest.h>

#include <vector>

namespace portcullis {
namespace {

TEST(Spelling, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("replicas", "replica"), 1u);
  EXPECT_EQ(edit_distance("imgae", "image"), 1u);  // a transposition
  EXPECT_EQ(edit_distance("abc", ""), 3u);
}

TEST(Spelling, FindsWhatIsNear) {
  const std::vector<std::string> words = {"--operation", "--output", "--explain", "-o"};
  EXPECT_EQ(nearest("--opration", words), "--operation");
  EXPECT_EQ(nearest("--Explain", words), "--explain");
  EXPECT_EQ(nearest("--kubernetes", words), "");
  EXPECT_EQ(nearest("", words), "");
  EXPECT_EQ(nearest("-p", words), "");                  // the word is too short
  EXPECT_EQ(nearest("--EXPLAIN", words), "--explain");  // only the case differs
  const std::vector<std::string> letters = {"y"};
  EXPECT_EQ(nearest("x", letters), "");  // the words share nothing
}

}  // namespace
}  // namespace portcullis
