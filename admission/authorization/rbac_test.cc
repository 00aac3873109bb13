// RBAC: what roles and bindings allow, and the reasons, as upstream words them.
#include "admission/authorization/rbac.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "interpreter/values/json.h"

namespace portcullis {
namespace {

constexpr std::string_view kObjects = R"([
 {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"view","labels":{"base":"yes"}},
  "rules":[{"verbs":["get","list"],"apiGroups":[""],"resources":["pods","*/log"]},
           {"verbs":["get"],"nonResourceURLs":["/healthz","/metrics/*"]}]},
 {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"all","labels":{"top":"yes"}},"rules":null,
  "aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"base":"yes"}}]}},
 {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"over"},
  "aggregationRule":{"clusterRoleSelectors":[{"matchExpressions":[{"key":"top","operator":"Exists"}]}]}},
 {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"one","namespace":"ns"},
  "rules":[{"verbs":["*"],"apiGroups":["apps"],"resources":["deployments"],"resourceNames":["web"]}]},
 {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding","metadata":{"name":"viewers"},
  "roleRef":{"kind":"ClusterRole","name":"over"},"subjects":[{"kind":"Group","name":"viewers"}]},
 {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"ones","namespace":"ns"},
  "roleRef":{"kind":"Role","name":"one"},"subjects":[{"kind":"User","name":"eve"},{"kind":"ServiceAccount","name":"bot"}]},
 {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding","metadata":{"name":"broken"},
  "roleRef":{"kind":"ClusterRole","name":"gone"},"subjects":[{"kind":"User","name":"eve"}]},
 {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}])";

class RbacTest : public testing::Test {
 protected:
  RbacTest() { rbac.add(read_json(kObjects, arena)->as_list()); }

  AuthorizationAnswer ask(AuthorizationAttributes asked, std::string_view user, std::string_view group = "") {
    UserInfo info;
    info.username = user;
    info.groups = {&group, 1};
    asked.user = &info;
    asked.version = "*";
    return rbac.authorize(asked, arena);
  }
  static AuthorizationAttributes resource(std::string_view verb, std::string_view group,
                                          std::string_view resource, std::string_view space = "",
                                          std::string_view name = "", std::string_view subresource = "") {
    return {.verb = verb,
            .resource_request = true,
            .group = group,
            .resource = resource,
            .subresource = subresource,
            .namespace_name = space,
            .name = name};
  }

  Arena arena;
  RbacAuthorizer rbac;
};

constexpr auto kAllow = AuthorizationDecision::Allow;
constexpr auto kNone = AuthorizationDecision::NoOpinion;

TEST_F(RbacTest, AggregatedRolesOfGroups) {
  auto answer = ask(resource("get", "", "pods"), "ann", "viewers");
  EXPECT_EQ(answer.decision, kAllow);
  EXPECT_EQ(answer.reason,
            "RBAC: allowed by ClusterRoleBinding \"viewers\" of ClusterRole \"over\" to Group \"viewers\"");
  EXPECT_EQ(ask(resource("get", "", "pods", "", "", "log"), "ann", "viewers").decision, kAllow);
  EXPECT_EQ(ask(resource("get", "", "pods", "", "", "exec"), "ann", "viewers").decision, kNone);
  EXPECT_EQ(ask(resource("delete", "", "pods"), "ann", "viewers").decision, kNone);
  EXPECT_EQ(ask(resource("get", "apps", "pods"), "ann", "viewers").decision, kNone);
}

TEST_F(RbacTest, NonResourceUrls) {
  EXPECT_EQ(ask({.verb = "get", .path = "/metrics/x"}, "ann", "viewers").decision, kAllow);
  EXPECT_EQ(ask({.verb = "get", .path = "/metrics"}, "ann", "viewers").decision, kNone);
  EXPECT_EQ(ask({.verb = "get", .path = "/healthz"}, "ann", "viewers").decision, kAllow);
}

