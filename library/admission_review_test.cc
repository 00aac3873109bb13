// The public face: AdmissionReviews.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <portcullis/admission.h>

#include <cstring>
#include <string>

#include "tests/face.h"

namespace portcullis::v1 {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

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
            R"("status":{"code":400,"message":"the request has no operation, or none that exists",)"
            R"("metadata":{},"reason":"BadRequest","status":"Failure"},"uid":"x"}})");
  EXPECT_THAT(answer("v3", "{}"), HasSubstr(R"("allowed":false)"));
  EXPECT_EQ(engine->review_json("{", context).error().text, "unexpected end of JSON input");
  EXPECT_THAT(engine->review_json("{}", context).error().text, HasSubstr("no AdmissionReview"));
  // Two readers of a key that occurs twice might understand it in two ways.
  auto twice = [&](std::string text, std::string_view member, std::string_view with) {
    text.insert(text.find(member), with);
    return answer("v1", text);
  };
  EXPECT_EQ(twice(std::string(kRequest), "\"spec\"", R"("spec":{},)"),
            "no answer: key \"spec\" already set in map");
  EXPECT_EQ(twice(std::string(kRequest), "\"object\"", R"("object":{},)"),
            "no answer: key \"object\" already set in map");
  EXPECT_EQ(twice(std::string(kRequest), "\"replicas\"", R"("x":1e-999,"replicas":1,)"),
            "no answer: key \"replicas\" already set in map");
  EXPECT_EQ(twice(std::string(kRequest), "\"spec\"", R"("sp\u0065c":{},)"),
            "no answer: key \"spec\" already set in map");
  EXPECT_THAT(twice(std::string(kRequest), "\"replicas\"", R"("x":1e-999,)"), HasSubstr("more than 5"));
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

// A newer release has kinds that nobody here knows, also in Kubernetes' own groups.
TEST(Face, AdmissionReviewsOfUnknownKindsAreDecided) {
  Context context;
  auto answer = [&](const std::string& text, std::string_view version) {
    const auto engine = load({text});
    const auto made = engine->review_json(
        R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"CREATE",
        "name":"a","namespace":"shop","kind":{"group":"networking.k8s.io","version":")" +
            std::string(version) + R"(","kind":"NetworkPolicy"},
        "resource":{"group":"networking.k8s.io","version":")" +
            std::string(version) +
            R"(","resource":"networkpolicies"},"object":{"apiVersion":"networking.k8s.io/)" +
            std::string(version) + R"(","kind":"NetworkPolicy","metadata":{"name":"a"},"new":1}}})",
        context);
    return std::string(made->unknown_kind) + ": " +
           (made->decision->allowed ? "allowed" : std::string(made->decision->status.message));
  };
  const std::string own = policy("networkpolicies", "object.new == 2");
  EXPECT_THAT(answer(own, "v1"), StartsWith(": networkpolicies.networking.k8s.io \"a\" is forbidden"));
  EXPECT_THAT(answer(own, "v3"),
              StartsWith("networking.k8s.io/v3 NetworkPolicy: networkpolicies.networking.k8s.io "
                         "\"a\" is forbidden: ValidatingAdmissionPolicy"));
  EXPECT_EQ(answer(policy("pods", "false"), "v3"), "networking.k8s.io/v3 NetworkPolicy: allowed");
}

// The API server converts the object for a webhook, and says what the client sent: the patch is for what was sent here.
TEST(Face, AdmissionReviewsAreOfTheRequestOfTheClient) {
  const std::string review =
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"CREATE",
      "kind":{"group":"autoscaling","version":"v2","kind":"HorizontalPodAutoscaler"},
      "resource":{"group":"autoscaling","version":"v2","resource":"horizontalpodautoscalers"},
      "requestKind":{"group":"autoscaling","version":"v1","kind":"HorizontalPodAutoscaler"},
      "requestResource":{"group":"autoscaling","version":"v1","resource":"horizontalpodautoscalers"},
      "object":{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"a"},
      "spec":{"minReplicas":1,"maxReplicas":3,"scaleTargetRef":{"kind":"Deployment","name":"d"}},
      "status":{"currentMetrics":null,"desiredReplicas":0}}}})";
  auto engine =
      load({policy("horizontalpodautoscalers",
                   "request.requestKind.version == 'v1' && object.apiVersion == 'autoscaling/v1'"),
            mutating("horizontalpodautoscalers",
                     json_patch("[JSONPatch{op: 'add', path: '/spec/targetCPUUtilizationPercentage', "
                                "value: 70}]"))});
  Context context;
  const auto answer = engine->review_json(review, context);
  ASSERT_TRUE(answer.ok());
  EXPECT_TRUE(answer->decision->allowed) << answer->json;
  EXPECT_EQ(answer->request.kind.version, "v1");
  EXPECT_EQ(answer->request.resource.version, "v1");
  EXPECT_EQ(patch_json(*answer->decision),
            R"([{"op":"add","path":"/spec/metrics","value":[{"resource":{"name":"cpu","target":)"
            R"({"averageUtilization":70,"type":"Utilization"}},"type":"Resource"}]}])");
}

