// The front door: the example of admission.h, problems found by load, outcomes, and that a warm thread
// allocates nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

#include "admission/admission.h"
#include "admission/engine/loaded.h"
#include "admission/engine/objects_to_load.h"
#include "admission/engine/prepared.h"
#include "batch/rule_authorizer.h"
#include "interpreter/values/json.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define PORTCULLIS_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PORTCULLIS_SANITIZED
#endif

namespace {
thread_local size_t allocations = 0;
}

#ifndef PORTCULLIS_SANITIZED
// Counts each allocation of a test thread; not with sanitizers, which have their own operator new.
[[gnu::noinline]] void* operator new(size_t size) {
  allocations++;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, size_t) noexcept { std::free(p); }
#endif

namespace portcullis {
namespace {

Value parse(std::string_view text, Arena& arena) {
  auto value = read_json(text, arena);
  EXPECT_TRUE(value.ok()) << (value.ok() ? "" : value.error().text);
  return value.ok() ? *value : Value();
}

constexpr std::string_view kPolicy =
    R"json({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
  "metadata": {"name": "few"}, "spec": {
    "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
    "matchConstraints": {"resourceRules": [{"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["*"], "resources": ["deployments"]}],
                         "objectSelector": {"matchExpressions": [{"key": "free", "operator": "DoesNotExist"}]}},
    "matchConditions": [{"name": "c", "expression": "request.userInfo.username != 'root'"}],
    "variables": [{"name": "n", "expression": "object.spec.replicas"}],
    "validations": [
      {"expression": "variables.n <= int(params.data.max)", "messageExpression": "'too many: ' + string(variables.n)", "reason": "Forbidden"},
      {"expression": "object.spec.template.spec.containers.all(c, c.image.matches('^[a-z/.]+:[0-9.]+$'))", "message": "no tag"},
      {"expression": "authorizer.group('apps').resource('deployments').check('scale').allowed()"},
      {"expression": "object.nope == 1"}],
    "auditAnnotations": [{"key": "n", "valueExpression": "'replicas ' + string(variables.n)"}]}})json";

// A cluster of one policy with two bindings.
struct Example {
  Arena arena;
  Cluster cluster;

  Example() {
    cluster.policies = {parse(kPolicy, arena)};
    for (
        std::string_view binding : {
            R"({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "a"},
                 "spec": {"policyName": "few", "validationActions": ["Warn", "Audit"],
                          "paramRef": {"selector": {}, "parameterNotFoundAction": "Deny"}}})",
            R"({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "b"},
                 "spec": {"policyName": "few", "validationActions": ["Deny"],
                          "paramRef": {"name": "limits", "parameterNotFoundAction": "Deny"}}})"}) {
      cluster.bindings.push_back(parse(binding, arena));
    }
    cluster.params = {parse(
        R"({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "limits", "namespace": "default"},
                                "data": {"max": "5"}})",
        arena)};
    cluster.namespaces = {parse(R"({"metadata": {"name": "default"}})", arena)};
  }
};

AdmissionRequest request_of(const Value& object) {
  static constexpr std::string_view kGroups[] = {"system:authenticated", "developers"};
  AdmissionRequest request;
  request.operation = Operation::Create;
  request.kind = {"apps", "v1", "Deployment"};
  request.resource = {"apps", "v1", "deployments"};
  request.name = "web";
  request.namespace_name = "default";
  request.object = object;
  request.user.username = "eve";
  request.user.groups = kGroups;
  return request;
}

constexpr std::string_view kDeployment =
    R"({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "default"},
  "spec": {"replicas": 7, "template": {"spec": {"containers": [{"name": "c", "image": "reg.io/nginx"}]}}}})";

TEST(Engine, Example) {
  Example example;
  auto engine = Engine::load(example.cluster);
  ASSERT_TRUE(engine.ok()) << engine.error().text;
  EXPECT_EQ((*engine)->policy_count(), 1u);
  EXPECT_EQ((*engine)->binding_count(), 2u);
  ReviewContext context;
  Decision decision;
  Arena arena;
  (*engine)->review(request_of(parse(kDeployment, arena)), context, decision);
  EXPECT_FALSE(decision.allowed);
  EXPECT_EQ(decision.status.code, 403);
  EXPECT_EQ(decision.status.reason, "Forbidden");
  EXPECT_EQ(decision.status.message,
            "deployments.apps \"web\" is forbidden: ValidatingAdmissionPolicy 'few' with binding 'b' denied "
            "request: too many: 7");
  EXPECT_EQ(decision.warnings.size(), 4u);
  ASSERT_EQ(decision.audit_annotations.size(), 2u);
  EXPECT_EQ(decision.audit_annotations[0].first, "few/n");
  EXPECT_EQ(decision.audit_annotations[0].second, "replicas 7");
  EXPECT_EQ(decision.policies_matched, 1);
  EXPECT_EQ(decision.bindings_matched, 2);
}