TEST_F(RbacTest, NamesAndNamespaces) {
  auto answer = ask(resource("update", "apps", "deployments", "ns", "web"), "system:serviceaccount:ns:bot");
  EXPECT_EQ(answer.decision, kAllow);
  EXPECT_EQ(answer.reason,
            "RBAC: allowed by RoleBinding \"ones/ns\" of Role \"one\" to ServiceAccount \"bot/ns\"");
  EXPECT_EQ(
      ask(resource("update", "apps", "deployments", "ns", "api"), "system:serviceaccount:ns:bot").decision,
      kNone);
  EXPECT_EQ(
      ask(resource("update", "apps", "deployments", "other", "web"), "system:serviceaccount:ns:bot").decision,
      kNone);
  EXPECT_EQ(
      ask(resource("update", "apps", "deployments", "ns", "web"), "system:serviceaccount:other:bot").decision,
      kNone);
}

TEST_F(RbacTest, WithoutAnObject) {
  std::string_view group = "viewers";
  UserInfo ann;
  ann.username = "ann";
  ann.groups = {&group, 1};
  const auto decide = [&](std::string_view absent, AuthorizationAttributes asked) {
    asked.user = &ann;
    return rbac.authorize_without(*read_json(absent, arena), asked, arena).decision;
  };
  const auto named = [](std::string_view kind, std::string_view name) {
    return R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":")" + std::string(kind) +
           R"(","metadata":{"name":")" + std::string(name) + R"("}})";
  };
  const AuthorizationAttributes pods = resource("get", "", "pods");
  EXPECT_EQ(decide(named("ClusterRoleBinding", "viewers"), pods), kNone);
  EXPECT_EQ(decide(named("ClusterRole", "over"), pods), kNone);
  EXPECT_EQ(decide(named("ClusterRole", "all"), pods), kNone);  // "over" aggregates it
  EXPECT_EQ(decide(named("ClusterRole", "viewers"), pods), kAllow);
  EXPECT_EQ(decide(named("Role", "over"), pods), kAllow);
  // "view" is a standard role as well, which has no label "base".
  EXPECT_EQ(decide(named("ClusterRole", "view"), pods), kNone);
  EXPECT_EQ(ask(pods, "ann", "viewers").decision, kAllow);
}

// The standard object is there without the one that replaces it.
TEST_F(RbacTest, WithoutWhatReplacesAStandardObject) {
  rbac.add(read_json(R"([
 {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"cluster-admin"},"rules":[]},
 {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"cluster-admin"},"rules":[]},
 {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding","metadata":{"name":"root"},
  "roleRef":{"kind":"ClusterRole","name":"cluster-admin"},"subjects":[{"kind":"User","name":"zoe"}]}])",
                     arena)
               ->as_list());
  AuthorizationAttributes asked = resource("get", "", "pods");
  UserInfo zoe;
  zoe.username = "zoe";
  asked.user = &zoe;
  EXPECT_EQ(rbac.authorize(asked, arena).decision, kNone);
  const std::string_view role =
      R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"cluster-admin"}})";
  EXPECT_EQ(rbac.authorize_without(*read_json(role, arena), asked, arena).decision, kAllow);
  EXPECT_EQ(std::ranges::count(rbac.role_names(""), "cluster-admin"), 1);
}

// A chain of aggregated roles, listed in reverse order.
TEST_F(RbacTest, LongChainsOfAggregatedRoles) {
  constexpr int kRoles = 400;
  std::string objects = "[";
  for (int i = 0; i < kRoles; i++) {
    std::string label = "\"l" + std::to_string(i) + "\":\"x\"",
                next = "\"l" + std::to_string(i + 1) + "\":\"x\"";
    objects += R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"r)" +
               std::to_string(1000 + i) + R"(","labels":{)" + label + "}},";
    objects += i + 1 == kRoles
                   ? R"("rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]},)"
                   : R"("aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{)" + next + "}}]}},";
  }
  objects +=
      R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding","metadata":{"name":"z"},
      "roleRef":{"kind":"ClusterRole","name":"r1000"},"subjects":[{"kind":"User","name":"zoe"}]}])";
  RbacAuthorizer chain;
  chain.add(read_json(objects, arena)->as_list());
  AuthorizationAttributes asked = resource("get", "", "pods");
  UserInfo zoe;
  zoe.username = "zoe";
  asked.user = &zoe;
  EXPECT_EQ(chain.authorize(asked, arena).decision, kAllow);
}

