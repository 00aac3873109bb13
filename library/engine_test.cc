// The public face: loading with places, the three kinds of request, mutation, exchange, definitions,
// authorizers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <portcullis/admission.h>

#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace portcullis::v1 {
namespace {

using testing::HasSubstr;

constexpr std::string_view kPolicies = R"yaml(apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: most}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE, DELETE], resources: [deployments]}]
  validations:
  - expression: "object == null || object.spec.replicas <= int(params.data.most)"
    messageExpression: "'more than ' + params.data.most"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: most}
spec: {policyName: most, validationActions: [Deny], paramRef: {name: most, parameterNotFoundAction: Deny}}
)yaml";
constexpr std::string_view kData = R"(apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: most, namespace: shop}, data: {most: "5"}}
- {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
)";
constexpr std::string_view kDeployment =
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, "
    "spec: {replicas: 8, selector: {}, template: {}}}";

Manifests manifests(std::initializer_list<std::string_view> texts) {
  Manifests out;
  for (std::string_view text : texts) EXPECT_TRUE(out.add(text, "a.yaml"));
  return out;
}

std::shared_ptr<const Engine> load(std::initializer_list<std::string_view> texts, LoadOptions options = {}) {
  LoadResult loaded = Engine::load(manifests(texts), options);
  for (const Problem& p : loaded.problems) ADD_FAILURE() << p.message();
  return loaded.engine;
}

// A policy for `resource` of all groups, and its binding.
std::string policy(std::string_view resource, std::string_view expression) {
  return R"({apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: p}, spec: {
  matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: [)" +
         std::string(resource) + "]}]}, validations: [{expression: \"" + std::string(expression) + R"("}]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: p},
  spec: {policyName: p, validationActions: [Deny]}}
)";
}

TEST(Face, ManifestIsDecided) {
  auto engine = load({kPolicies, kData});
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(engine->policy_count(), 1);
  Memory memory;
  Context context;
  Value object = *memory.read_yaml(kDeployment);
  const Decision& decision = engine->review_manifest({.object = object}, context);
  EXPECT_FALSE(decision.allowed);
  EXPECT_FALSE(decision.refused);
  EXPECT_EQ(decision.status.code, 422);
  EXPECT_EQ(decision.status.message,
            "deployments.apps \"web\" is forbidden: ValidatingAdmissionPolicy 'most' with binding 'most' "
            "denied request: more than 5");
  EXPECT_THAT(status_json(decision), HasSubstr(R"("reason":"Invalid","status":"Failure")"));
  EXPECT_TRUE(engine->review_manifest({.object = object, .operation = Operation::Delete}, context).allowed);
}

TEST(Face, UpdateNeedsWhatItReplaces) {
  auto engine = load({kPolicies, kData});
  Memory memory;
  Context context;
  Value object = *memory.read_yaml(kDeployment);
  ManifestRequest update{.object = object, .operation = Operation::Update};
  const Decision& without = engine->review_manifest(update, context);
  EXPECT_TRUE(without.refused);
  EXPECT_THAT(std::string(without.status.message), HasSubstr("what it replaces is not given"));
  update.old_object = object;
  EXPECT_FALSE(engine->review_manifest(update, context).refused);
}

TEST(Face, WhatTheServerRefusesIsSaid) {
  auto engine = load({kPolicies, kData});
  Memory memory;
  Context context;
  auto refusal = [&](std::string_view yaml) {
    const Decision& d = engine->review_manifest({.object = *memory.read_yaml(yaml)}, context);
    EXPECT_TRUE(d.refused && !d.allowed);
    return std::to_string(d.status.code) + " " + std::string(d.status.message);
  };
  EXPECT_EQ(refusal("{apiVersion: apps/v1, kind: Deploymnt}"),
            "404 no matches for kind \"Deploymnt\" in version \"apps/v1\"");
  EXPECT_THAT(refusal("{apiVersion: apps/v1, kind: Deployment, spec: {replicas: many}}"),
              HasSubstr("400 Deployment in version \"v1\" cannot be handled as a Deployment: "));
  EXPECT_EQ(refusal("{kind: Pod}"), "400 the object has no apiVersion");
  EXPECT_EQ(refusal("[1]"), "400 the object has no kind");
}

TEST(Face, UnknownFieldsAreTold) {
  auto engine = load({policy("configmaps", "!has(object.dta)")});
  Memory memory;
  Context context;
  Value object = *memory.read_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, dta: {a: b}}");
  const Decision& decision = engine->review_manifest({.object = object}, context);
  EXPECT_TRUE(decision.allowed);
  ASSERT_EQ(decision.unknown_fields.size(), 1);
  EXPECT_EQ(decision.unknown_fields[0], "dta");
  EXPECT_FALSE(engine->review_manifest({.object = object, .as_is = true}, context).allowed);
}

TEST(Face, AttributesAreDecided) {
  auto engine = load({kPolicies, kData});
  Memory memory;
  Context context;
  Request request{.kind = {"apps", "v1", "Deployment"},
                  .resource = {"apps", "v1", "deployments"},
                  .name = "web",
                  .namespace_name = "shop",
                  .object = *memory.read_yaml(kDeployment)};
  EXPECT_FALSE(engine->review(request, context).allowed);
  request.object = *memory.read_json(R"({"spec": {"replicas": 5}})");
  EXPECT_TRUE(engine->review(request, context).allowed);
}

TEST(Face, ResultsIfWanted) {
  auto engine = load({kPolicies, kData});
  Memory memory;
  Context context;
  ManifestRequest request{.object = *memory.read_yaml(kDeployment)};
  EXPECT_TRUE(engine->review_manifest(request, context).results.empty());
  context.want_results(Results::All);
  const Decision& decision = engine->review_manifest(request, context);
  ASSERT_EQ(decision.results.size(), 1);
  EXPECT_EQ(decision.results[0].kind, ValidationResult::Kind::Failed);
  EXPECT_EQ(decision.results[0].policy, "most");
  EXPECT_EQ(decision.results[0].param, "shop/most");
  EXPECT_GT(decision.results[0].cost, 0);
  context.want_results(Results::Failures);
  EXPECT_EQ(engine->review_manifest(request, context).results.size(), 1);

  request.object = *memory.read_yaml(
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, "
      "spec: {replicas: 1, selector: {}, template: {}}}");
  const Decision& passed = engine->review_manifest(request, context);
  EXPECT_TRUE(passed.allowed);
  EXPECT_EQ(passed.policies_matched, 1);
  EXPECT_TRUE(passed.results.empty());
  context.want_results(Results::All);
  ASSERT_EQ(engine->review_manifest(request, context).results.size(), 1);
}