TEST(Engine, OutcomesTellEachValidation) {
  Example example;
  auto engine = Engine::load(example.cluster);
  ASSERT_TRUE(engine.ok());
  ReviewContext context;
  context.want_outcomes = true;
  Decision decision;
  Arena arena;
  (*engine)->review(request_of(parse(kDeployment, arena)), context, decision);
  ASSERT_EQ(decision.outcomes.size(), 8u);
  const ValidationOutcome& first = decision.outcomes[4];
  EXPECT_EQ(first.kind, ValidationOutcome::Kind::Failed);
  EXPECT_TRUE(first.denied);
  EXPECT_EQ(first.binding, "b");
  EXPECT_EQ(first.param, "default/limits");
  EXPECT_EQ(first.expression, "variables.n <= int(params.data.max)");
  EXPECT_GT(first.cost, 0u);
  EXPECT_EQ(decision.outcomes[7].kind, ValidationOutcome::Kind::Error);

  // Without those that pass, the others are as before.
  std::string tagged(kDeployment);
  tagged.replace(tagged.find("nginx"), 5, "nginx:1");
  const AdmissionRequest request = request_of(parse(tagged, arena));
  (*engine)->review(request, context, decision);
  const std::vector<ValidationOutcome> all = decision.outcomes;
  context.want_passed = false;
  (*engine)->review(request, context, decision);
  std::vector<ValidationOutcome> failed;
  for (const ValidationOutcome& o : all) {
    if (o.kind != ValidationOutcome::Kind::Passed) failed.push_back(o);
  }
  ASSERT_EQ(decision.outcomes.size(), failed.size());
  EXPECT_LT(failed.size(), all.size());
  for (size_t i = 0; i < failed.size(); i++) {
    EXPECT_EQ(decision.outcomes[i].kind, failed[i].kind);
    EXPECT_EQ(decision.outcomes[i].expression, failed[i].expression);
    EXPECT_EQ(decision.outcomes[i].message, failed[i].message);
    EXPECT_EQ(decision.outcomes[i].param, failed[i].param);
    EXPECT_EQ(decision.outcomes[i].denied, failed[i].denied);
  }
}

// Rules that several policies share are matched once; the order of the policies stays.
TEST(Engine, PoliciesOfSeveralRulesKeepTheirOrder) {
  Arena arena;
  Cluster cluster;
  cluster.namespaces = {parse(R"({"metadata": {"name": "default"}})", arena)};
  // The first and the last match; the others differ from the first in one thing each.
  constexpr const char* kRules[] = {
      R"("resourceRules": [{"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["*"], "resources": ["deployments"]}])",
      R"("resourceRules": [{"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["*"], "resources": ["deployments"], "resourceNames": ["x"]}])",
      R"("resourceRules": [{"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["DELETE"], "resources": ["deployments"]}])",
      R"("namespaceSelector": {"matchLabels": {"a": "b"}}, "resourceRules": [{"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["*"], "resources": ["deployments"]}])",
      R"("resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["CREATE"], "resources": ["*"]}])",
  };
  std::vector<std::string> expected;
  for (int i = 0; i < 200; i++) {
    std::string name = "p" + std::to_string(1000 + i);
    std::string head = R"({"apiVersion": "admissionregistration.k8s.io/v1", "metadata": {"name": ")" + name +
                       R"("}, "kind": "ValidatingAdmissionPolicy)";
    std::string policy = head +
                         R"(", "spec": {"validations": [{"expression": "false"}], "matchConstraints": {)" +
                         kRules[i % 5] + "}}}";
    std::string binding =
        head + R"(Binding", "spec": {"validationActions": ["Warn"], "policyName": ")" + name + R"("}})";
    cluster.policies.push_back(parse(arena.copy(policy), arena));
    cluster.bindings.push_back(parse(arena.copy(binding), arena));
    if (i % 5 == 0 || i % 5 == 4) expected.push_back(name);
  }
  auto engine = Engine::load(cluster);
  ASSERT_TRUE(engine.ok()) << engine.error().text;
  ReviewContext context;
  context.want_outcomes = true;
  Decision decision;
  AdmissionRequest request = request_of(parse(kDeployment, arena));
  auto named = [&] {
    (*engine)->review(request, context, decision);
    std::vector<std::string> out;
    for (const ValidationOutcome& o : decision.outcomes) out.emplace_back(o.policy);
    return out;
  };
  EXPECT_EQ(named(), expected);
  // The next request has its own matches.
  request.operation = Operation::Delete;
  std::vector<std::string> deleted;
  for (int i = 0; i < 200; i++) {
    if (i % 5 == 0 || i % 5 == 2) deleted.push_back("p" + std::to_string(1000 + i));
  }
  EXPECT_EQ(named(), deleted);
}

