// Engine::load, Engine::exchange and Engine::change: problems and their places, params, namespaces, kinds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <portcullis/admission.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/face.h"

namespace portcullis::v1 {
namespace {

using testing::HasSubstr;

TEST(Face, ProblemsHavePlaces) {
  Manifests m = manifests({kPolicies, kData, R"(apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: wrong
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  validations:
  - expression: >-
      object.spec.x ||
      objet.y
)"});
  LoadResult loaded = Engine::load(m);
  EXPECT_EQ(loaded.engine, nullptr);
  ASSERT_EQ(loaded.problems.size(), 2);
  const Problem& p = loaded.problems[0];
  EXPECT_EQ(p.severity, Problem::Severity::Error);
  EXPECT_EQ(p.object, "ValidatingAdmissionPolicy/wrong");
  EXPECT_EQ(p.path, "spec.validations[0].expression");
  EXPECT_EQ(p.line, 11);
  EXPECT_EQ(p.column, 7);
  EXPECT_EQ(p.message(),
            "a.yaml:11:7: error: spec.validations[0].expression: undeclared reference to 'objet' (in "
            "container '')");
  EXPECT_EQ(loaded.problems[1].severity, Problem::Severity::Warning);
  LoadOptions options;
  options.keep_invalid = true;
  EXPECT_NE(Engine::load(m, options).engine, nullptr);
}

TEST(Face, TextThatDoesNotParseIsAnError) {
  Manifests m;
  EXPECT_FALSE(m.add("a: 1\n b: 2\n", "b.yaml"));
  ASSERT_EQ(m.problems().size(), 1);
  EXPECT_THAT(m.problems()[0].message(), testing::StartsWith("b.yaml:2:"));
  EXPECT_EQ(Engine::load(m).engine, nullptr);
}

// What decides nothing, and, where nobody will add it, what is looked for in vain.
TEST(Face, WhatIsMissingIsWarnedOf) {
  const std::string policies = R"(apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: a}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  validations:
  - {expression: "true", message: the authorizer is not asked}
  - expression: authorizer.path('/x').check('get').allowed()
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: a}
spec:
  policyName: a
  validationActions: [Deny]
  paramRef: {name: p, parameterNotFoundAction: Allow}
---
)";
  const std::string role =
      "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}, rules: []}\n---\n";
  const std::string param = "{apiVersion: v1, kind: ConfigMap, metadata: {name: p}}\n---\n";
  const std::string other = "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: k}}\n---\n";
  const auto texts = [](const std::string& text, bool all_given) {
    LoadOptions options;
    options.all_given = all_given;
    std::vector<std::string> out;
    for (const Problem& p : Engine::load(manifests({text}), options).problems) out.push_back(p.message());
    return out;
  };
  EXPECT_THAT(texts(policies, false), testing::IsEmpty());
  EXPECT_THAT(
      texts(policies, true),
      testing::ElementsAre(
          "a.yaml:18:3: warning: no v1 ConfigMap \"p\" is given; where it is missing, the policy does not "
          "apply "
          "(parameterNotFoundAction is Allow)",
          "a.yaml:10:5: warning: the authorizer is asked, and no RBAC object is given: it answers from the "
          "roles and bindings that every cluster has; members of system:masters may do everything"));
  EXPECT_THAT(texts(policies + role + param, true), testing::IsEmpty());
  EXPECT_THAT(texts(policies + other, false),
              testing::ElementsAre(
                  HasSubstr("warning: policies of other engines decide nothing here; found: ClusterPolicy")));
}

TEST(Face, ParamsAndNamespacesAreExchanged) {
  // The namespace of a param is that of the request, or the binding names it.
  std::string named(kPolicies);
  named.replace(named.find("{name: most, parameter"), 12, "{name: most, namespace: shop,");
  for (std::string_view policies : {kPolicies, std::string_view(named)}) {
    auto engine = load({policies, kData});
    Memory memory;
    Context context;
    ManifestRequest request{.object = *memory.read_yaml(kDeployment)};
    LoadResult other = engine->exchange(manifests(
        {"{apiVersion: v1, kind: ConfigMap, metadata: {name: most, namespace: shop}, data: {most: '9'}}"}));
    ASSERT_NE(other.engine, nullptr);
    EXPECT_TRUE(engine->has_namespace("shop"));
    EXPECT_FALSE(other.engine->has_namespace("shop"));
    EXPECT_TRUE(other.engine->review_manifest(request, context).allowed);
    EXPECT_FALSE(engine->review_manifest(request, context).allowed);
    LoadResult none = other.engine->exchange(Manifests());
    EXPECT_THAT(std::string(none.engine->review_manifest(request, context).status.message),
                HasSubstr("no params found"));
    EXPECT_TRUE(other.engine->review_manifest(request, context).allowed);
    EXPECT_EQ(engine->exchange(manifests({policies})).engine, nullptr);
  }
}

// The problems as lines, and whether there is an engine.
std::string outcome_of(const LoadResult& result) {
  std::string out = result.engine != nullptr ? "engine\n" : "no engine\n";
  for (const Problem& p : result.problems) out += p.message() + "\n";
  return out;
}

using Names = std::vector<ObjectName>;

TEST(Face, APartOfTheDataChanges) {
  const std::string labelled = policy("deployments", "namespaceObject.metadata.labels['most'] == '9'");
  auto engine = load({kPolicies, labelled, kData});
  Memory memory;
  Context context;
  ManifestRequest request{.object = *memory.read_yaml(kDeployment)};
  auto message = [&](const Engine& asked) {
    const Decision& d = asked.review_manifest(request, context);
    return d.allowed ? std::string("allowed") : std::string(d.status.message);
  };
  const std::string before = message(*engine);
  EXPECT_NE(before, "allowed");
  // One object after the other; the rest stays.
  auto param = engine->change(manifests(
      {"{apiVersion: v1, kind: ConfigMap, metadata: {name: most, namespace: shop}, data: {most: '9'}}"}));
  ASSERT_NE(param.engine, nullptr);
  EXPECT_TRUE(param.engine->has_namespace("shop"));
  EXPECT_THAT(message(*param.engine), HasSubstr("no such key: most"));
  auto space = param.engine->change(
      manifests({"{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {most: '9'}}}"}));
  EXPECT_EQ(message(*space.engine), "allowed");
  auto other = space.engine->change(manifests(
      {"{apiVersion: v1, kind: ConfigMap, metadata: {name: most, namespace: b}, data: {most: '0'}}"}));
  EXPECT_EQ(message(*other.engine), "allowed");
  auto gone = other.engine->change(Manifests(),
                                   Names{{"v1", "ConfigMap", "shop", "most"}, {"v1", "ConfigMap", "x", "y"}});
  EXPECT_THAT(message(*gone.engine), HasSubstr("no params found"));
  auto without = gone.engine->change(Manifests(), Names{{"v1", "Namespace", {}, "shop"}});
  EXPECT_FALSE(without.engine->has_namespace("shop"));
  EXPECT_TRUE(gone.engine->has_namespace("shop"));
  // The engines of before are as they were, also after those that they share with are gone.
  for (LoadResult* r : {&param, &space, &gone, &without}) r->engine.reset();
  EXPECT_EQ(message(*other.engine), "allowed");
  EXPECT_EQ(message(*engine), before);
  EXPECT_EQ(engine->change(manifests({kPolicies})).engine, nullptr);
}

// What a server would refuse takes away what had its name.
TEST(Face, AChangeThatIsRefusedTakesAway) {
  constexpr std::string_view kBad =
      "{apiVersion: v1, kind: Namespace, metadata: {name: good, labels: {tier: 1}}}";
  constexpr std::string_view kGood = "{apiVersion: v1, kind: Namespace, metadata: {name: good}}";
  auto strict = load({kGood});
  EXPECT_EQ(strict->change(manifests({kBad})).engine, nullptr);
  auto kept = Engine::load(manifests({kGood}), {.keep_invalid = true}).engine;
  LoadResult changed = kept->change(manifests({kBad}));
  ASSERT_EQ(changed.problems.size(), 1);
  EXPECT_FALSE(changed.engine->has_namespace("good"));
  EXPECT_TRUE(changed.engine->change(manifests({kGood})).engine->has_namespace("good"));
}

TEST(Face, RolesChangeOneByOne) {
  constexpr std::string_view kRole = R"(
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: viewer},
  rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]}
)";
  constexpr std::string_view kGrant = R"(
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: viewer},
  roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: viewer},
  subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: eve}]}
)";
  const std::string asks =
      policy("deployments", "authorizer.group('').resource('pods').check('get').allowed()");
  Memory memory;
  Context context;
  ManifestRequest request{.object = *memory.read_yaml(kDeployment)};
  request.user.username = "eve";
  auto allowed = [&](const Engine& engine) { return engine.review_manifest(request, context).allowed; };
  auto engine = load({asks, kRole});
  EXPECT_FALSE(allowed(*engine));
  auto granted = engine->change(manifests({kGrant})).engine;
  EXPECT_TRUE(allowed(*granted));
  auto other = granted->change(manifests({kData})).engine;
  EXPECT_TRUE(allowed(*other));
  const std::string_view group = "rbac.authorization.k8s.io/v1";
  EXPECT_FALSE(allowed(*other->change(Manifests(), Names{{group, "ClusterRole", {}, "viewer"}}).engine));
  EXPECT_FALSE(
      allowed(*other->change(Manifests(), Names{{group, "ClusterRoleBinding", {}, "viewer"}}).engine));
  EXPECT_TRUE(allowed(*other));
}