TEST(Face, AdmissionReviewIsAnswered) {
  auto engine = load({kPolicies, kData});
  Context context;
  auto answer = [&](std::string_view version, std::string_view request) {
    auto made =
        engine->review_json(R"({"apiVersion":"admission.k8s.io/)" + std::string(version) +
                                R"(","kind":"AdmissionReview","request":)" + std::string(request) + "}",
                            context);
    if (!made.ok()) return "no answer: " + made.error().text;
    EXPECT_GT(made->time.count(), 0);
    return std::string(made->json);
  };
  constexpr std::string_view kRequest =
      R"({"uid":"u","operation":"CREATE","kind":{"group":"apps","version":"v1","kind":"Deployment"},
      "resource":{"group":"apps","version":"v1","resource":"deployments"},"name":"web","namespace":"shop",
      "object":{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":6}}})";
  EXPECT_EQ(
      answer("v1beta1", kRequest),
      R"({"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","response":{"allowed":false,)"
      R"("status":{"code":422,"details":{"causes":[{"message":"ValidatingAdmissionPolicy 'most' with )"
      R"(binding 'most' denied request: more than 5"}],"group":"apps","kind":"deployments","name":"web"},)"
      R"("message":"deployments.apps \"web\" is forbidden: ValidatingAdmissionPolicy 'most' with binding )"
      R"('most' denied request: more than 5","metadata":{},"reason":"Invalid","status":"Failure"},)"
      R"("uid":"u"}})");
  EXPECT_EQ(answer("v1", R"({"uid":"x","operation":"DO"})"),
            R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":false,)"
            R"("status":{"message":"the request has no operation, or none that exists"},"uid":"x"}})");
  EXPECT_THAT(answer("v3", "{}"), HasSubstr(R"("allowed":false)"));
  EXPECT_EQ(engine->review_json("{", context).error().text, "unexpected end of JSON input");
  EXPECT_THAT(engine->review_json("{}", context).error().text, HasSubstr("no AdmissionReview"));
}

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
      "a.yaml:9:12: error: the API server refuses it: json: cannot unmarshal number into Go struct field "
      "ObjectMeta.metadata.labels of type string\n";
  EXPECT_EQ(outcome_of(Engine::load(manifests({kSpaces}))), "no engine\n" + problem);
  LoadResult kept = Engine::load(manifests({kSpaces}), {.keep_invalid = true});
  EXPECT_EQ(outcome_of(kept), "engine\n" + problem);
  EXPECT_TRUE(kept.engine->has_namespace("good"));
  EXPECT_FALSE(kept.engine->has_namespace("bad"));
  EXPECT_EQ(outcome_of(kept.engine->exchange(manifests({kSpaces}))), "engine\n" + problem);
  EXPECT_EQ(outcome_of(load({kPolicies})->exchange(manifests({kSpaces}))), "no engine\n" + problem);
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
  for (int i = 0; i < 20; i++) last = last->exchange(manifests({kData})).engine;
  a.join();
  b.join();
  EXPECT_NE(last, nullptr);
}

TEST(Face, NamespacesAreAssumedUnlessToldOtherwise) {
  const std::string text = policy("configmaps", "namespaceObject.metadata.name == 'nowhere'");
  Memory memory;
  Context context;
  ManifestRequest request{.object = *memory.read_yaml(
                              "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: nowhere}}")};
  EXPECT_TRUE(load({text})->review_manifest(request, context).allowed);
  LoadOptions options;
  options.assume_namespaces = false;
  EXPECT_FALSE(load({text}, options)->has_namespace("nowhere"));
  EXPECT_EQ(load({text}, options)->review_manifest(request, context).status.message,
            "namespaces \"nowhere\" not found");
}

// A verdict that another label of the namespace might change is told from one that stands.
TEST(Face, AssumedNamespacesAreTold) {
  Memory memory;
  Context context;
  ManifestRequest request{
      .object = *memory.read_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}")};
  auto assumed = [&](const std::string& text) {
    return load({text})->review_manifest(request, context).assumed_namespace;
  };
  const std::string plain = policy("configmaps", "true");
  std::string selecting = plain;
  selecting.insert(selecting.find("matchConstraints: {") + 19,
                   "namespaceSelector: {matchLabels: {env: prod}}, ");
  const std::string shop = "---\n{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n";
  EXPECT_FALSE(assumed(plain));
  EXPECT_TRUE(assumed(selecting));
  EXPECT_TRUE(assumed(policy("configmaps", "!has(namespaceObject.metadata.labels.env)")));
  EXPECT_FALSE(assumed(selecting + shop));
  // A Namespace is selected by its own labels, and what is in no namespace by none.
  for (std::string_view kind : {"Namespace", "Node"}) {
    request.object =
        *memory.read_yaml("{apiVersion: v1, metadata: {name: a}, kind: " + std::string(kind) + "}");
    EXPECT_FALSE(assumed(selecting)) << kind;
  }
}

TEST(Face, RequestsThatNoServerMakesAreRefused) {
  std::string text = policy("configmaps", "false");
  text.insert(text.find("spec: {") + 7, "failurePolicy: Ignore, ");
  auto engine = load({text});
  Memory memory;
  Context context;
  const Value object = *memory.read_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}");
  const Request sound{
      .kind = {"", "v1", "ConfigMap"}, .resource = {"", "v1", "configmaps"}, .object = object};
  auto refusal = [&](auto change) {
    Request request = sound;
    change(request);
    const Decision& d = engine->review(request, context);
    EXPECT_FALSE(d.allowed);
    return d.refused ? std::to_string(d.status.code) + " " + std::string(d.status.message) : "no";
  };
  EXPECT_EQ(refusal([](Request&) {}), "no");
  EXPECT_EQ(refusal([](Request& r) { r = {}; }), "400 the request has no kind");
  EXPECT_EQ(refusal([](Request& r) { r.kind.version = {}; }), "400 the kind of the request has no version");
  EXPECT_EQ(refusal([](Request& r) { r.resource.resource = {}; }), "400 the request has no resource");
  EXPECT_EQ(refusal([](Request& r) { r.resource.version = {}; }),
            "400 the resource of the request has no version");
  EXPECT_EQ(refusal([](Request& r) { r.object = {}; }), "400 this is a CREATE, and the object is not given");
  EXPECT_EQ(refusal([](Request& r) { r.object = Value::string("x"); }), "400 request.object is no object");
  EXPECT_EQ(refusal([](Request& r) { r.old_object = Value::integer(1); }),
            "400 request.oldObject is no object");
  EXPECT_EQ(refusal([](Request& r) { r.options = Value::integer(1); }), "400 request.options is no object");
  EXPECT_EQ(refusal([](Request& r) { r.operation = Operation::Update; }),
            "400 this is an UPDATE, and what it replaces is not given");
  EXPECT_EQ(refusal([](Request& r) { r.operation = Operation::Delete; }),
            "400 this is a DELETE: what it deletes is the old object");
  constexpr std::string_view kGroups[] = {"system:masters"};
  EXPECT_EQ(refusal([&](Request& r) { r.user.groups = kGroups; }),
            "400 the user has groups, uid or extra, but no username");
  EXPECT_TRUE(engine->review_manifest({.object = object, .user = {.groups = kGroups}}, context).refused);
  EXPECT_TRUE(engine->mutate(Request{}, context).refused);
  EXPECT_TRUE(engine->admit(Request{}, context).refused);
}

