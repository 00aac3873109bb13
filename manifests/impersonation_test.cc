// Groups of impersonated users, as the filter of apiserver 1.37 gave them.
#include "manifests/impersonation.h"

#include <gtest/gtest.h>

namespace portcullis {
namespace {

// "group group ..."
std::string groups_of(std::string_view name, const std::vector<std::string>& given = {}) {
  Arena arena;
  std::string out;
  for (std::string_view group : command_line_user(name, given, arena).groups)
    out.append(out.empty() ? "" : " ").append(group);
  return out;
}

TEST(Impersonation, Groups) {
  EXPECT_EQ(groups_of(""), "system:masters system:authenticated");
  EXPECT_EQ(groups_of("eve"), "system:authenticated");
  EXPECT_EQ(groups_of("eve", {"b", "a"}), "b a system:authenticated");
  EXPECT_EQ(groups_of("eve", {"system:authenticated", "a"}), "system:authenticated a");
  EXPECT_EQ(groups_of("eve", {"system:unauthenticated"}), "system:unauthenticated");
  EXPECT_EQ(groups_of("system:anonymous"), "system:unauthenticated");
  EXPECT_EQ(groups_of("system:anonymous", {"a"}), "a system:unauthenticated");
}

TEST(Impersonation, ServiceAccountsAndNodes) {
  EXPECT_EQ(groups_of("system:serviceaccount:shop:bot"),
            "system:serviceaccounts system:serviceaccounts:shop system:authenticated");
  EXPECT_EQ(groups_of("system:serviceaccount:shop:bot", {"a"}), "a system:authenticated");
  EXPECT_EQ(groups_of("system:serviceaccount:Shop:bot"), "system:authenticated");
  EXPECT_EQ(groups_of("system:serviceaccount:shop"), "system:authenticated");
  EXPECT_EQ(groups_of("system:serviceaccount:shop:bot:x"), "system:authenticated");
  EXPECT_EQ(groups_of("system:node:n1"), "system:nodes system:authenticated");
  EXPECT_EQ(groups_of("system:node:n1", {"a"}), "a system:authenticated");
  EXPECT_EQ(groups_of("system:node:"), "system:authenticated");
}

}  // namespace
}  // namespace portcullis