// Several params bring a policy to say the same thing, and the API server sends each warning once.
TEST(Face, AdmissionReviewsHaveEachWarningOnce) {
  constexpr std::string_view kPolicy = R"(
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: p}, spec: {
  paramKind: {apiVersion: v1, kind: ConfigMap}, matchConstraints: {resourceRules: [
    {apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]},
  validations: [{expression: 'false', messageExpression: string(params.data.text)}]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: p}, spec: {
  policyName: p, validationActions: [Warn], paramRef: {selector: {}, parameterNotFoundAction: Deny}}}
)";
  for (int count : {3, 30}) {  // of each text
    std::string params = "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n";
    for (int i = 0; i < 2 * count; i++) {
      params += "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: n" + std::to_string(i) +
                ", namespace: shop}, data: {text: " + (i % 2 == 0 ? "one" : "two") + "}}\n";
    }
    auto engine = load({kPolicy, params});
    Context context;
    auto answer = engine->review_json(
        R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"CREATE",
        "kind":{"group":"","version":"v1","kind":"Pod"},"resource":{"group":"","version":"v1","resource":"pods"},
        "name":"a","namespace":"shop","object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"shop"}}}})",
        context);
    ASSERT_TRUE(answer.ok());
    EXPECT_EQ(answer->decision->warnings.size(), 2 * static_cast<size_t>(count));
    EXPECT_THAT(
        std::string(answer->json),
        HasSubstr(
            R"("warnings":["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p': one",)"
            R"("Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p': two"])"));
  }
}

// An API server has pruned, defaulted and validated them by its definition, which may be newer than ours.
TEST(Face, CustomResourcesOfAdmissionReviewsAreDecidedAsSent) {
  auto engine =
      load({kDefinition,
            policy("limits",
                   "object.spec == {'most': 9, 'more': 1} && object.metadata.managedFields == [1] && "
                   "size(object.metadata) == 2"),
            mutating("limits", json_patch("[JSONPatch{op: 'remove', path: '/spec/most'}]"))});
  constexpr std::string_view kReview =
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{
      "uid":"u","operation":"CREATE","kind":{"group":"example.com","version":"v1","kind":"Limit"},"name":"a",
      "resource":{"group":"example.com","version":"v1","resource":"limits"},"namespace":"shop","object":{
      "apiVersion":"example.com/v1","kind":"Limit","metadata":{"name":"a","managedFields":[1]},
      "spec":{"most":9,"more":1}}}})";
  Context context;
  auto validated = engine->review_json(kReview, context, Plugins::Validating);
  ASSERT_TRUE(validated.ok());
  EXPECT_TRUE(validated->decision->allowed) << validated->json;
  EXPECT_TRUE(validated->decision->unknown_fields.empty());
  // The default of the definition comes after the mutation, and what the definition does not have stays.
  auto mutated = engine->review_json(kReview, context, Plugins::Mutating);
  ASSERT_TRUE(mutated.ok());
  EXPECT_EQ(patch_json(*mutated->decision), R"([{"op":"replace","path":"/spec/most","value":3}])");
}