TEST(Engine, LaterParamsOfAKeyWin) {
  Example example;
  for (const char* param : {R"("name": "z", "namespace": "default"}, "data": {"max": "1"}})",
                            R"("name": "limits", "namespace": "default"}, "data": {"max": "9"}})",
                            R"("name": "a", "namespace": "default"}, "data": {"max": "1"}})"}) {
    std::string text = R"({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {)" + std::string(param);
    example.cluster.params.push_back(parse(example.arena.copy(text), example.arena));
  }
  auto engine = Engine::load(example.cluster);
  ASSERT_TRUE(engine.ok());
  ReviewContext context;
  Decision decision;
  Arena arena;
  (*engine)->review(request_of(parse(kDeployment, arena)), context, decision);
  EXPECT_EQ(decision.status.message.find("too many"), std::string::npos) << decision.status.message;
  EXPECT_FALSE(decision.allowed);
}

TEST(Engine, LeavesOutWhatCanNeverApply) {
  Example example;
  example.cluster.bindings = {
      parse(R"({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
                                        "metadata": {"name": "b"}, "spec": {"policyName": "other"}})",
            example.arena)};
  auto engine = Engine::load(example.cluster);
  ASSERT_TRUE(engine.ok());
  EXPECT_EQ((*engine)->policy_count(), 0u);
}

// Of two that are prepared, the one that is among the objects is loaded.
TEST(Engine, PreparedPoliciesDecideAlike) {
  Example example;
  PreparedPolicies prepared(kStoredExpressions, nullptr);
  for (int i = 0; i < 2; i++) {
    Arena passing;
    prepared.add(decode_object(passing, example.cluster.policies[0]).data, false);
  }
  ObjectsToLoad objects;
  objects.prepared = &prepared;
  objects.policies.emplace_back(PreparedPlace{false, 1});
  for (const Value& b : example.cluster.bindings) objects.bindings.emplace_back(b);
  for (const Value& p : example.cluster.params) objects.params.push_back(to_json(p));
  objects.namespaces = example.cluster.namespaces;
  auto engine = Engine::load(objects, example.cluster), other = Engine::load(example.cluster);
  ASSERT_TRUE(engine.ok() && other.ok());
  EXPECT_EQ((*engine)->policy_count(), 1u);
  EXPECT_EQ((*engine)->binding_count(), 2u);
  ReviewContext context, other_context;
  Decision decision, other_decision;
  Arena arena;
  const AdmissionRequest request = request_of(parse(kDeployment, arena));
  (*engine)->review(request, context, decision);
  (*other)->review(request, other_context, other_decision);
  EXPECT_FALSE(decision.allowed);
  EXPECT_EQ(decision.status.message, other_decision.status.message);
  EXPECT_EQ(decision.warnings, other_decision.warnings);
}

// Adds a policy with a binding, for all deployments. `validations` are JSON.
void add_policy(Cluster& cluster, Arena& arena, const std::string& name, const std::string& validations) {
  cluster.policies.push_back(parse(
      R"({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": ")" +
          name +
          R"("}, "spec": {"matchConstraints": {"resourceRules": [{"apiGroups": ["apps"], "apiVersions": ["v1"],
             "operations": ["*"], "resources": ["deployments"]}]}, "validations": [)" +
          validations + "]}}",
      arena));
  cluster.bindings.push_back(parse(
      R"({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": ")" +
          name + R"("}, "spec": {"policyName": ")" + name + R"(", "validationActions": ["Deny"]}})",
      arena));
}

TEST(Engine, OnlySharedExpressionsHaveMemos) {
  Arena arena;
  Cluster cluster;
  const std::string message = R"(, "messageExpression": "'bad ' + object.metadata.name"})";
  add_policy(cluster, arena, "a", R"({"expression": "object.spec.replicas > 1")" + message);
  add_policy(cluster, arena, "b", R"({"expression": "object.spec.replicas > 2")" + message);
  auto engine = Engine::load(cluster);
  ASSERT_TRUE(engine.ok()) << engine.error().text;
  EXPECT_EQ((*engine)->loaded().paths->memo_count(), 1u);  // of the message
}