TEST(Face, WhoIsNotNamedIsAnonymous) {
  auto engine = load({policy("configmaps",
                             "request.userInfo.username == 'system:anonymous' && "
                             "request.userInfo.groups == ['system:unauthenticated']")});
  Memory memory;
  Context context;
  const Value object = *memory.read_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}");
  EXPECT_TRUE(engine->review_manifest({.object = object}, context).allowed);
  const Request request{
      .kind = {"", "v1", "ConfigMap"}, .resource = {"", "v1", "configmaps"}, .object = object};
  EXPECT_TRUE(engine->review(request, context).allowed);
}

// Interrupts the review that asks it.
class Interrupting final : public Authorizer {
 public:
  AuthorizationAnswer authorize(const AuthorizationCheck&) const override {
    asked++;
    interrupt = true;
    return {};
  }
  mutable std::atomic<bool> interrupt = false;
  mutable int asked = 0;
};

TEST(Face, InterruptedReviewsAreNoVerdict) {
  auto ignoring = [](std::string text) {
    text.insert(text.find("spec: {") + 7, "failurePolicy: Ignore, ");
    return text;
  };
  const std::string check = "authorizer.path('/healthz').check('get').allowed()";
  const std::string other = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}";
  auto engine = load({ignoring(policy("configmaps", check + " || [1].all(x, " + check + ") || true"))});
  Memory memory;
  Context context;
  Interrupting authorizer;
  context.set_authorizer(&authorizer);
  context.set_interrupt(&authorizer.interrupt);
  const ManifestRequest request{.object = *memory.read_yaml(other)};
  // It is set after the last look, so this verdict stands.
  const Decision& d = engine->review_manifest(request, context);
  EXPECT_TRUE(d.allowed);
  EXPECT_FALSE(d.interrupted);
  EXPECT_EQ(authorizer.asked, 2);
  // Now it is set before the policy, whose error failurePolicy would ignore.
  engine->review_manifest(request, context);
  EXPECT_FALSE(d.allowed);
  EXPECT_TRUE(d.refused && d.interrupted);
  EXPECT_EQ(d.status.code, 504);
  EXPECT_EQ(d.status.reason, "Timeout");
  EXPECT_EQ(authorizer.asked, 2);
  EXPECT_TRUE(d.results.empty());
  context.set_interrupt(nullptr);
  EXPECT_TRUE(engine->review_manifest(request, context).allowed);
  EXPECT_FALSE(d.interrupted);
  context.set_deadline(std::chrono::steady_clock::now());
  EXPECT_TRUE(engine->review_manifest(request, context).interrupted);
  EXPECT_TRUE(engine->admit_manifest(request, context).interrupted);
  // Errors of variables may be absorbed, but not this one.
  std::string variable = ignoring(policy("configmaps", "variables.a || true"));
  variable.insert(variable.find("validations:"), "variables: [{name: a, expression: '1 > 0'}], ");
  EXPECT_TRUE(load({variable})->review_manifest(request, context).interrupted);
  // A request that no policy is for needs no time.
  EXPECT_TRUE(load({policy("pods", "false")})->review_manifest(request, context).allowed);
  context.set_deadline(std::chrono::steady_clock::now() + std::chrono::hours(1));
  EXPECT_TRUE(engine->review_manifest(request, context).allowed);
}

constexpr std::string_view kDefinition =
    R"({apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition,
metadata: {name: limits.example.com}, spec: {group: example.com, scope: Namespaced, names: {kind: Limit, plural: limits,
singular: limit, listKind: LimitList}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {
type: object, properties: {spec: {type: object, properties: {most: {type: integer, default: 3, maximum: 7}}}}}}}]}})";

// Nobody asks conversion webhooks: a policy at another version fails, and where that is ignored, the decision says so.
TEST(Face, ObjectsThatOnlyAWebhookConvertsAreNotSeen) {
  const std::string definition =
      R"({apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: limits.example.com},
      spec: {group: example.com, scope: Namespaced, names: {kind: Limit, plural: limits, singular: limit,
      listKind: LimitList}, conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1],
      clientConfig: {url: "https://x/y"}}}, versions: [
      {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}},
      {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}]}})";
  Memory memory;
  Context context;
  const ManifestRequest request{
      .object = *memory.read_yaml("{apiVersion: example.com/v2, kind: Limit, metadata: {name: a}}")};
  std::string fails = policy("limits", "true");
  fails.replace(fails.find("apiVersions: ['*']"), 18, "apiVersions: [v1]");
  const Decision& d = load({definition, fails})->review_manifest(request, context);
  EXPECT_FALSE(d.allowed);
  EXPECT_THAT(d.status.message,
              HasSubstr("failed to convert object version: conversion webhook for example.com/v2, "
                        "Kind=Limit failed: conversion webhooks are not called"));
  const size_t at = fails.find("matchConstraints");
  const std::string ignores = fails.substr(0, at) + "failurePolicy: Ignore, " + fails.substr(at);
  load({definition, ignores})->review_manifest(request, context);
  EXPECT_TRUE(d.allowed && d.incomplete);
}

