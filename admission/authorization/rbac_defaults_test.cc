// The default RBAC objects: their notation, that every reference resolves, and what the well-known roles
// grant.
#include "admission/authorization/rbac_defaults.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "admission/authorization/rbac.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

rbac::Objects make_defaults() {
  rbac::Objects objects;
  rbac::add_defaults(objects);
  objects.settle();
  return objects;
}

// Every line gives exactly one object or rule, and no object replaces another.
TEST(RbacDefaults, EveryLineIsAnObjectOrARule) {
  size_t roles = 0, rules = 0, bindings = 0, read = 0;
  constexpr std::string_view text =
#include "admission/authorization/rbac_defaults.inc"
      ;
  for (size_t at = text.find_first_not_of('\n'); at < text.size(); at = text.find('\n', at) + 1) {
    std::string_view line = text.substr(at, text.find('\n', at) - at);
    if (line.starts_with("  ")) {
      rules++;
    } else if (line.starts_with("ClusterRole ") || line.starts_with("Role ")) {
      roles++;
    } else {
      EXPECT_TRUE(line.starts_with("ClusterRoleBinding ") || line.starts_with("RoleBinding ")) << line;
      bindings++;
    }
  }
  rbac::Objects objects = make_defaults();
  for (const rbac::Role& role : objects.roles()) read += role.aggregates.empty() ? role.rules.size() : 0;
  EXPECT_EQ(objects.roles().size(), roles);
  EXPECT_EQ(objects.bindings().size(), bindings);
  EXPECT_EQ(read, rules);
  EXPECT_GT(roles, 70u);
  EXPECT_GT(bindings, 50u);
}

TEST(RbacDefaults, RulesAreWhole) {
  const rbac::Objects objects = make_defaults();
  for (const rbac::Role& role : objects.roles()) {
    EXPECT_FALSE(role.name.empty());
    Arena arena;
    const rbac::Name none;
    EXPECT_TRUE(rbac::RuleSearch(objects, none, arena).any(role, [](const rbac::Rule&) { return true; }))
        << role.name;
    for (const rbac::Rule& rule : role.rules) {
      EXPECT_FALSE(rule.verbs.empty()) << role.name;
      EXPECT_EQ(rule.groups.empty(), rule.resources.empty()) << role.name;
      EXPECT_NE(rule.urls.empty(), rule.resources.empty()) << role.name;
    }
  }
}

TEST(RbacDefaults, BindingsLeadToRoles) {
  rbac::Objects objects = make_defaults();
  const std::set<std::string> kinds = {"User", "Group", "ServiceAccount"};
  for (const rbac::Binding& binding : objects.bindings()) {
    EXPECT_NE(objects.role_of(binding), nullptr) << binding.name;
    for (const rbac::Subject& s : binding.subjects) {
      EXPECT_TRUE(kinds.contains(s.kind)) << binding.name;
      EXPECT_FALSE(s.name.empty()) << binding.name;
      EXPECT_EQ(s.kind == "ServiceAccount", !s.space.empty()) << binding.name;
    }
  }
}

class DefaultsTest : public testing::Test {
 protected:
  // "user group1 group2 ..." asks; the objects of `more` are in the cluster as well.
  AuthorizationAnswer ask(AuthorizationAttributes asked, std::string_view user,
                          std::vector<std::string_view> groups = {"system:authenticated"},
                          std::string_view more = "[]") {
    rbac = std::make_unique<RbacAuthorizer>();
    rbac->add(read_json(more, arena)->as_list());
    UserInfo info;
    info.username = user;
    info.groups = groups;
    asked.user = &info;
    return rbac->authorize(asked, arena);
  }
  bool may(std::string_view user, AuthorizationAttributes asked, std::string_view more) {
    return ask(asked, user, {"system:authenticated"}, more).decision == AuthorizationDecision::Allow;
  }
  static AuthorizationAttributes of(std::string_view verb, std::string_view group, std::string_view resource,
                                    std::string_view space) {
    return {.verb = verb,
            .resource_request = true,
            .group = group,
            .resource = resource,
            .namespace_name = space};
  }
  static std::string bound(std::string_view role, std::string_view rest = "") {
    return R"([{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding",
      "metadata":{"name":"b","namespace":"shop"},"roleRef":{"kind":"ClusterRole","name":")" +
           std::string(role) + R"("},"subjects":[{"kind":"User","name":"eve"}]})" + std::string(rest) + "]";
  }

  Arena arena;
  std::unique_ptr<RbacAuthorizer> rbac;
};