// A message that another policy has evaluated is not evaluated again, but it counts.
TEST(Engine, RememberedMessagesCountForTheBudget) {
  std::string numbers = "[0";
  for (int i = 1; i < 60; i++) numbers += "," + std::to_string(i);
  numbers += "]";
  const std::string costly = "object.spec.replicas > 0 && " + numbers + ".all(a, " + numbers + ".all(b, " +
                             numbers + ".all(c, true)))";  // 662,644 units
  const std::string checked = R"({"expression": ")" + costly + "\"";
  for (const int count : {14, 15}) {
    std::string validations = checked + R"(, "messageExpression": "()" + costly + R"() ? 'a' : 'b'"})";
    const std::string cheap =
        R"({"expression": "object.spec.replicas == 7")" + validations.substr(checked.size());
    for (int i = 1; i < count; i++) validations += "," + checked + "}";
    for (const bool shared : {false, true}) {
      Arena arena;
      Cluster cluster;
      cluster.assume_namespaces = true;
      if (shared) add_policy(cluster, arena, "a", cheap);
      add_policy(cluster, arena, "b", validations);
      auto engine = Engine::load(cluster);
      ASSERT_TRUE(engine.ok()) << engine.error().text;
      ReviewContext context;
      Decision decision;
      (*engine)->review(request_of(parse(kDeployment, arena)), context, decision);
      EXPECT_EQ(decision.allowed, count == 14) << shared;
      const bool names_budget =
          decision.status.message.find("running out of cost budget") != std::string_view::npos;
      EXPECT_EQ(names_budget, count == 15) << decision.status.message;
    }
  }
}

TEST(Engine, RefusesWhatIsNoPolicy) {
  Example example;
  example.cluster.policies = {parse(R"({"apiVersion": "v1", "kind": "Pod"})", example.arena)};
  EXPECT_FALSE(Engine::load(example.cluster).ok());
}

#ifndef PORTCULLIS_SANITIZED
TEST(Engine, WarmThreadAllocatesNothing) {
  Example example;
  // Long names of resources, and equivalents, must not allocate a string either.
  example.cluster.equivalents = {
      {{"networking.k8s.io.example.com", "v1", "networkpolicies-of-a-long-name", "g", "v1", "K"},
       {"networking.k8s.io.example.com", "v2", "networkpolicies-of-a-long-name", "g", "v2", "K"}}};
  auto engine = Engine::load(example.cluster);
  ASSERT_TRUE(engine.ok());
  Arena values;
  RuleAuthorizer authorizer(parse(R"([{"verb": "get", "decision": "allow"}])", values));
  ReviewContext context;
  context.authorizer = &authorizer;
  Decision decision;
  JsonReader reader;
  Arena arena;
  auto decide = [&](std::string_view text, std::string_view resource) {
    arena.reset();
    auto object = reader.read(text, arena);
    AdmissionRequest request = request_of(object.ok() ? *object : Value());
    request.resource.resource = resource;
    if (resource.size() > 20) request.resource.group = "networking.k8s.io.example.com";
    (*engine)->review(request, context, decision);
    return decision.allowed;
  };
  for (int i = 0; i < 3; i++) EXPECT_FALSE(decide(kDeployment, "deployments"));
  for (int i = 0; i < 3; i++) EXPECT_TRUE(decide(kDeployment, "networkpolicies-of-a-long-name"));
  const size_t before = allocations;
  EXPECT_GT(before, 0u);  // counting works
  for (int i = 0; i < 100; i++) {
    decide(kDeployment, "deployments");
    decide(kDeployment, "networkpolicies-of-a-long-name");
  }
  EXPECT_EQ(allocations - before, 0u);
}
#endif

TEST(Engine, ThreadsShareIt) {
  Example example;
  auto engine = Engine::load(example.cluster);
  ASSERT_TRUE(engine.ok());
  std::atomic<int> denied = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++) {
    threads.emplace_back([&] {
      Arena arena;
      ReviewContext context;
      Decision decision;
      Value object = parse(kDeployment, arena);
      for (int i = 0; i < 200; i++) {
        (*engine)->review(request_of(object), context, decision);
        denied += decision.allowed ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(denied, 800);
}

}  // namespace
}  // namespace portcullis