TEST(Face, NamespacesThatDoNotDecodeHaveAPlace) {
  constexpr std::string_view kSpaces = R"(apiVersion: v1
kind: Namespace
metadata: {name: good}
---
apiVersion: v1
kind: Namespace
metadata:
  name: bad
  labels: {tier: 1}
)";
  const std::string problem =
      "a.yaml:9:12: error: Namespace in version \"v1\" cannot be handled as a Namespace: json: cannot "
      "unmarshal number into Go struct field ObjectMeta.metadata.labels of type string\n";
  EXPECT_EQ(outcome_of(Engine::load(manifests({kSpaces}))), "no engine\n" + problem);
  LoadResult kept = Engine::load(manifests({kSpaces}), {.keep_invalid = true});
  EXPECT_EQ(outcome_of(kept), "engine\n" + problem);
  EXPECT_TRUE(kept.engine->has_namespace("good"));
  EXPECT_FALSE(kept.engine->has_namespace("bad"));
  EXPECT_EQ(outcome_of(kept.engine->exchange(manifests({kSpaces}))), "engine\n" + problem);
  EXPECT_EQ(outcome_of(load({kPolicies})->exchange(manifests({kSpaces}))), "no engine\n" + problem);
}

TEST(Face, ObjectsThatNoServerCanHaveAreErrors) {
  constexpr std::string_view kWrong = R"(apiVersion: v1
kind: LimitRange
metadata: {name: some, namespace: shop}
spec: {limits: [{type: Container, default: {memory: 1G1}}]}
---
apiVersion: v1
kind: ConfigMpa
metadata: {name: most, namespace: shop}
---
apiVersion: policy/v1beta1
kind: PodSecurityPolicy
metadata: {name: none}
---
apiVersion: example.com/v1
kind: Anything
metadata: {name: one}
)";
  const std::string problems =
      "a.yaml:4:45: error: LimitRange in version \"v1\" cannot be handled as a LimitRange: unable to parse "
      "quantity's suffix\n"
      "a.yaml:7:1: error: no matches for kind \"ConfigMpa\" in version \"v1\"\n"
      "a.yaml:10:1: error: no matches for kind \"PodSecurityPolicy\" in version \"policy/v1beta1\"\n";
  EXPECT_EQ(outcome_of(Engine::load(manifests({kWrong}))), "no engine\n" + problems);
  EXPECT_EQ(outcome_of(Engine::load(manifests({kWrong}), {.keep_invalid = true})), "engine\n" + problems);
  EXPECT_EQ(outcome_of(load({kPolicies, kData})->exchange(manifests({kWrong}))), "no engine\n" + problems);
}

