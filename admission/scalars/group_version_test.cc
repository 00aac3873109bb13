#include "admission/scalars/group_version.h"

#include <gtest/gtest.h>

namespace portcullis {
namespace {

TEST(GroupVersion, PartsOfAnApiVersion) {
  struct {
    std::string_view text, group, version;
    bool well_formed;
  } rows[] = {{"v1", "", "v1", true},      {"apps/v1", "apps", "v1", true}, {"", "", "", true},
              {"/", "", "", true},         {"/v1", "", "v1", true},         {"apps/", "apps", "", true},
              {"a/b/c", "a", "b/c", false}};
  for (const auto& r : rows) {
    GroupVersion parts = split_api_version(r.text);
    EXPECT_EQ(parts.group, r.group) << r.text;
    EXPECT_EQ(parts.version, r.version) << r.text;
    EXPECT_EQ(parts.well_formed, r.well_formed) << r.text;
  }
}

}  // namespace
}  // namespace portcullis