// The answer to a user whom a ClusterRoleBinding gives a role with this one rule.
AuthorizationDecision by_rule(std::string_view rule, AuthorizationAttributes asked) {
  Arena arena;
  std::string objects =
      R"([{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"r"},"rules":[)" +
      std::string(rule) +
      R"(]},{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding","metadata":{"name":"b"},)"
      R"("roleRef":{"kind":"ClusterRole","name":"r"},"subjects":[{"kind":"User","name":"eve"}]}])";
  RbacAuthorizer rbac;
  rbac.add(read_json(objects, arena)->as_list());
  UserInfo eve;
  eve.username = "eve";
  asked.user = &eve;
  return rbac.authorize(asked, arena).decision;
}

TEST_F(RbacTest, WildcardsOfResourcesAndSubresources) {
  constexpr std::string_view kScale = R"({"verbs":["get"],"apiGroups":["*"],"resources":["*/scale"]})";
  EXPECT_EQ(by_rule(kScale, resource("get", "apps", "deployments", "", "", "scale")), kAllow);
  EXPECT_EQ(by_rule(kScale, resource("get", "apps", "deployments")), kNone);
  EXPECT_EQ(by_rule(kScale, resource("get", "apps", "deployments", "", "", "status")), kNone);
  constexpr std::string_view kExact = R"({"verbs":["*"],"apiGroups":[""],"resources":["pods/log"]})";
  EXPECT_EQ(by_rule(kExact, resource("any", "", "pods", "", "", "log")), kAllow);
  EXPECT_EQ(by_rule(kExact, resource("any", "", "pods/log")), kAllow);  // expressions may write this
  EXPECT_EQ(by_rule(kExact, resource("any", "", "pods")), kNone);
  constexpr std::string_view kAll = R"({"verbs":["get"],"apiGroups":["apps"],"resources":["*"]})";
  EXPECT_EQ(by_rule(kAll, resource("get", "apps", "deployments", "", "", "scale")), kAllow);
  EXPECT_EQ(by_rule(kAll, resource("get", "", "pods")), kNone);
  // A '*' after part of a name is no wildcard.
  EXPECT_EQ(
      by_rule(R"({"verbs":["get"],"apiGroups":[""],"resources":["pod*"]})", resource("get", "", "pods")),
      kNone);
}

TEST_F(RbacTest, NamesOfObjects) {
  constexpr std::string_view kNamed =
      R"({"verbs":["get","list"],"apiGroups":[""],"resources":["secrets"],"resourceNames":["a","b"]})";
  EXPECT_EQ(by_rule(kNamed, resource("get", "", "secrets", "ns", "a")), kAllow);
  EXPECT_EQ(by_rule(kNamed, resource("get", "", "secrets", "ns", "c")), kNone);
  EXPECT_EQ(by_rule(kNamed, resource("list", "", "secrets", "ns")), kNone);  // the request names no object
  EXPECT_EQ(by_rule(R"({"verbs":["get"],"apiGroups":[""],"resources":["secrets"],"resourceNames":["*"]})",
                    resource("get", "", "secrets", "ns", "a")),
            kNone);
}

TEST_F(RbacTest, PathsAndResourcesAreApart) {
  constexpr std::string_view kUrls = R"({"verbs":["get"],"nonResourceURLs":["*"]})";
  EXPECT_EQ(by_rule(kUrls, {.verb = "get", .path = "/any/path"}), kAllow);
  EXPECT_EQ(by_rule(kUrls, {.verb = "post", .path = "/any/path"}), kNone);
  EXPECT_EQ(by_rule(kUrls, resource("get", "", "pods")), kNone);
  EXPECT_EQ(
      by_rule(R"({"verbs":["*"],"apiGroups":["*"],"resources":["*"]})", {.verb = "get", .path = "/healthz"}),
      kNone);
  EXPECT_EQ(by_rule(R"({"verbs":["get"],"nonResourceURLs":["/a/*/b"]})", {.verb = "get", .path = "/a/x/b"}),
            kNone);
}

TEST_F(RbacTest, MissingRolesAndMasters) {
  auto answer = ask(resource("get", "", "nodes"), "eve");
  EXPECT_EQ(answer.decision, kNone);
  EXPECT_EQ(answer.reason, "rbac: RBAC: clusterrole.rbac.authorization.k8s.io \"gone\" not found");
  EXPECT_EQ(ask(resource("delete", "", "nodes"), "root", "system:masters").decision, kAllow);
}

}  // namespace
}  // namespace portcullis