// Each webhook has the policies whose rules ask for the same versions of the resource.
TEST(Face, AdmissionReviewsAreDecidedByThePoliciesOfTheirVersions) {
  const auto asking = [](std::string name, std::string_view versions,
                         std::string_view group = "example.com") {
    std::string text = R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy",
        "metadata":{"name":"NAME"},"spec":{"validations":[{"expression":"false"}],"matchConstraints":{"resourceRules":[
        {"apiGroups":["GROUP"],"apiVersions":VERSIONS,"operations":["CREATE"],"resources":["*"]}]}}}
---
{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicyBinding","metadata":{"name":"NAME"},
        "spec":{"policyName":"NAME","validationActions":["Warn"]}})";
    for (auto [what, value] :
         {std::pair("NAME", std::string_view(name)), {"GROUP", group}, {"VERSIONS", versions}}) {
      for (size_t at; (at = text.find(what)) != text.npos;) text.replace(at, strlen(what), value);
    }
    return text;
  };
  auto engine = load({asking("one", R"(["v1"])"), asking("some", R"(["v2","v1"])"),
                      asking("all", R"(["*"])", "*"), asking("core", R"(["v1"])", "")});
  Context context;
  const auto deciders = [&](std::string_view versions, std::string group = "example.com") {
    const std::string kind = R"({"group":")" + group + R"(","version":"v1",)";
    const std::string version = group.empty() ? "v1" : group + "/v1";
    auto answer = engine->review_json(
        R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"CREATE",
        "kind":)" +
            kind + R"("kind":"Pod"},"resource":)" + kind + R"("resource":"pods"},"name":"a","object":{
        "apiVersion":")" +
            version + R"(","kind":"Pod","metadata":{"name":"a"}}}})",
        context, Plugins::Validating, versions);
    std::string names;
    for (std::string_view w : answer->decision->warnings) {
      const size_t start = w.find('\'') + 1;
      names.append(names.empty() ? "" : " ").append(w.substr(start, w.find('\'', start) - start));
    }
    return names;
  };
  for (std::string_view other :
       {"x", "versions/", "any-version/", " versions/v1", "/", "versions/any-version", "versions/v2.v1"}) {
    auto answer = engine->review_json("{}", context, Plugins::Validating, other);
    ASSERT_FALSE(answer.ok()) << other;
    EXPECT_EQ(answer.error().text, "versions are \"" + std::string(other) +
                                       "\": want \"any-version\", or what is like \"versions/v1.v2\" or "
                                       "\"versions/v2/v1\"");
  }
  EXPECT_EQ(deciders(""), "all one some");
  EXPECT_EQ(deciders("any-version"), "all");
  EXPECT_EQ(deciders("versions/v1"), "one");
  EXPECT_EQ(deciders("versions/v1.v2"), "some");
  for (std::string_view other : {"versions/v2", "versions/v", "versions/v1.v2.v3", "versions/v1/v1.v2"})
    EXPECT_EQ(deciders(other), "") << other;
  EXPECT_EQ(deciders("any-version", ""), "all core");  // a built-in kind
  EXPECT_EQ(deciders("versions/v1", ""), "");
  EXPECT_EQ(deciders("", ""), "all core");
}

// Validating policies see what the API server lets a mutation change. The object was sent without a default of our
// definition, which therefore fills in none.
TEST(Face, MutationsOfAdmissionReviewsKeepStatusAndNamespace) {
  std::string definition(kDefinition);
  definition.insert(definition.find("schema:"), "subresources: {status: {}}, ");
  auto engine =
      load({definition,
            policy("limits",
                   "!has(object.status) && object.spec == {'more': 1} && "
                   "object.metadata == {'name': 'a', 'namespace': 'shop'}"),
            mutating("limits", json_patch("[JSONPatch{op: 'add', path: '/status', value: {'n': 7}}, "
                                          "JSONPatch{op: 'remove', path: '/metadata/namespace'}]"))});
  Context context;
  auto answer = engine->review_json(
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{
      "uid":"u","operation":"CREATE","kind":{"group":"example.com","version":"v1","kind":"Limit"},"name":"a",
      "resource":{"group":"example.com","version":"v1","resource":"limits"},"namespace":"shop","object":{
      "apiVersion":"example.com/v1","kind":"Limit","metadata":{"name":"a","namespace":"shop"},
      "spec":{"more":1}}}})",
      context);
  ASSERT_TRUE(answer.ok());
  EXPECT_TRUE(answer->decision->allowed) << answer->json;
}

}  // namespace
}  // namespace portcullis::v1
