#include "admission/scalars/group_version.h"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>

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

TEST(GroupVersion, KindsAsGoPrintsThem) {
  EXPECT_EQ(kind_text("apps", "v1", "Deployment"), "apps/v1, Kind=Deployment");
  EXPECT_EQ(kind_text("apps/v1", "Deployment"), "apps/v1, Kind=Deployment");
  EXPECT_EQ(kind_text("v1", "Pod"), "/v1, Kind=Pod");
  EXPECT_EQ(kind_text("a/b/c", "Odd"), "a/b/c, Kind=Odd");
}

TEST(GroupVersion, PartsOfAResource) {
  for (const auto& [text, resource, subresource] :
       std::initializer_list<std::array<std::string_view, 3>>{{"pods", "pods", ""},
                                                              {"pods/status", "pods", "status"},
                                                              {"*/*", "*", "*"},
                                                              {"a/", "a", ""},
                                                              {"a/b/c", "a", "b/c"}}) {
    EXPECT_EQ(split_resource(text).resource, resource) << text;
    EXPECT_EQ(split_resource(text).subresource, subresource) << text;
  }
}

TEST(GroupVersion, OrderOfVersions) {
  const std::string_view sorted[] = {"v1gamma",  "foo10",    "foo1",    "bar",      "v1alpha1",
                                     "v1alpha2", "v3alpha1", "v1beta1", "v1beta12", "v2beta1",
                                     "v1",       "v2",       "v10"};
  for (size_t i = 0; i < std::size(sorted); i++) {
    for (size_t j = 0; j < std::size(sorted); j++)
      EXPECT_EQ(version_before(sorted[i], sorted[j]), i < j) << sorted[i] << " " << sorted[j];
  }
}

}  // namespace
}  // namespace portcullis
