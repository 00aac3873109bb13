// Resources: the built-in table, definitions, guesses.
#include "cli/resources.h"

#include <gtest/gtest.h>

#include "cli/yaml.h"

namespace portcullis {
namespace {

TEST(Resources, KnowsBuiltInKinds) {
  Resources resources;
  Resource r = resources.find("apps/v1", "Deployment", false);
  EXPECT_EQ(r.plural, "deployments");
  EXPECT_TRUE(r.namespaced);
  EXPECT_TRUE(r.served);
  EXPECT_EQ(r.source, Resource::Source::BuiltIn);
  EXPECT_EQ(resources.find("networking.k8s.io/v1", "NetworkPolicy", false).plural, "networkpolicies");
  EXPECT_FALSE(resources.find("v1", "Namespace", false).namespaced);
  EXPECT_FALSE(resources.find("apps/v1beta1", "Deployment", false).served);
}

TEST(Resources, GuessesOthers) {
  Resources resources;
  Resource r = resources.find("example.com/v1", "Policy", false);
  EXPECT_EQ(r.plural, "policies");
  EXPECT_EQ(r.source, Resource::Source::Guessed);
  EXPECT_EQ(resources.find("example.com/v1", "Bus", true).plural, "buses");
  EXPECT_EQ(resources.find("example.com/v1", "Cat", true).plural, "cats");
}

TEST(Resources, ReadsDefinitions) {
  Arena arena;
  Value crd = *read_yaml(
      "spec: {group: example.com, scope: Cluster, names: {kind: Goose, plural: geese},"
      " versions: [{name: v1, served: true}, {name: v2, served: true}, {name: v0, served: false}]}",
      arena);
  Resources resources;
  ASSERT_TRUE(resources.add_definition(crd));
  Resource r = resources.find("example.com/v2", "Goose", false);
  EXPECT_EQ(r.plural, "geese");
  EXPECT_FALSE(r.namespaced);
  EXPECT_TRUE(r.served);
  EXPECT_FALSE(resources.find("example.com/v0", "Goose", false).served);
  EXPECT_EQ(resources.equivalents().back().size(), 2u);
  EXPECT_FALSE(resources.add_definition(*read_yaml("spec: {}", arena)));
}

TEST(Resources, GroupsVersionsOfOneResource) {
  Resources resources;
  bool scalers = false, events = false;
  for (auto& same : resources.equivalents()) {
    scalers |= same[0].resource == "horizontalpodautoscalers" && same.size() == 2;
    events |= same[0].resource == "events" && same.size() == 2 && same[0].group != same[1].group;
  }
  EXPECT_TRUE(scalers);
  EXPECT_TRUE(events);
}

TEST(Resources, KnowsWhatSubresourcesTake) {
  Arena arena;
  Resources resources;
  ASSERT_TRUE(resources.add_definition(*read_yaml(
      "spec: {group: example.com, names: {kind: Goose, plural: geese}, versions: [{name: v1, served: true,"
      " subresources: {status: {}, scale: {specReplicasPath: .spec.n}}}, {name: v2, served: true}]}",
      arena)));
  auto told = [&](std::string_view name, std::string_view version) -> std::string {
    for (const Served& s : resources.served()) {
      if (name_of(s, true) != name || s.version != version) continue;
      return std::string(s.body_group) + "/" + std::string(s.body_version) + " " + std::string(s.body_kind) +
             ": " + operation_names(s.operations);
    }
    return "";
  };
  EXPECT_EQ(told("pods", "v1"), "/v1 Pod: CREATE, UPDATE and DELETE");
  EXPECT_EQ(told("pods/eviction", "v1"), "policy/v1 Eviction: CREATE");
  EXPECT_EQ(told("pods/exec", "v1"), "/v1 PodExecOptions: CONNECT");
  EXPECT_EQ(told("pods/log", "v1"), "/v1 Pod: nothing");
  EXPECT_EQ(told("deployments.apps/scale", "v1"), "autoscaling/v1 Scale: UPDATE");
  EXPECT_EQ(told("horizontalpodautoscalers.autoscaling/status", "v2"),
            "autoscaling/v2 HorizontalPodAutoscaler: UPDATE");
  EXPECT_EQ(told("bindings", "v1"), "/v1 Binding: CREATE");
  EXPECT_EQ(told("geese.example.com/status", "v1"), "example.com/v1 Goose: UPDATE");
  EXPECT_EQ(told("geese.example.com/scale", "v1"), "autoscaling/v1 Scale: UPDATE");
  EXPECT_EQ(told("geese.example.com/scale", "v2"), "");
  EXPECT_EQ(told("geese.example.com", "v2"), "example.com/v2 Goose: CREATE, UPDATE and DELETE");
}

}  // namespace
}  // namespace portcullis
