// The public face: manifests and requests, what is refused, definitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <portcullis/admission.h>

#include <algorithm>
#include <string>

#include "tests/face.h"
#include "tests/stack.h"

namespace portcullis::v1 {
namespace {

using testing::HasSubstr;
using testing::Not;

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

// A gateway writes its audit log after the request is gone.
TEST(Face, TextsOutliveTheRequest) {
  auto engine = load({R"({apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy,
  metadata: {name: p}, spec: {
  matchConstraints: {resourceRules: [
    {apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: [configmaps]}]},
  validations: [{expression: 'false', messageExpression: request.userInfo.username}],
  auditAnnotations: [{key: user, valueExpression: request.userInfo.username},
                     {key: name, valueExpression: string(object.metadata.name)}]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: p},
  spec: {policyName: p, validationActions: [Deny]}}
)"});
  ASSERT_NE(engine, nullptr);
  Context context;
  context.want_results(Results::All);
  for (const char* way : {"review_manifest", "review", "admit_manifest"}) {
    SCOPED_TRACE(way);
    std::string user = "a-user-with-a-long-name", name = "a-map-with-a-long-name", resource = "configmaps";
    Memory memory;
    const MapItem metadata[] = {{"name", Value::string(std::string_view(name))}};
    const MapItem object[] = {{"apiVersion", Value::string("v1")},
                              {"kind", Value::string("ConfigMap")},
                              {"metadata", memory.map(metadata)}};
    const Value map = memory.map(object);
    const Request request = {.kind = {"", "v1", "ConfigMap"},
                             .resource = {"", "v1", resource},
                             .name = name,
                             .namespace_name = "default",
                             .object = map,
                             .user = {.username = user}};
    const ManifestRequest manifest = {.object = map, .user = {.username = user}};
    const Decision& decision = way == std::string_view("review") ? engine->review(request, context)
                               : way == std::string_view("admit_manifest")
                                   ? engine->admit_manifest(manifest, context)
                                   : engine->review_manifest(manifest, context);
    for (std::string* text : {&user, &name, &resource}) std::fill(text->begin(), text->end(), '#');
    EXPECT_EQ(decision.status.name, "a-map-with-a-long-name");
    EXPECT_EQ(decision.status.kind, "configmaps");
    ASSERT_EQ(decision.results.size(), 1u);
    EXPECT_EQ(decision.results[0].message, "a-user-with-a-long-name");
    ASSERT_EQ(decision.audit_annotations.size(), 2u);
    EXPECT_EQ(decision.audit_annotations[0].second, "a-map-with-a-long-name");
    EXPECT_EQ(decision.audit_annotations[1].second, "a-user-with-a-long-name");
    EXPECT_THAT(status_json(decision), Not(HasSubstr("#")));
  }
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

TEST(Face, UpdateConflictsWithAnotherState) {
  auto engine = load({kPolicies, kData});
  Memory memory;
  Context context;
  Value stored = *memory.read_yaml(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, uid: first, resourceVersion: '5'}}");
  auto answer = [&](std::string_view metadata) {
    Value object = *memory.read_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, " +
                                     std::string(metadata) + "}}");
    const Decision& d = engine->review_manifest(
        {.object = object, .old_object = stored, .operation = Operation::Update}, context);
    EXPECT_EQ(d.refused, !d.allowed);
    return d.allowed ? "allowed" : status_json(d);
  };
  EXPECT_EQ(answer("uid: first, resourceVersion: '5'"), "allowed");
  EXPECT_EQ(answer("labels: {}"), "allowed");
  const std::string details = R"({"code":409,"details":{"kind":"configmaps","name":"a"},"message":)"
                              R"("Operation cannot be fulfilled on configmaps \"a\": )";
  const std::string rest = R"(","metadata":{},"reason":"Conflict","status":"Failure"})";
  EXPECT_EQ(
      answer("uid: second, resourceVersion: '4'"),
      details +
          "StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/a, ResourceVersion: "
          "0, AdditionalErrorMsg: Precondition failed: UID in precondition: second, UID in object meta: "
          "first" +
          rest);
  EXPECT_EQ(
      answer("resourceVersion: '4'"),
      details +
          "the object has been modified; please apply your changes to the latest version and try again" +
          rest);
  EXPECT_EQ(answer("resourceVersion: '05'"), "allowed");
  EXPECT_EQ(answer("resourceVersion: '0'"), "allowed");
  EXPECT_EQ(answer("resourceVersion: x"),
            R"({"code":500,"message":"strconv.ParseUint: parsing \"x\": invalid syntax","metadata":{},)"
            R"("status":"Failure"})");
}

