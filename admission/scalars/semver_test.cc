// Versions: canonical texts and messages as in blang/semver.
#include "admission/scalars/semver.h"

#include <gtest/gtest.h>

namespace portcullis::semver {
namespace {

class SemverTest : public testing::Test {
 protected:
  std::string error(std::string_view text) {
    Semver v;
    return std::string(parse(arena, text, v));
  }
  std::string normal(std::string_view text) {
    Semver v;
    std::string_view error = parse_normalized(arena, text, v);
    return std::string(error.empty() ? print(arena, v) : error);
  }
  Arena arena;
};

TEST_F(SemverTest, Errors) {
  struct {
    const char *text, *want;
  } cases[] = {
      {"1.2.3-rc.1+b-1.0", ""},
      {"", "Version string empty"},
      {"1.2", "No Major.Minor.Patch elements found"},
      {"1..2", "strconv.ParseUint: parsing \"\": invalid syntax"},
      {"v1.2.3", "Invalid character(s) found in major number \"v1\""},
      {"1.02.3", "Minor number must not contain leading zeroes \"02\""},
      {"1.2.3.4", "Invalid character(s) found in patch number \"3.4\""},
      {"1.2.99999999999999999999", "strconv.ParseUint: parsing \"99999999999999999999\": value out of range"},
      {"1.2.3-", "Prerelease is empty"},
      {"1.2.3-a..b", "Prerelease is empty"},
      {"1.2.3-01", "Numeric PreRelease version must not contain leading zeroes \"01\""},
      {"1.2.3-_", "Invalid character(s) found in prerelease \"_\""},
      {"1.2.3+", "Build meta data is empty"},
      {"1.2.3+_", "Invalid character(s) found in build meta data \"_\""},
  };
  for (auto& c : cases) EXPECT_EQ(error(c.text), c.want) << c.text;
}

TEST_F(SemverTest, Normalizes) {
  EXPECT_EQ(normal("v1"), "1.0.0");
  EXPECT_EQ(normal("v01.002"), "1.2.0");
  EXPECT_EQ(normal("00.0.0"), "0.0.0");
  EXPECT_EQ(normal("1.2-rc"), "short version cannot contain PreRelease/Build meta data");
  EXPECT_EQ(normal("1.2.03-rc"), "1.2.3-rc");
  EXPECT_EQ(normal(""), "strconv.ParseUint: parsing \"\": invalid syntax");
}

TEST_F(SemverTest, Orders) {
  const char* ordered[] = {"0.9.9",         "1.0.0-1",    "1.0.0-2", "1.0.0-10", "1.0.0-alpha",
                           "1.0.0-alpha.1", "1.0.0-beta", "1.0.0",   "1.0.1",    "1.1.0"};
  for (size_t i = 0; i < std::size(ordered); i++) {
    for (size_t j = 0; j < std::size(ordered); j++) {
      Semver a, b;
      ASSERT_EQ(parse(arena, ordered[i], a), "");
      ASSERT_EQ(parse(arena, ordered[j], b), "");
      EXPECT_EQ(compare(a, b), i == j ? 0 : i < j ? -1 : 1) << ordered[i] << " " << ordered[j];
    }
  }
}

}  // namespace
}  // namespace portcullis::semver
