#include "admission/typing/suggest.h"

#include <gtest/gtest.h>

namespace portcullis {
namespace {

TEST(Suggest, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("replica", "replicas"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("sepc", "spec"), 1u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
}

TEST(Suggest, FindsTheNearestName) {
  EXPECT_EQ(nearest_name("replica", {"paused", "replicas", "template"}), "replicas");
  EXPECT_EQ(nearest_name("hostNetWork", {"hostIPC", "hostNetwork"}), "hostNetwork");
  EXPECT_EQ(nearest_name("CONTAINERS", {"initContainers", "containers"}), "containers");
}

TEST(Suggest, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("foo", {"replicas", "spec"}), "");
  EXPECT_EQ(nearest_name("x", {"y"}), "");
  EXPECT_EQ(nearest_name("", {"a"}), "");
  EXPECT_EQ(nearest_name(std::string(5000, 'a'), {"a"}), "");
}

TEST(Suggest, PrefersTheFirstOfEquallyNear) { EXPECT_EQ(nearest_name("nama", {"namc", "namb"}), "namb"); }

}  // namespace
}  // namespace portcullis
