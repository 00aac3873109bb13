#include "admission/scalars/spelling.h"

#include <gtest/gtest.h>

#include <vector>

namespace portcullis {
namespace {

TEST(Spelling, CountsEdits) {
  const std::vector<std::string> words = {"replicas"};
  EXPECT_EQ(nearest("replica", words), "replicas");
  EXPECT_EQ(nearest("relpicas", words), "replicas");  // a transposition
  EXPECT_EQ(nearest("plc", words), "");
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
