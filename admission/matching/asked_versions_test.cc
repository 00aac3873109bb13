#include "admission/matching/asked_versions.h"

#include <gtest/gtest.h>

namespace portcullis {
namespace {

using Versions = std::vector<std::vector<std::string>>;

TEST(AskedVersions, AreReadAsTheyAreWritten) {
  EXPECT_TRUE(is_asked_versions("any-version"));
  EXPECT_EQ(versions_of_rules("any-version"), Versions{{}});
  EXPECT_TRUE(is_asked_versions("versions/v2/v1.v1-a/v2"));
  EXPECT_EQ(versions_of_rules("versions/v2/v1.v1-a/v2"), (Versions{{"v2"}, {"v1", "v1-a"}, {"v2"}}));
}

TEST(AskedVersions, NoRuleAsksForWhatIsWrittenInAnotherWay) {
  for (std::string_view text :
       {"", "any", "any-version/", "versions", "versions/", "versions//v1", "versions/v1/", "versions/v1.",
        "versions/.v1", "versions/v2.v1", "versions/v1.v1", "versions/V1", "versions/v1..v2", "versions/%76",
        "versions/-a", "versions/any-version", "versions/v1/any-version", "any-version/v1", " any-version"})
    EXPECT_FALSE(is_asked_versions(text)) << text;
}

}  // namespace
}  // namespace portcullis
