// RBAC: who may do what by roles and bindings, and the reasons upstream gives.
#include "admission/rbac.h"

#include <gtest/gtest.h>

#include "interpreter/json.h"

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
  static AuthorizationAttributes resource(std::string_view verb, std::string_view group, std::string_view resource,
                                          std::string_view space = "", std::string_view name = "",
                                          std::string_view subresource = "") {
    return {.verb = verb, .resource_request = true, .group = group, .resource = resource, .subresource = subresource,
            .namespace_name = space, .name = name};
  }

  Arena arena;
  RbacAuthorizer rbac;
};

constexpr auto kAllow = AuthorizationDecision::Allow;
constexpr auto kNone = AuthorizationDecision::NoOpinion;

TEST_F(RbacTest, AggregatedRolesOfGroups) {
  auto answer = ask(resource("get", "", "pods"), "ann", "viewers");
  EXPECT_EQ(answer.decision, kAllow);
  EXPECT_EQ(answer.reason, "RBAC: allowed by ClusterRoleBinding \"viewers\" of ClusterRole \"over\" to Group \"viewers\"");
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
  EXPECT_EQ(answer.reason, "RBAC: allowed by RoleBinding \"ones/ns\" of Role \"one\" to ServiceAccount \"bot/ns\"");
  EXPECT_EQ(ask(resource("update", "apps", "deployments", "ns", "api"), "system:serviceaccount:ns:bot").decision, kNone);
  EXPECT_EQ(ask(resource("update", "apps", "deployments", "other", "web"), "system:serviceaccount:ns:bot").decision, kNone);
  EXPECT_EQ(ask(resource("update", "apps", "deployments", "ns", "web"), "system:serviceaccount:other:bot").decision, kNone);
}

TEST_F(RbacTest, MissingRolesAndMasters) {
  auto answer = ask(resource("get", "", "nodes"), "eve");
  EXPECT_EQ(answer.decision, kNone);
  EXPECT_EQ(answer.reason, "RBAC: clusterrole.rbac.authorization.k8s.io \"gone\" not found");
  EXPECT_EQ(ask(resource("delete", "", "nodes"), "root", "system:masters").decision, kAllow);
}

}  // namespace
}  // namespace portcullis
