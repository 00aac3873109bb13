// Resources: the built-in table, definitions, guesses.
#include "manifests/resources.h"

#include <gtest/gtest.h>

#include "manifests/yaml.h"

namespace portcullis {
namespace {

TEST(Resources, KnowsBuiltInKinds) {
  Resources resources;
  Resource r = resources.find("apps/v1", "Deployment");
  EXPECT_EQ(r.plural, "deployments");
  EXPECT_TRUE(r.namespaced);
  EXPECT_EQ(r.availability, Availability::Served);
  EXPECT_EQ(resources.find("networking.k8s.io/v1", "NetworkPolicy").plural, "networkpolicies");
  EXPECT_FALSE(resources.find("v1", "Namespace").namespaced);
}

TEST(Resources, GuessesOthers) {
  Resources resources;
  Resource r = resources.find("example.com/v1", "Policy");
  EXPECT_EQ(r.plural, "policies");
  EXPECT_EQ(r.availability, Availability::Guessed);
  EXPECT_EQ(resources.find("example.com/v1", "Bus").plural, "buses");
  EXPECT_EQ(resources.find("example.com/v1", "Cat").plural, "cats");
  EXPECT_EQ(resources.find("example.com/v1", "Mesh").plural, "meshes");
  EXPECT_EQ(resources.find("example.com/v1", "Gateway").plural, "gateways");
}

TEST(Resources, KnowsWhatIsNotServed) {
  Resources resources;
  auto availability = [&](std::string_view api_version, std::string_view kind) {
    return resources.find(api_version, kind).availability;
  };
  EXPECT_EQ(availability("apps/v1beta1", "Deployment"), Availability::Gone);
  EXPECT_EQ(availability("extensions/v1beta1", "Ingress"), Availability::Gone);
  EXPECT_EQ(availability("policy/v1beta1", "PodSecurityPolicy"), Availability::Gone);
  EXPECT_EQ(availability("apps/v1", "Deploymnt"), Availability::Absent);
  EXPECT_EQ(availability("v1", "Deployment"), Availability::Absent);
  EXPECT_EQ(availability("apps/v7", "Deployment"), Availability::Absent);
  EXPECT_EQ(availability("extensions/v1beta1", "Pod"), Availability::Absent);
  EXPECT_EQ(availability("settings.k8s.io/v1", "Pod"), Availability::Absent);
  EXPECT_EQ(availability("resource.k8s.io/v1beta1", "ResourceClaim"), Availability::OffByDefault);
  EXPECT_EQ(availability("gateway.networking.k8s.io/v1", "Gateway"), Availability::Guessed);
  for (const char* api_version : {"core/v1", "v1/v1", "example.com/v1/v1", "example.com/V1", "Example.com/v1",
                                  "example.com./v1", ".example.com/v1", "example..com/v1", "example.com/1"})
    EXPECT_EQ(availability(api_version, "Goose"), Availability::Absent) << api_version;
  EXPECT_EQ(availability("example.com/v1", "Goose "), Availability::Absent);
  EXPECT_EQ(availability("a-1.example.com/v1", "Goose2"), Availability::Guessed);
  EXPECT_EQ(resources.find("batch/v1beta1", "CronJob").gone, 25u);
}

// Every kind of an older release that still exists is the same object as its newest version.
TEST(Resources, ServesWhatAnOlderReleaseServes) {
  Resources resources;
  resources.set_minor(24);
  EXPECT_EQ(resources.find("policy/v1beta1", "PodDisruptionBudget").availability, Availability::Served);
  EXPECT_EQ(resources.find("extensions/v1beta1", "Ingress").availability, Availability::Gone);
  bool same_objects = false;
  for (auto& same : resources.equivalents())
    same_objects |= same[0].resource == "poddisruptionbudgets" && same.size() == 2;
  EXPECT_TRUE(same_objects);
}

TEST(Resources, GuessesPluralsByNamesInRules) {
  Resources resources;
  resources.add_name("example.com", "mice");
  resources.add_name("example.com", "cats");
  resources.add_name("*", "geese");
  auto plural = [&](std::string_view api_version, std::string_view kind) {
    return resources.find(api_version, kind).plural;
  };
  EXPECT_EQ(plural("example.com/v1", "Mouse"), "mice");
  EXPECT_EQ(plural("example.com/v1", "Goose"), "geese");
  EXPECT_EQ(plural("example.com/v1", "Car"), "cars");
  EXPECT_EQ(plural("other.com/v1", "Goose"), "geese");
  EXPECT_EQ(plural("other.com/v1", "Cat"), "cats");
}

TEST(Resources, ReadsDefinitions) {
  Arena arena;
  Value crd = *read_yaml(
      "spec: {group: example.com, scope: Cluster, names: {kind: Goose, plural: geese},"
      " versions: [{name: v1, served: true}, {name: v2, served: true}, {name: v0, served: false}]}",
      arena);
  Resources resources;
  ASSERT_TRUE(resources.add_definition(crd));
  Resource r = resources.find("example.com/v2", "Goose");
  EXPECT_EQ(r.plural, "geese");
  EXPECT_FALSE(r.namespaced);
  EXPECT_EQ(r.availability, Availability::Served);
  EXPECT_EQ(resources.find("example.com/v0", "Goose").availability, Availability::Absent);
  EXPECT_EQ(resources.find("example.com/v2", "Geese").availability, Availability::Guessed);
  for (std::string_view kind : {"goose", "GooseList"})
    EXPECT_EQ(resources.find("example.com/v2", kind).availability, Availability::Absent) << kind;
  EXPECT_EQ(resources.equivalents().back().size(), 3u);  // v0, too: see tests/cli/subresource.txt
  EXPECT_FALSE(resources.equivalents().back()[0].by_webhook);
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
  ASSERT_TRUE(resources.add_definition(
      *read_yaml("spec: {group: example.com, scope: Namespaced, names: {kind: Goose, plural: geese},"
                 " versions: [{name: v1, served: true, subresources: {status: {}, scale: {specReplicasPath: "
                 ".spec.n}}}, {name: v2, served: true}]}",
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