TEST(Face, TheLastOfOneNameCounts) {
  constexpr std::string_view kAgain = R"(apiVersion: v1
kind: ConfigMap
metadata: {name: most, namespace: shop}
data: {most: "9"}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {most: "9"}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: most, namespace: other}
)";
  const std::string problems =
      "engine\n"
      "a.yaml:3:12: warning: another ConfigMap has this name in namespace shop, and this one replaces it\n"
      "a.yaml:8:12: warning: another Namespace has this name, and this one replaces it\n";
  const std::string labelled = policy("deployments", "namespaceObject.metadata.labels['most'] == '9'");
  Memory memory;
  Context context;
  ManifestRequest request{.object = *memory.read_yaml(kDeployment)};
  LoadResult loaded = Engine::load(manifests({kPolicies, labelled, kData, kAgain}));
  EXPECT_EQ(outcome_of(loaded), problems);
  EXPECT_TRUE(loaded.engine->review_manifest(request, context).allowed);
  LoadResult made = loaded.engine->exchange(manifests({kData, kAgain}));
  EXPECT_EQ(outcome_of(made), problems);
  EXPECT_TRUE(made.engine->review_manifest(request, context).allowed);
  EXPECT_FALSE(
      loaded.engine->exchange(manifests({kAgain, kData})).engine->review_manifest(request, context).allowed);
}