TEST(Face, CustomResourcesAreHeldAgainstTheirDefinition) {
  auto engine = load({kDefinition, policy("limits", "object.spec.most == 3 && !has(object.spec.more)")});
  Memory memory;
  Context context;
  auto decide = [&](std::string_view spec) -> const Decision& {
    std::string text =
        "{apiVersion: example.com/v1, kind: Limit, metadata: {name: a}, spec: " + std::string(spec) + "}";
    return engine->review_manifest({.object = *memory.read_yaml(text)}, context);
  };
  EXPECT_TRUE(decide("{more: 1}").allowed);
  EXPECT_EQ(decide("{more: 1}").unknown_fields.size(), 1);
  EXPECT_FALSE(decide("{most: 4}").refused);
  EXPECT_FALSE(decide("{most: 4}").allowed);
  const Decision& refused = decide("{most: 9}");
  EXPECT_TRUE(refused.refused);
  EXPECT_EQ(refused.status.code, 422);
  EXPECT_THAT(status_json(refused), HasSubstr("should be less than or equal to 7"));
  Result<Value> made = engine->normalize(
      *memory.read_yaml("{apiVersion: example.com/v1, kind: Limit, metadata: {name: a}, spec: {}}"), memory);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->find_path("spec.most").as_int(), 3);
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

TEST(Face, StoredParamsCountThoughTheirDefinitionRefusesThem) {
  std::string policies(kPolicies);
  policies.replace(policies.find("apiVersion: v1, kind: ConfigMap"), 31,
                   "apiVersion: example.com/v1, kind: Limit");
  for (size_t at; (at = policies.find("params.data.most")) != policies.npos;)
    policies.replace(at, 16, "string(params.spec.most)");
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

// A mutating policy of the same name for `resource` of all groups, and its binding.
std::string mutating(std::string_view resource, std::string_view mutation) {
  return R"(---
{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicy, metadata: {name: p}, spec: {
  reinvocationPolicy: Never, failurePolicy: Fail,
  matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: [)" +
         std::string(resource) + "]}]}, mutations: [" + std::string(mutation) + R"(]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicyBinding, metadata: {name: p},
  spec: {policyName: p}}
)";
}
std::string json_patch(std::string_view expression) {
  return R"({patchType: JSONPatch, jsonPatch: {expression: ")" + std::string(expression) + R"("}})";
}
// Adds a container, which then gets its defaults.
constexpr std::string_view kSidecar =
    "{patchType: ApplyConfiguration, applyConfiguration: {expression: \"Object{spec: Object.spec{containers: "
    "[Object.spec.containers{name: 'proxy', image: 'envoy:1'}]}}\"}}";
constexpr std::string_view kPod =
    "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c, image: 'a:1'}]}}";

TEST(Face, WhatNoServerHasIsRefused) {
  constexpr std::string_view kWithStatus =
      R"({apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition,
metadata: {name: states.example.com}, spec: {group: example.com, scope: Namespaced, names: {kind: State, plural: states,
singular: state, listKind: StateList}, versions: [{name: v1, served: true, storage: true, subresources: {status: {}},
schema: {openAPIV3Schema: {type: object}}}]}})";
  auto engine = load({kWithStatus});
  Memory memory;
  Context context;
  auto ask = [&](std::string_view yaml, std::string_view subresource, Operation operation,
                 std::string_view old = {}) {
    Value object = *memory.read_yaml(yaml);
    const Decision& d = engine->review_manifest({.object = object,
                                                 .old_object = old.empty() ? object : *memory.read_yaml(old),
                                                 .operation = operation,
                                                 .subresource = subresource},
                                                context);
    EXPECT_EQ(d.refused, !d.allowed);
    return d.allowed ? "allowed" : std::to_string(d.status.code) + " " + std::string(d.status.message);
  };
  using enum Operation;
  EXPECT_EQ(ask(kPod, "nope", Create), "404 pods has no subresource \"nope\"");
  EXPECT_EQ(ask(kPod, "no/such", Update), "404 pods has no subresource \"no/such\"");
  EXPECT_EQ(ask(kPod, "status", Create), "405 pods/status takes UPDATE, not CREATE");
  EXPECT_EQ(ask(kPod, "status", Delete), "405 pods/status takes UPDATE, not DELETE");
  EXPECT_EQ(ask(kPod, "status", Update), "allowed");
  EXPECT_EQ(ask(kPod, "ephemeralcontainers", Update), "allowed");
  EXPECT_EQ(ask(kPod, "eviction", Create), "400 pods/eviction takes policy/v1 Eviction, not v1 Pod");
  EXPECT_EQ(ask(kDeployment, "scale", Update),
            "400 deployments.apps/scale takes autoscaling/v1 Scale, not apps/v1 Deployment");
  EXPECT_EQ(ask("{apiVersion: v1, kind: ComponentStatus, metadata: {name: a}}", "", Create),
            "405 componentstatuses is only read");

  constexpr std::string_view kDefined = "{apiVersion: example.com/v1, kind: State, metadata: {name: a}}",
                             kUnknown = "{apiVersion: example.org/v1, kind: State, metadata: {name: a}}";
  EXPECT_EQ(ask(kDefined, "status", Update), "allowed");
  EXPECT_EQ(ask(kDefined, "status", Create), "405 states.example.com/status takes UPDATE, not CREATE");
  EXPECT_EQ(ask(kDefined, "scale", Update), "404 states.example.com has no subresource \"scale\"");
  EXPECT_EQ(ask(kUnknown, "status", Update), "allowed");
  EXPECT_EQ(ask(kUnknown, "status", Create), "405 states.example.org/status takes UPDATE, not CREATE");
  EXPECT_EQ(ask(kUnknown, "scale", Update), "404 states.example.org has no subresource \"scale\"");

  EXPECT_EQ(ask(kDefined, "", Update, kUnknown),
            "400 this is an UPDATE of example.com/v1 State default/a, and what it replaces is example.org/v1 "
            "State default/a");
  EXPECT_EQ(ask(kPod, "", Update, "{apiVersion: v1, kind: Nope, metadata: {name: a}}"),
            "400 this is an UPDATE of v1 Pod default/a, and what it replaces is v1 Nope default/a");
  EXPECT_EQ(ask(kPod, "", Update, "{apiVersion: v1, kind: Pod, metadata: {name: b, namespace: c}}"),
            "400 this is an UPDATE of v1 Pod default/a, and what it replaces is v1 Pod c/b");
  EXPECT_EQ(ask("{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}}", "",
                Update, "{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: a}}"),
            "allowed");
}