// The resourceVersion that mutations leave is compared.
TEST(Face, MutatedVersionConflicts) {
  constexpr std::string_view kMutation = R"(
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: versions}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [configmaps]}]
  reinvocationPolicy: Never
  mutations:
  - patchType: JSONPatch
    jsonPatch: {expression: '[JSONPatch{op: "add", path: "/metadata/resourceVersion", value: object.data.to}]'}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: versions}
spec: {policyName: versions}
)";
  auto engine = load({kMutation});
  Memory memory;
  Context context;
  auto code = [&](std::string_view version, std::string_view to) {
    auto config_map = [&](std::string_view v) {
      return *memory.read_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, resourceVersion: '" +
                               std::string(v) + "'}, data: {to: '" + std::string(to) + "'}}");
    };
    const ManifestRequest update{
        .object = config_map(version), .old_object = config_map("5"), .operation = Operation::Update};
    const Decision& d = engine->review_manifest(update, context);
    return d.allowed ? 200 : d.status.code;
  };
  EXPECT_EQ(code("4", "5"), 200);
  EXPECT_EQ(code("4", "0"), 200);
  EXPECT_EQ(code("5", "4"), 409);
  EXPECT_EQ(code("5", "x"), 500);
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

TEST(Face, DuplicateOwnersAreDroppedWithAWarning) {
  auto engine = load({policy("configmaps", "object.metadata.ownerReferences.size() == 2")});
  Memory memory;
  Context context;
  const Value object =
      *memory.read_yaml(R"({apiVersion: v1, kind: ConfigMap, metadata: {name: a, ownerReferences: [
      {apiVersion: v1, kind: Pod, name: p, uid: u}, {apiVersion: v1, kind: Pod, name: p, uid: u},
      {apiVersion: v1, kind: Pod, name: q, uid: u}]}})");
  const Decision& decision = engine->review_manifest({.object = object}, context);
  EXPECT_TRUE(decision.allowed);
  ASSERT_EQ(decision.warnings.size(), 1);
  EXPECT_THAT(std::string(decision.warnings[0]), HasSubstr("duplicate UID(s) observed: u"));
}

// cel.h and admission.h promise that a stack of 4 MiB is enough.
TEST(Face, DeepObjectsNeedNoLargeStack) {
  auto engine = load({policy("'*'", "object == object || oldObject == null"), R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: anythings.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Anything, plural: anythings, singular: anything, listKind: AnythingList}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {
      type: object, x-kubernetes-preserve-unknown-fields: true, properties: {fields: {
        type: object, additionalProperties: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}}}
)"});
  constexpr size_t kLevels = 9990;
  const auto nested = [](std::string_view key, std::string_view inner, size_t levels) {
    std::string out;
    for (size_t i = 0; i < levels; i++) out.append("{\"").append(key).append("\":");
    return out.append(inner).append(levels, '}');
  };
  const auto object = [&](std::string_view metadata, std::string_view inner) {
    return R"({"apiVersion":"example.com/v1","kind":"Anything","metadata":{"name":"a")" +
           std::string(metadata) + R"(},"spec":)" + nested("a", inner, kLevels) + "}";
  };
  const std::string managed =
      R"(,"managedFields":[{"manager":"m","operation":"Update","apiVersion":"example.com/v1",)"
      R"("fieldsType":"FieldsV1","fieldsV1":{"f:spec":)" +
      nested("f:a", "{}", kLevels - 5) + "}}]";
  const bool small = !kSanitized;
  in_stack(small ? size_t{4} << 20 : kLargeStack, [&] {
    Memory memory;
    Context context;
    const Value one = *memory.read_json(object("", "1")), two = *memory.read_json(object(managed, "2")),
                lists = *memory.read_json(object("", std::string(5, '[') + std::string(5, ']')));
    for (const Value& v : {one, two, lists}) {
      const Decision& created = engine->review_manifest({.object = v}, context);
      EXPECT_TRUE(created.allowed) << created.status.message;
      for (const Value& old : {one, two, lists}) {
        const Decision& updated = engine->review_manifest(
            {.object = v, .old_object = old, .operation = Operation::Update}, context);
        EXPECT_TRUE(updated.allowed) << updated.status.message;
      }
    }
  });
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
  EXPECT_EQ(refusal([](Request& r) { r.operation = static_cast<Operation>(4); }),
            "400 the operation is none of CREATE, UPDATE, DELETE and CONNECT");
  EXPECT_TRUE(
      engine->review_manifest({.object = object, .operation = static_cast<Operation>(50)}, context).refused);
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

}  // namespace
}  // namespace portcullis::v1
