// The chain with webhooks, which a WebhookCaller asks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <portcullis/admission.h>

#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "tests/face.h"

namespace portcullis::v1 {
namespace {

using testing::HasSubstr;

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

}  // namespace
}  // namespace portcullis::v1