TEST(Face, TheLastDefinitionOfAResourceCounts) {
  std::string other(kDefinition);
  other.replace(other.find("Namespaced"), 10, "Cluster");
  EXPECT_EQ(outcome_of(Engine::load(manifests({kDefinition, kDefinition}))), "engine\n");
  EXPECT_THAT(
      outcome_of(Engine::load(manifests({kDefinition, other}))),
      HasSubstr("warning: another CustomResourceDefinition of this resource has another spec, and this one "
                "replaces it\n"));
}

TEST(Face, ThreadsDecideWhileOneExchanges) {
  auto engine = load({kPolicies, kData});
  std::shared_ptr<const Engine> last = engine;
  auto ask = [&] {
    Memory memory;
    Context context;
    ManifestRequest request{.object = *memory.read_yaml(kDeployment)};
    for (int i = 0; i < 200; i++) EXPECT_FALSE(engine->review_manifest(request, context).allowed);
  };
  std::thread a(ask), b(ask);
  for (int i = 0; i < 20; i++) {
    last = last->exchange(manifests({kData})).engine;
    last = last->change(manifests({kData})).engine;
  }
  a.join();
  b.join();
  EXPECT_NE(last, nullptr);
}

TEST(Face, OnlyKindsThatTheClusterHasAreParams) {
  LoadOptions options;
  options.param_kinds = {{"example.com/v1", "Limit", true}};
  options.keep_invalid = true;
  Memory memory;
  Context context;
  ManifestRequest request{.object = *memory.read_yaml(kDeployment)};
  auto status = [&](std::initializer_list<std::string_view> texts) {
    return std::string(
        Engine::load(manifests(texts), options).engine->review_manifest(request, context).status.message);
  };
  EXPECT_THAT(status({kPolicies, kData}),
              HasSubstr("failed to find resource referenced by paramKind: '/v1, Kind=ConfigMap'"));
  options.param_kinds->push_back({"v1", "ConfigMap", true});
  EXPECT_THAT(status({kPolicies, kData}), HasSubstr("more than 5"));
}

