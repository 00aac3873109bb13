// The sorts of requests that rules let through.
#include "admission/foresight/known_request.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "admission/builtin/registration.h"
#include "interpreter/values/json.h"

namespace portcullis::foresight {
namespace {

constexpr uint8_t kWritten = 7, kUpdate = 2, kConnect = 8;
const builtin::StructRow& row(std::string_view kind) { return *builtin::find_kind("v1", kind); }
const ServedResource kServed[] = {
    {"", "v1", "pods", "", "", "v1", "Pod", true, true, kWritten, &row("Pod")},
    {"", "v1", "pods", "exec", "", "v1", "PodExecOptions", true, true, kConnect, &row("PodExecOptions")},
    {"", "v1", "pods", "status", "", "v1", "Pod", true, true, kUpdate, &row("Pod")},
    {"", "v1", "namespaces", "", "", "v1", "Namespace", false, true, kWritten, &row("Namespace")},
    {"", "v1", "nodes", "", "", "v1", "Node", false, true, kWritten, &row("Node")},
    {"apps", "v1", "deployments", "scale", "autoscaling", "v1", "Scale", true, true, kUpdate},
    {"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", "",
     "admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration", false, true, kWritten},
    {"admissionregistration.k8s.io", "v1", "validatingadmissionpolicies", "", "admissionregistration.k8s.io",
     "v1", "ValidatingAdmissionPolicy", false, true, kWritten},
    {"example.com", "v1", "teams", "", "example.com", "v1", "Team", true, false, kWritten},
};

std::string word(const KnownRequest::Text& t) { return t ? std::string(*t) : "?"; }

// "CREATE ""/v1/pods/ Pod namespaced" of each sort.
std::set<std::string> sorts(std::string_view rules, Audience audience,
                            std::string_view match_policy = "Exact") {
  Arena arena;
  std::string text =
      R"({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
    "webhooks": [{"name": "a", "matchPolicy": ")" +
      std::string(match_policy) + R"(", "rules": )" + std::string(rules) + "}]}";
  auto value = read_json(text, arena);
  EXPECT_TRUE(value.ok());
  Decoded decoded = decode_object(arena, *value);
  EXPECT_EQ(decoded.error, "");
  MatchRules match = MatchRules::of_webhook(decoded.data["webhooks"].items[0]);
  ServedResources served{kServed, [](std::string_view group) { return !group.ends_with(".com"); }};
  std::set<std::string> out;
  for (const KnownRequest& k : requests_of(match, audience, served)) {
    std::string sort(operation_name(k.operation));
    sort += " " + word(k.group) + "/" + word(k.version) + "/" + word(k.resource) + "/" + word(k.subresource) +
            " " + word(k.kind);
    out.insert(sort +
               (!k.namespaced   ? ""
                : *k.namespaced ? " namespaced"
                                : " cluster") +
               (k.fields ? "" : " open"));
  }
  return out;
}

using Sorts = std::set<std::string>;

TEST(KnownRequest, RulesAgainstWhatIsServed) {
  EXPECT_EQ(
      sorts(
          R"([{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE", "CONNECT"]}])",
          Audience::Webhook),
      (Sorts{"CREATE /v1/pods/ Pod namespaced"}));
  EXPECT_EQ(
      sorts(
          R"([{"apiGroups": [""], "apiVersions": ["*"], "resources": ["pods/*"], "operations": ["CREATE", "CONNECT", "UPDATE"]}])",
          Audience::Webhook),
      (Sorts{"CREATE /?/pods/ Pod namespaced", "UPDATE /?/pods/ Pod namespaced",
             "UPDATE /?/pods/status Pod namespaced", "CONNECT /?/pods/exec PodExecOptions namespaced"}));
  EXPECT_EQ(
      sorts(
          R"([{"apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["*/scale"], "operations": ["*"]}])",
          Audience::Webhook),
      (Sorts{"UPDATE apps/v1/deployments/scale Scale namespaced open"}));
}

TEST(KnownRequest, ScopesAndNamespaces) {
  const char* rule =
      R"([{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["*"], "operations": ["DELETE"], "scope": "Cluster"}])";
  EXPECT_EQ(sorts(rule, Audience::Webhook),
            (Sorts{"DELETE /v1/nodes/ Node cluster", "DELETE /v1/namespaces/ Namespace"}));
}

TEST(KnownRequest, AVersionThatNoTableHas) {
  EXPECT_EQ(
      sorts(
          R"([{"apiGroups": [""], "apiVersions": ["v1", "v2"], "resources": ["nodes"], "operations": ["CREATE"]}])",
          Audience::Webhook),
      (Sorts{"CREATE /v1/nodes/ Node cluster", "CREATE /v2/nodes/ Node cluster open"}));
}

TEST(KnownRequest, EquivalentRequestsHaveOtherVersions) {
  EXPECT_EQ(
      sorts(
          R"([{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"]}])",
          Audience::Webhook, "Equivalent"),
      (Sorts{"CREATE /?/pods/ Pod namespaced"}));
}

TEST(KnownRequest, ResourcesThatNoTableHas) {
  EXPECT_EQ(
      sorts(
          R"([{"apiGroups": ["example.com"], "apiVersions": ["v1"], "resources": ["teams", "players"], "operations": ["CREATE"]}])",
          Audience::Webhook),
      (Sorts{"CREATE example.com/v1/teams/ Team namespaced open", "CREATE example.com/?/players/ ? open"}));
  EXPECT_EQ(
      sorts(
          R"([{"apiGroups": ["*"], "apiVersions": ["v1"], "resources": ["pods", "*/status"], "operations": ["UPDATE"]}])",
          Audience::Webhook),
      (Sorts{"UPDATE /v1/pods/ Pod namespaced", "UPDATE /v1/pods/status Pod namespaced",
             "UPDATE ?/?/pods/ ? open", "UPDATE ?/?/?/status ? open"}));
}

TEST(KnownRequest, WhatIsNeverSeen) {
  const char* all =
      R"([{"apiGroups": ["admissionregistration.k8s.io"], "apiVersions": ["v1"], "resources": ["*"], "operations": ["DELETE"]}])";
  EXPECT_EQ(sorts(all, Audience::Webhook), Sorts{});
  EXPECT_EQ(sorts(all, Audience::ValidatingPolicy),
            (Sorts{"DELETE admissionregistration.k8s.io/v1/validatingwebhookconfigurations/ "
                   "ValidatingWebhookConfiguration cluster open"}));
  EXPECT_EQ(sorts(all, Audience::MutatingPolicy), Sorts{});
}

}  // namespace
}  // namespace portcullis::foresight
