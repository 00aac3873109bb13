// Messages about names, as apimachinery v0.37 words them.
#include "admission/scalars/names.h"

#include <gtest/gtest.h>

namespace portcullis::names {
namespace {

const std::string kLabel =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start "
    "and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const std::string kKey =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

TEST(Names, Labels) {
  EXPECT_EQ(dns1123_label("a-1"), Messages{});
  EXPECT_EQ(dns1123_label(""), Messages{kLabel});
  EXPECT_EQ(dns1123_label("a."), Messages{kLabel});
  EXPECT_EQ(dns1123_label("a.b"), Messages{"must not contain dots"});
  EXPECT_EQ(dns1123_label(std::string(64, 'a')), Messages{"must be no more than 63 characters"});
  EXPECT_EQ(dns1123_label(std::string(64, 'A')), (Messages{"must be no more than 63 characters", kLabel}));
  EXPECT_EQ(dns1035_label("a-1"), Messages{});
  EXPECT_EQ(dns1035_label("1-a").size(), 1u);
}

TEST(Names, Subdomains) {
  EXPECT_TRUE(dns1123_subdomain("apps.k8s.io").empty());
  for (const char* bad : {"", ".", "a..b", "a.", "-a", "a_b", "A"})
    EXPECT_EQ(dns1123_subdomain(bad).size(), 1u) << bad;
}

TEST(Names, Keys) {
  EXPECT_EQ(label_key("example.com/My_Name.x"), Messages{});
  EXPECT_EQ(label_key(""), (Messages{"name part must be non-empty", "name part " + kKey}));
  EXPECT_EQ(label_key("/n"), Messages{"prefix part must be non-empty"});
  EXPECT_EQ(label_key("a/b/c"),
            Messages{"a valid label key " + kKey +
                     " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"});
  EXPECT_EQ(label_key("A/b").size(), 1u);
  EXPECT_EQ(label_key("A/b")[0].substr(0, 25), "prefix part a lowercase R");
}

TEST(Names, ValuesSegments) {
  EXPECT_TRUE(label_value("").empty());
  EXPECT_EQ(label_value("-").size(), 1u);
  EXPECT_EQ(path_segment(".."), Messages{"may not be '..'"});
  EXPECT_EQ(path_segment("a/%"), (Messages{"may not contain '/'", "may not contain '%'"}));
}

TEST(Names, MaskTrailingDashEatsTwoBytes) {
  EXPECT_EQ(mask_trailing_dash("ab-"), "aa");
  EXPECT_EQ(mask_trailing_dash("A-"), "a");  // upstream accepts the result, which lost the upper-case letter
  EXPECT_EQ(mask_trailing_dash("-"), "-");
}

}  // namespace
}  // namespace portcullis::names