// kPolicies with a Limit as param, of which `most` is the number of replicas that it allows, as a text.
std::string limited_by(std::string_view most) {
  std::string policies(kPolicies);
  policies.replace(policies.find("apiVersion: v1, kind: ConfigMap"), 31,
                   "apiVersion: example.com/v1, kind: Limit");
  for (size_t at; (at = policies.find("params.data.most")) != policies.npos;) policies.replace(at, 16, most);
  return policies;
}

TEST(Face, StoredParamsCountThoughTheirDefinitionRefusesThem) {
  const std::string policies = limited_by("string(params.spec.most)");
  const std::string param =
      "{apiVersion: example.com/v1, kind: Limit, metadata: {name: most, namespace: shop}, spec: {most: 8}}";
  Memory memory;
  Context context;
  ManifestRequest request{.object = *memory.read_yaml(kDeployment)};
  EXPECT_EQ(Engine::load(manifests({policies, kDefinition, param})).engine, nullptr);
  LoadOptions options;
  options.keep_invalid = true;
  LoadResult loaded = Engine::load(manifests({policies, kDefinition, param}), options);
  ASSERT_NE(loaded.engine, nullptr);
  EXPECT_TRUE(loaded.engine->review_manifest(request, context).allowed);
}

// The server's definition may have fields that ours has not.
TEST(Face, ParamsOfAServerAreTakenAsTheyAre) {
  const std::string policies = limited_by("string(has(params.spec.newer) && !has(params.spec.most) ? 9 : 0)");
  LoadOptions options;
  options.keep_invalid = true;
  Memory memory;
  Context context;
  const ManifestRequest request{.object = *memory.read_yaml(kDeployment)};
  auto allows = [&](const std::string& metadata) {
    const std::string param =
        "{apiVersion: example.com/v1, kind: Limit, metadata: {name: most, namespace: shop" + metadata +
        "}, spec: {newer: 1}}";
    const auto engine = Engine::load(manifests({policies, kDefinition, param}), options).engine;
    return engine != nullptr && engine->review_manifest(request, context).allowed;
  };
  EXPECT_TRUE(allows(", uid: u, resourceVersion: '7'"));
  EXPECT_FALSE(allows(""));
}