TEST(Face, MutationComesBeforeValidation) {
  auto engine = load({policy("pods",
                             "object.spec.containers.size() == 2 && "
                             "object.spec.containers[1].imagePullPolicy == 'IfNotPresent'"),
                      mutating("pods", kSidecar)});
  ASSERT_NE(engine, nullptr);
  EXPECT_TRUE(engine->has_mutations());
  EXPECT_EQ(engine->policy_count(), 2);
  Memory memory;
  Context context;
  ManifestRequest request{.object = *memory.read_yaml(kPod)};
  const Decision& decision = engine->review_manifest(request, context);
  EXPECT_TRUE(decision.allowed) << decision.status.message;
  EXPECT_TRUE(decision.mutated);
  EXPECT_EQ(decision.policies_matched, 2);
  EXPECT_EQ(decision.before.find_path("spec.containers").size(), 1);
  EXPECT_EQ(decision.after.find_path("spec.containers").at(1).find("name")->as_text(), "proxy");
  EXPECT_EQ(patch_json(decision),
            R"([{"op":"add","path":"/spec/containers/-","value":{"image":"envoy:1","imagePullPolicy":)"
            R"("IfNotPresent","name":"proxy","resources":{},"terminationMessagePath":"/dev/termination-log",)"
            R"("terminationMessagePolicy":"File"}}])");
  EXPECT_TRUE(decision.mutations.empty());
  request.operation = Operation::Delete;
  const Decision& gone = engine->review_manifest(request, context);
  EXPECT_FALSE(gone.mutated);
  EXPECT_TRUE(gone.after.is_null());
  EXPECT_EQ(patch_json(gone), "");
}

TEST(Face, MutationAlone) {
  auto engine = load({policy("pods", "false"), mutating("pods", kSidecar)});
  Memory memory;
  Context context;
  context.want_results(Results::All);
  ManifestRequest manifest{.object = *memory.read_yaml(kPod)};
  const Decision& decision = engine->mutate_manifest(manifest, context);
  EXPECT_TRUE(decision.allowed);
  EXPECT_TRUE(decision.mutated);
  ASSERT_EQ(decision.mutations.size(), 2);
  const MutationResult& result = decision.mutations[0];
  EXPECT_EQ(result.kind, MutationResult::Kind::Applied);
  EXPECT_EQ(std::string(result.policy) + "/" + std::string(result.binding), "p/p");
  EXPECT_EQ(result.mutation, 0);
  EXPECT_TRUE(result.changed);
  EXPECT_GT(result.cost, 0);
  EXPECT_EQ(result.after.find_path("spec.containers").size(), 2);
  EXPECT_EQ(decision.mutations[1].kind, MutationResult::Kind::NotAgain);
  EXPECT_EQ(decision.mutations[1].pass, 2);
  EXPECT_FALSE(engine->review_manifest(manifest, context).allowed);
  Request request{.kind = {"", "v1", "Pod"},
                  .resource = {"", "v1", "pods"},
                  .name = "a",
                  .namespace_name = "default",
                  .object = manifest.object,
                  .normalized = true};
  EXPECT_THAT(patch_json(engine->mutate(request, context)), HasSubstr("envoy:1"));
  auto without = load({policy("pods", "false")});
  EXPECT_FALSE(without->has_mutations());
  EXPECT_TRUE(without->mutate(request, context).allowed);
  EXPECT_FALSE(without->mutate_manifest(manifest, context).mutated);
}

TEST(Face, MutationRefuses) {
  auto engine =
      load({policy("pods", "true"), mutating("pods", json_patch("[JSONPatch{op: 'remove', path: '/no'}]"))});
  Memory memory;
  Context context;
  const Decision& decision = engine->review_manifest({.object = *memory.read_yaml(kPod)}, context);
  EXPECT_FALSE(decision.allowed);
  EXPECT_FALSE(decision.refused);
  EXPECT_FALSE(decision.mutated);
  EXPECT_THAT(status_json(decision), HasSubstr("policy 'p' with binding 'p' denied request: "));
  EXPECT_EQ(patch_json(decision), "");
}

TEST(Face, NormalizeMutatesNothing) {
  auto engine =
      load({mutating("pods", json_patch("[JSONPatch{op: 'replace', path: '/metadata/name', value: 'b'}]"))});
  Memory memory;
  Context context;
  EXPECT_TRUE(engine->review_manifest({.object = *memory.read_yaml(kPod)}, context).mutated);
  Result<Value> made = engine->normalize(*memory.read_yaml(kPod), memory);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->find_path("metadata.name").as_text(), "a");
  // Not the whole: the metadata tell the second of the creation.
  const Value unmutated = *load({policy("pods", "true")})->normalize(*memory.read_yaml(kPod), memory);
  EXPECT_EQ(to_json(made->find_path("spec")), to_json(unmutated.find_path("spec")));
}