TEST_F(DefaultsTest, TheRolesThatPeopleBind) {
  std::string view = bound("view"), edit = bound("edit"), admin = bound("admin");
  EXPECT_TRUE(may("eve", of("get", "", "pods", "shop"), view));
  EXPECT_FALSE(may("eve", of("get", "", "pods", "lab"), view));
  EXPECT_FALSE(may("eve", of("get", "", "secrets", "shop"), view));
  EXPECT_TRUE(may("eve", of("get", "", "secrets", "shop"), edit));
  EXPECT_TRUE(may("eve", of("update", "apps", "deployments", "shop"), edit));
  EXPECT_FALSE(may("eve", of("create", "rbac.authorization.k8s.io", "roles", "shop"), edit));
  EXPECT_TRUE(may("eve", of("create", "rbac.authorization.k8s.io", "roles", "shop"), admin));
  EXPECT_TRUE(may("eve", of("any", "any", "any", "shop"), bound("cluster-admin")));
}

TEST_F(DefaultsTest, WhatEverybodyMay) {
  EXPECT_EQ(ask({.verb = "get", .path = "/version"}, "eve").reason,
            "RBAC: allowed by ClusterRoleBinding \"system:discovery\" of ClusterRole \"system:discovery\" to "
            "Group \"system:authenticated\"");
  EXPECT_EQ(ask({.verb = "get", .path = "/apis"}, "eve", {"system:unauthenticated"}).decision,
            AuthorizationDecision::NoOpinion);
  EXPECT_EQ(ask({.verb = "get", .path = "/healthz"}, "eve", {"system:unauthenticated"}).decision,
            AuthorizationDecision::Allow);
  EXPECT_EQ(ask(of("delete", "", "pods", "shop"), "system:serviceaccount:kube-system:job-controller").reason,
            "RBAC: allowed by ClusterRoleBinding \"system:controller:job-controller\" of ClusterRole "
            "\"system:controller:job-controller\" to ServiceAccount \"job-controller/kube-system\"");
}

TEST_F(DefaultsTest, GivenRolesAreAggregated) {
  std::string teams = R"(,{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",
    "metadata":{"name":"teams","labels":{"rbac.authorization.k8s.io/aggregate-to-view":"true"}},
    "rules":[{"verbs":["get"],"apiGroups":["example.com"],"resources":["teams"]}]})";
  for (std::string_view role : {"view", "edit", "admin"}) {
    EXPECT_TRUE(may("eve", of("get", "example.com", "teams", "shop"), bound(role, teams))) << role;
    EXPECT_TRUE(may("eve", of("get", "", "pods", "shop"), bound(role, teams))) << role;
  }
}

TEST_F(DefaultsTest, GivenObjectsTakeTheirPlace) {
  std::string view = R"(,{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",
    "metadata":{"name":"view"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["nodes"]}]})";
  EXPECT_TRUE(may("eve", of("get", "", "nodes", "shop"), bound("view", view)));
  EXPECT_FALSE(may("eve", of("get", "", "pods", "shop"), bound("view", view)));
}

TEST_F(DefaultsTest, WithoutThem) {
  RbacAuthorizer empty(RbacAuthorizer::Start::Empty);
  UserInfo eve;
  std::string_view group = "system:authenticated";
  eve.groups = {&group, 1};
  EXPECT_EQ(empty.authorize({.user = &eve, .verb = "get", .path = "/version"}, arena).decision,
            AuthorizationDecision::NoOpinion);
}

}  // namespace
}  // namespace portcullis