TEST(Face, MutatingPoliciesHaveProblemsAndPlaces) {
  Manifests m = manifests({mutating("pods", json_patch("[JSONPatch{op: 'remove', pth: objet.a}]")),
                           R"(apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: other}
spec: {policyName: p, validationActions: [Deny]}
)"});
  LoadResult loaded = Engine::load(m);
  EXPECT_EQ(loaded.engine, nullptr);
  ASSERT_FALSE(loaded.problems.empty());
  EXPECT_EQ(loaded.problems[0].object, "MutatingAdmissionPolicy/p");
  EXPECT_EQ(loaded.problems[0].path, "spec.mutations[0].jsonPatch.expression");
  EXPECT_GT(loaded.problems[0].column, 0);
  EXPECT_THAT(loaded.problems.back().text,
              HasSubstr("the binding names the policy \"p\", which is not among the manifests"));
  LoadResult webhook =
      Engine::load(manifests({"{apiVersion: admissionregistration.k8s.io/v1, kind: "
                              "MutatingWebhookConfiguration, metadata: {name: w}}"}));
  ASSERT_EQ(webhook.problems.size(), 1);
  EXPECT_EQ(webhook.problems[0].severity, Problem::Severity::Warning);
  EXPECT_THAT(webhook.problems[0].text, testing::StartsWith("MutatingWebhookConfiguration is not called"));
  auto engine = load({policy("pods", "true"), mutating("pods", kSidecar)});
  EXPECT_EQ(engine->exchange(manifests({mutating("pods", kSidecar)})).engine, nullptr);
}

TEST(Face, ScopeOfUnknownParamKindsIsAskedFor) {
  constexpr std::string_view kText =
      R"({apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy,
metadata: {name: p}, spec: {paramKind: {apiVersion: example.com/v1, kind: Limit}, matchConstraints: {resourceRules: [
{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}, validations: [{expression: 'true'}]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: p},
  spec: {policyName: p, validationActions: [Deny], paramRef: {name: a, parameterNotFoundAction: Deny}}}
)";
  LoadResult loaded = Engine::load(manifests({kText}));
  EXPECT_EQ(loaded.engine, nullptr);
  ASSERT_EQ(loaded.problems.size(), 1);
  EXPECT_EQ(loaded.problems[0].text,
            "it is unknown whether example.com/v1 Limit is namespaced: give its CustomResourceDefinition or "
            "LoadOptions::param_scopes");
  EXPECT_EQ(loaded.problems[0].option, "LoadOptions::param_scopes");
  LoadOptions failing;
  failing.fail_unknown_scopes = true;
  loaded = Engine::load(manifests({kText}), failing);
  ASSERT_NE(loaded.engine, nullptr);
  ASSERT_EQ(loaded.problems.size(), 1);
  EXPECT_EQ(loaded.problems[0].severity, Problem::Severity::Warning);
  EXPECT_THAT(loaded.problems[0].text, HasSubstr("so the policy fails when a request meets it"));
  LoadOptions options;
  options.param_scopes = {{"example.com", "Limit", false}};
  EXPECT_NE(load({kText}, options), nullptr);

  // A second policy of the kind is told, too; and a namespace of an object or paramRef says that the kind has them.
  auto renamed = [](std::string text, std::string_view name) {
    for (size_t at = 0; (at = text.find("name: p}", at)) != text.npos; at += name.size())
      text.replace(at, 8, "name: " + std::string(name) + "}");
    const size_t target = text.find("policyName: p,");
    return text.replace(target, 14, "policyName: " + std::string(name) + ",");
  };
  const std::string second = renamed(std::string(kText), "q");
  EXPECT_EQ(Engine::load(manifests({kText, second})).problems.size(), 2);
  std::string inside = second;
  inside.insert(inside.find("paramRef: {") + 11, "namespace: shop, ");
  EXPECT_TRUE(Engine::load(manifests({kText, inside})).problems.empty());
  constexpr std::string_view kLimit =
      "{apiVersion: example.com/v2, kind: Limit, metadata: {name: a, namespace: shop}}";
  EXPECT_TRUE(Engine::load(manifests({kText, second, kLimit})).problems.empty());
}

TEST(Face, ABindingIsNotBlamedForItsPolicy) {
  std::string broken(kPolicies);
  broken.replace(broken.find("validations:"), 12, "validations: 3\n  variables:");
  LoadResult loaded = Engine::load(manifests({broken, kData}));
  ASSERT_EQ(loaded.problems.size(), 1);
  EXPECT_EQ(loaded.problems[0].severity, Problem::Severity::Error);
  EXPECT_EQ(loaded.problems[0].object, "ValidatingAdmissionPolicy/most");
}

// What the command line says of the same files.
TEST(Face, KindsOfTheWrongGroupAreErrors) {
  std::string text = policy("pods", "true");
  const std::string sound = text;
  for (size_t at; (at = text.find("admissionregistration.k8s.io")) != text.npos;)
    text.replace(at, 28, "admission.k8s.io");
  LoadResult loaded = Engine::load(manifests({text}));
  EXPECT_EQ(loaded.engine, nullptr);
  ASSERT_EQ(loaded.problems.size(), 2);
  EXPECT_EQ(loaded.problems[0].text,
            "ValidatingAdmissionPolicy is a kind of admissionregistration.k8s.io; "
            "this one would decide nothing");
  EXPECT_EQ(loaded.problems[0].path, "apiVersion");
  EXPECT_EQ(load({sound})->exchange(manifests({text})).engine, nullptr);
  loaded = Engine::load(
      manifests({sound, "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingPolicy}"}));
  ASSERT_EQ(loaded.problems.size(), 1);
  EXPECT_EQ(loaded.problems[0].severity, Problem::Severity::Error);
  EXPECT_EQ(loaded.problems[0].text,
            "no matches for kind \"ValidatingPolicy\" in version \"admissionregistration.k8s.io/v1\"");
}

// Only known releases are accepted: rules for others would be guesses.
TEST(Load, TakesKnownReleases) {
  Manifests manifests;
  manifests.add(kPolicies, "policies.yaml");
  for (uint32_t minor : {0u, 23u, 37u, 22u, 38u}) {
    LoadResult loaded = Engine::load(manifests, {.kubernetes_minor = minor});
    bool known = minor != 22 && minor != 38;
    EXPECT_EQ(loaded.engine != nullptr, known) << minor;
    if (known) continue;
    ASSERT_FALSE(loaded.problems.empty());
    EXPECT_THAT(loaded.problems[0].text, HasSubstr("kubernetes_minor"));
  }
}

TEST(Load, TakesNamesOfNamespaces) {
  Manifests manifests;
  manifests.add(kPolicies, "policies.yaml");
  for (std::string_view name : {"default", "a-1", "", "Bad Name", "a.b"}) {
    LoadResult loaded = Engine::load(manifests, {.namespace_name = std::string(name)});
    const bool good = name == "default" || name == "a-1";
    EXPECT_EQ(loaded.engine != nullptr, good) << name;
    if (good) continue;
    ASSERT_FALSE(loaded.problems.empty());
    EXPECT_THAT(loaded.problems[0].text,
                HasSubstr("LoadOptions::namespace_name is \"" + std::string(name) + '"'));
  }
}

// The API server's informers drop them.
TEST(Load, ParamsOfBuiltInKindsHaveNoManagedFields) {
  std::string policies(kPolicies), managed(kData);
  for (size_t at; (at = policies.find("params.data.most")) != policies.npos;)
    policies.replace(at, 16, "string(has(params.metadata.managedFields) ? 9 : 0)");
  const std::string_view name = "{name: most, namespace: shop";
  managed.replace(managed.find(name), name.size(), std::string(name) + ", managedFields: [{manager: m}]");
  auto engine = load({policies, managed});
  ASSERT_NE(engine, nullptr);
  Memory memory;
  Context context;
  EXPECT_FALSE(engine->review_manifest({.object = *memory.read_yaml(kDeployment)}, context).allowed);
}

TEST(Face, ParamsOfMutationsAreExchanged) {
  constexpr std::string_view kParams = R"(
{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicy, metadata: {name: team}, spec: {
  reinvocationPolicy: Never, paramKind: {apiVersion: v1, kind: ConfigMap},
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]},
  mutations: [{patchType: ApplyConfiguration, applyConfiguration: {
    expression: "Object{metadata: Object.metadata{labels: {'team': params.data.team}}}"}}]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicyBinding, metadata: {name: team},
  spec: {policyName: team, paramRef: {name: team, parameterNotFoundAction: Deny}}}
)";
  auto team = [](std::string_view name) {
    return "{apiVersion: v1, kind: ConfigMap, metadata: {name: team, namespace: default}, data: {team: " +
           std::string(name) + "}}";
  };
  auto engine = load({kParams, team("red")});
  ASSERT_NE(engine, nullptr);
  auto other = engine->exchange(manifests({team("blue")})).engine;
  ASSERT_NE(other, nullptr);
  auto ask = [](const Engine& asked, std::string_view name) {
    Memory memory;
    Context context;
    ManifestRequest request{.object = *memory.read_yaml(kPod)};
    for (int i = 0; i < 100; i++)
      EXPECT_EQ(asked.review_manifest(request, context).after.find_path("metadata.labels.team").as_text(),
                name);
  };
  std::thread a(ask, std::cref(*engine), "red"), b(ask, std::cref(*other), "blue");
  ask(*engine, "red");
  a.join();
  b.join();
}

}  // namespace
}  // namespace portcullis::v1