TEST(Face, CustomResourcesAreMutated) {
  auto patch = [](std::string_view most) {
    return mutating(
        "limits",
        json_patch("[JSONPatch{op: 'replace', path: '/spec/most', value: " + std::string(most) + "}]"));
  };
  Memory memory;
  Context context;
  ManifestRequest request{
      .object = *memory.read_yaml(
          "{apiVersion: example.com/v1, kind: Limit, metadata: {name: a}, spec: {more: 1}}")};
  auto engine = load({kDefinition, policy("limits", "object.spec.most == 5"), patch("5")});
  const Decision& decision = engine->review_manifest(request, context);
  EXPECT_TRUE(decision.allowed) << decision.status.message;
  EXPECT_EQ(patch_json(decision), R"([{"op":"replace","path":"/spec/most","value":5}])");
  EXPECT_EQ(decision.unknown_fields.size(), 1);
  const Decision& refused = load({kDefinition, patch("9")})->review_manifest(request, context);
  EXPECT_TRUE(refused.refused);
  EXPECT_EQ(refused.status.code, 422);
  EXPECT_TRUE(refused.mutated);
  // No schema is known.
  const Decision& unknown = load({patch("5")})->review_manifest(request, context);
  EXPECT_FALSE(unknown.allowed);
  EXPECT_TRUE(unknown.refused);
  EXPECT_EQ(unknown.status.code, 503);
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

// --- webhooks ---

constexpr std::string_view kWebhooks = R"(
{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, metadata: {name: m}, webhooks: [{
  name: label.example.com, clientConfig: {service: {namespace: hooks, name: label}}, sideEffects: None,
  admissionReviewVersions: [v1], rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}]}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: v}, webhooks: [
  {name: deny.example.com, clientConfig: {url: 'https://example.com/deny'}, sideEffects: None, timeoutSeconds: 3,
   admissionReviewVersions: [v1beta1, v1], objectSelector: {matchLabels: {seen: 'yes'}},
   rules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']}]},
  {name: never.example.com, clientConfig: {url: 'https://example.com/never'}, sideEffects: None,
   admissionReviewVersions: [v1], matchConditions: [{name: never, expression: 'object == null'}],
   rules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']}]}]}
)";

// Answers with a label, or with a denial; keeps what it is asked.
struct FakeWebhooks final : WebhookCaller {
  bool asks(const Webhook& webhook) override { return webhook.name != unasked; }
  HttpAnswer send(const Webhook& webhook, const HttpRequest& request, Time deadline) override {
    asked.push_back(std::string(webhook.configuration) + "/" + std::string(webhook.name) + " " +
                    std::string(request.url));
    bodies.emplace_back(request.body);
    patience.push_back(deadline - now());
    service = std::string(webhook.service_namespace) + "/" + std::string(webhook.service_name) + ":" +
              std::to_string(webhook.service_port);
    std::string_view body = request.body;
    const size_t at = body.find(R"("uid":")") + 7;
    const std::string uid(body.substr(at, body.find('"', at) - at));
    HttpAnswer answer;
    answer.headers = {{"Content-Type", "application/json"}};
    if (!error.empty()) return {.error = error};
    // [{"op":"add","path":"/metadata/labels","value":{"seen":"yes"}}]
    const std::string patch =
        "W3sib3AiOiJhZGQiLCJwYXRoIjoiL21ldGFkYXRhL2xhYmVscyIsInZhbHVlIjp7InNlZW4iOiJ5ZXMifX1d";
    answer.body = std::string(R"({"apiVersion":"admission.k8s.io/)") + (webhook.mutating ? "v1" : "v1beta1") +
                  R"(","kind":"AdmissionReview","response":{"uid":")" + uid + R"(","warnings":["w"],)" +
                  (webhook.mutating ? R"("allowed":true,"patchType":"JSONPatch","patch":")" + patch + "\"}}"
                                    : R"("allowed":false,"status":{"code":418,"message":"no"}}})");
    return answer;
  }
  Time now() override { return Time(std::chrono::seconds(5)); }

  std::string unasked, error, service;  // the service of the last one
  std::vector<std::string> asked, bodies;
  std::vector<Time::duration> patience;
};

TEST(Webhooks, ChainAsksThem) {
  auto engine = load({kWebhooks, policy("pods", "object.metadata.labels.seen == 'yes'")}, {.webhooks = true});
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(engine->webhook_count(), 3);
  Memory memory;
  Context context;
  FakeWebhooks webhooks;
  context.set_webhook_caller(&webhooks);
  context.want_results(Results::All);
  Value pod =
      *memory.read_yaml("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c}]}}");
  const Decision& d = engine->admit_manifest({.object = pod}, context);
  EXPECT_FALSE(d.allowed);
  EXPECT_FALSE(d.refused);
  EXPECT_FALSE(d.incomplete);
  EXPECT_EQ(d.status.code, 418);
  EXPECT_EQ(d.status.message, "admission webhook \"deny.example.com\" denied the request: no");
  EXPECT_THAT(status_json(d), HasSubstr(R"("code":418)"));
  EXPECT_THAT(d.warnings, testing::ElementsAre("w", "w"));
  EXPECT_THAT(webhooks.asked,
              testing::ElementsAre("m/label.example.com https://label.hooks.svc:443/?timeout=10s",
                                   "v/deny.example.com https://example.com/deny?timeout=3s"));
  EXPECT_EQ(webhooks.service, "/:0");
  EXPECT_THAT(webhooks.patience, testing::ElementsAre(std::chrono::seconds(10), std::chrono::seconds(3)));
  // A mutating webhook sees the object before the API server completes it, a validating one after.
  EXPECT_THAT(webhooks.bodies[0],
              testing::AllOf(HasSubstr("managedFields"), testing::Not(HasSubstr("phase"))));
  EXPECT_THAT(webhooks.bodies[1],
              testing::AllOf(HasSubstr("managedFields"), HasSubstr(R"("phase":"Pending")")));
  EXPECT_TRUE(d.mutated);
  EXPECT_EQ(patch_json(d), R"([{"op":"add","path":"/metadata/labels","value":{"seen":"yes"}}])");
  ASSERT_EQ(d.results.size(), 1);
  EXPECT_EQ(d.results[0].kind, ValidationResult::Kind::Passed);
  ASSERT_EQ(d.webhooks.size(), 4);
  EXPECT_TRUE(d.webhooks[0].mutating && d.webhooks[0].changed);
  EXPECT_EQ(d.webhooks[0].kind, WebhookResult::Kind::Allowed);
  EXPECT_EQ(d.webhooks[1].kind, WebhookResult::Kind::NotAgain);
  EXPECT_EQ(d.webhooks[2].kind, WebhookResult::Kind::Denied);
  EXPECT_EQ(d.webhooks[2].version, "v1beta1");
  EXPECT_EQ(d.webhooks[3].kind, WebhookResult::Kind::NotReached);
  EXPECT_EQ(d.webhooks[3].text, "its match condition \"never\" is false: object == null");
}

TEST(Webhooks, ThatNobodyAsksLeaveTheDecisionIncomplete) {
  auto engine = load({kWebhooks}, {.webhooks = true});
  Memory memory;
  Context context;
  Value pod = *memory.read_yaml(
      "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {seen: 'yes'}}, spec: {containers: [{name: "
      "c}]}}");
  const Decision& d = engine->admit_manifest({.object = pod}, context);
  EXPECT_TRUE(d.allowed && d.incomplete);
  EXPECT_FALSE(d.mutated);
  EXPECT_EQ(d.webhooks[0].kind, WebhookResult::Kind::Unknown);
  EXPECT_EQ(d.webhooks[0].version, "v1");
  FakeWebhooks webhooks;
  webhooks.unasked = "label.example.com";
  webhooks.error = "dial tcp 1.2.3.4:443: connect: connection refused";
  context.set_webhook_caller(&webhooks);
  engine->admit_manifest({.object = pod}, context);
  EXPECT_TRUE(d.incomplete);
  EXPECT_EQ(d.status.code, 500);
  EXPECT_EQ(
      d.status.message,
      "Internal error occurred: failed calling webhook \"deny.example.com\": failed to call webhook: Post "
      "\"https://example.com/deny?timeout=3s\": dial tcp 1.2.3.4:443: connect: connection refused");
  // The other calls know nothing of webhooks.
  EXPECT_TRUE(engine->review_manifest({.object = pod}, context).allowed);
  EXPECT_TRUE(d.webhooks.empty());
  EXPECT_FALSE(d.incomplete);
}

TEST(Webhooks, AreNotAskedOnceTheReviewIsInterrupted) {
  auto engine = load({kWebhooks}, {.webhooks = true});
  Memory memory;
  Context context;
  FakeWebhooks webhooks;
  context.set_webhook_caller(&webhooks);
  context.set_deadline(std::chrono::steady_clock::now());
  Value pod =
      *memory.read_yaml("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c}]}}");
  const Decision& d = engine->admit_manifest({.object = pod}, context);
  EXPECT_TRUE(d.interrupted && !d.allowed && !d.mutated);
  EXPECT_EQ(d.status.code, 504);
  EXPECT_TRUE(webhooks.asked.empty());
  context.set_deadline({});
  EXPECT_FALSE(engine->admit_manifest({.object = pod}, context).interrupted);
  EXPECT_EQ(webhooks.asked.size(), 2);
}

// Validating webhooks of one configuration; the URL of each ends in its index.
std::string many_webhooks(int count) {
  std::string text =
      "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: "
      "v}, "
      "webhooks: [";
  for (int i = 0; i < count; i++) {
    text += "{name: w" + std::to_string(i) + ".example.com, clientConfig: {url: 'https://example.com/" +
            std::to_string(i) + R"('}, sideEffects: None, admissionReviewVersions: [v1], timeoutSeconds: 30,
    rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]},
)";
  }
  return text + "]}";
}

// Denies, with the name of the webhook as message and warning, once `meeting` webhooks are asked or were.
struct Meeting final : WebhookCaller {
  HttpAnswer send(const Webhook& webhook, const HttpRequest& request, Time) override {
    std::unique_lock lock(mutex);
    threads.insert(std::this_thread::get_id());
    asked++;
    arrived.notify_all();
    if (!arrived.wait_for(lock, std::chrono::seconds(20), [&] { return asked >= meeting; }))
      return {.error = "asked alone"};
    const size_t at = request.body.find(R"("uid":")") + 7;
    const std::string uid(request.body.substr(at, request.body.find('"', at) - at)), name(webhook.name);
    return {.headers = {{"Content-Type", "application/json"}},
            .body = R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":")" +
                    uid + R"(","warnings":[")" + name + R"("],"allowed":false,"status":{"message":")" + name +
                    "\"}}}"};
  }
  bool at_once() const override { return together; }

  bool together = true;
  int meeting = 1, asked = 0;
  std::mutex mutex;
  std::condition_variable arrived;
  std::set<std::thread::id> threads;
};

// More than the threads that ask: some webhooks wait for others.
TEST(Webhooks, ValidatingOnesAreAskedAtOnce) {
  constexpr int kCount = 70, kThreads = 64;
  auto engine = load({many_webhooks(kCount)}, {.webhooks = true});
  ASSERT_NE(engine, nullptr);
  Memory memory;
  Context context;
  Value map = *memory.read_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}");
  for (bool together : {true, false}) {
    Meeting webhooks;
    webhooks.together = together;
    webhooks.meeting = together ? kThreads : 1;
    context.set_webhook_caller(&webhooks);
    const Decision& d = engine->admit_manifest({.object = map}, context);
    EXPECT_EQ(webhooks.asked, kCount);
    EXPECT_EQ(webhooks.threads.size(), together ? kThreads : 1);
    // In the order of the configuration, whichever answers first.
    EXPECT_EQ(d.status.message, "admission webhook \"w0.example.com\" denied the request: w0.example.com");
    ASSERT_EQ(d.webhooks.size(), kCount);
    ASSERT_EQ(d.warnings.size(), kCount);
    for (int i = 0; i < kCount; i++) {
      const std::string name = "w" + std::to_string(i) + ".example.com";
      EXPECT_EQ(d.webhooks[i].index, i);
      EXPECT_EQ(d.webhooks[i].name, name);
      EXPECT_EQ(d.webhooks[i].kind, WebhookResult::Kind::Denied);
      EXPECT_EQ(d.warnings[i], name);
    }
  }
}

// All texts of a decision, one after the other.
std::string texts_of(const Decision& d) {
  std::string out;
  auto add = [&](std::initializer_list<std::string_view> texts) {
    for (std::string_view text : texts) out.append(text) += '|';
  };
  add({d.status.reason, d.status.message, d.status.name, d.status.group, d.status.kind, to_json(d.before),
       to_json(d.after)});
  for (const auto& [key, value] : d.audit_annotations) add({key, value});
  for (const ValidationResult& r : d.results)
    add({r.policy, r.binding, r.param, r.expression, r.message, r.reason});
  for (const MutationResult& r : d.mutations) {
    add({r.policy, r.binding, r.param, r.expression, r.message, r.reason, to_json(r.before),
         to_json(r.after)});
  }
  for (const WebhookResult& r : d.webhooks) add({r.configuration, r.name, r.version, r.text});
  return out;
}

TEST(Face, DecisionOutlivesItsEngine) {
  const std::string mutation = mutating(
      "deployments", json_patch("[JSONPatch{op: 'add', path: '/spec/paused', value: 'a constant'}]"));
  Memory memory;
  Context context, other;
  context.want_results(Results::All);
  other.want_results(Results::All);
  ManifestRequest request{.object = *memory.read_yaml(kDeployment), .as_is = true};
  auto engine = load({kPolicies, kData, mutation, many_webhooks(1)}, {.webhooks = true});
  for (auto ask : {&Engine::review_manifest, &Engine::mutate_manifest, &Engine::admit_manifest}) {
    for (bool exchanged : {false, true}) {
      const Decision& decision = (*engine.*ask)(request, context);
      const std::string before = texts_of(decision);
      EXPECT_THAT(before, HasSubstr("a constant"));
      engine = exchanged ? engine->exchange(manifests({kData})).engine
                         : load({kPolicies, kData, mutation, many_webhooks(1)}, {.webhooks = true});
      EXPECT_EQ(texts_of((*engine.*ask)(request, other)), before);
      EXPECT_EQ(texts_of(decision), before);
    }
  }
}

// A refusal by a definition comes after mutating webhooks, whose part in it stays.
TEST(Webhooks, ThoseBeforeARefusalAreTold) {
  auto engine = load({kDefinition, R"(
{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, metadata: {name: m}, webhooks: [{
  name: label.example.com, clientConfig: {service: {namespace: hooks, name: label, port: 8443}}, sideEffects: None,
  admissionReviewVersions: [v1], rules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']}]}]}
)"},
                     {.webhooks = true});
  ASSERT_NE(engine, nullptr);
  Memory memory;
  Context context;
  FakeWebhooks webhooks;
  context.set_webhook_caller(&webhooks);
  Value wrong =
      *memory.read_yaml("{apiVersion: example.com/v1, kind: Limit, metadata: {name: a}, spec: {most: 9}}");
  const Decision& d = engine->admit_manifest({.object = wrong}, context);
  EXPECT_FALSE(d.allowed);
  EXPECT_TRUE(d.refused);
  EXPECT_EQ(d.status.code, 422);
  EXPECT_THAT(d.warnings, testing::ElementsAre("w"));
  ASSERT_EQ(d.webhooks.size(), 2);  // the second pass calls nobody
  EXPECT_TRUE(d.webhooks[0].changed);
  EXPECT_TRUE(d.mutated);
  EXPECT_EQ(webhooks.service, "hooks/label:8443");
}

TEST(Webhooks, RequestsByAttributesGoThroughTheChain) {
  auto engine = load({kWebhooks}, {.webhooks = true});
  Memory memory;
  Context context;
  FakeWebhooks webhooks;
  context.set_webhook_caller(&webhooks);
  Request request;
  request.kind = {"", "v1", "Pod"};
  request.resource = {"", "v1", "pods"};
  request.name = "p";
  request.namespace_name = "default";
  request.object = *memory.read_yaml("{apiVersion: v1, kind: Pod, metadata: {name: p}}");
  request.normalized = true;
  EXPECT_FALSE(engine->admit(request, context).allowed);
  EXPECT_EQ(webhooks.asked.size(), 2);
  request.operation = Operation::Connect;
  EXPECT_TRUE(engine->admit(request, context).allowed);
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

TEST(Face, AdmissionReviewsAreAnsweredWithPatches) {
  auto engine =
      load({mutating("configmaps", json_patch("[JSONPatch{op: 'add', path: '/metadata/labels', value: "
                                              "{'a': 'b'}}]"))});
  Context context;
  auto answer = engine->review_json(
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"CREATE",
      "kind":{"group":"","version":"v1","kind":"ConfigMap"},"resource":{"group":"","version":"v1","resource":"configmaps"},
      "object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}}})",
      context);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->json,
            R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":true,)"
            R"("patch":"W3sib3AiOiJhZGQiLCJwYXRoIjoiL21ldGFkYXRhL2xhYmVscyIsInZhbHVlIjp7ImEiOiJiIn19XQ==",)"
            R"("patchType":"JSONPatch","uid":"u"}})");
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
  EXPECT_THAT(loaded.problems[0].text, HasSubstr("it is unknown whether example.com/v1 Limit is namespaced"));
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

TEST(Face, AuthorizersSeeTheWholeUser) {
  struct Seeing final : Authorizer {
    AuthorizationAnswer authorize(const AuthorizationCheck& check) const override {
      for (const UserInfo::Extra& e : check.extra)
        seen += std::string(e.key) + "=" + std::string(e.values[0]) + " ";
      seen += std::string(check.username) + " " + std::string(check.uid) + " " + std::string(check.groups[0]);
      return {};
    }
    mutable std::string seen;
  } seeing;
  auto engine = load({policy("configmaps", "authorizer.path('/a').check('get').allowed()")});
  Memory memory;
  Context context;
  context.set_authorizer(&seeing);
  constexpr std::string_view kGroups[] = {"devs"}, kScopes[] = {"read"};
  const UserInfo::Extra extra[] = {{"scopes", kScopes}};
  engine->review_manifest(
      {.object = *memory.read_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"),
       .user = {.username = "eve", .uid = "7", .groups = kGroups, .extra = extra}},
      context);
  EXPECT_EQ(seeing.seen, "scopes=read eve 7 devs");
}

class Mine final : public Authorizer {
 public:
  AuthorizationAnswer authorize(const AuthorizationCheck& check) const override {
    bool mine = check.username == "jane" && check.verb == "use" && check.resource == "things";
    return {mine ? AuthorizationAnswer::Decision::Allow : AuthorizationAnswer::Decision::Deny, "because", {}};
  }
};

TEST(Face, AuthorizerOfTheRolesOrOnesOwn) {
  auto engine =
      load({policy("configmaps", "authorizer.group('g').resource('things').check('use').allowed()"), R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: user}
rules: [{apiGroups: [g], resources: [things], verbs: [use]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: user}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: user}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: eve}]
)"});
  Memory memory;
  Context context;
  Mine mine;
  ManifestRequest request{.object =
                              *memory.read_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")};
  auto allows = [&](std::string_view user) {
    request.user.username = user;
    return engine->review_manifest(request, context).allowed;
  };
  EXPECT_TRUE(allows("eve"));
  EXPECT_FALSE(allows("jane"));
  EXPECT_FALSE(allows(""));  // nobody in particular
  request.user = UserInfo::administrator();
  EXPECT_TRUE(engine->review_manifest(request, context).allowed);
  request.user = {};
  context.set_authorizer(&mine);
  EXPECT_FALSE(allows("eve"));
  EXPECT_TRUE(allows("jane"));
}

TEST(Face, RolesOfANewClusterCountUnlessToldOtherwise) {
  const std::string text = policy("configmaps", "authorizer.path('/healthz').check('get').allowed()") + R"(---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: eve}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: system:public-info-viewer}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: eve}]
)";
  Memory memory;
  Context context;
  ManifestRequest request{.object =
                              *memory.read_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")};
  request.user.username = "eve";
  EXPECT_TRUE(load({text})->review_manifest(request, context).allowed);
  LoadOptions options;
  options.default_roles = false;
  EXPECT_FALSE(load({text}, options)->review_manifest(request, context).allowed);
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

}  // namespace
}  // namespace portcullis::v1
