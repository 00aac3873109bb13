// The public face: namespaces of requests, given, assumed and missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <portcullis/admission.h>

#include <string>

#include "tests/face.h"
#include "tests/stack.h"

namespace portcullis::v1 {
namespace {

using testing::HasSubstr;

TEST(Face, NamespaceIsInItselfByTheNameThatWasSent) {
  auto engine =
      load({R"j({kind: ValidatingAdmissionPolicyBinding, apiVersion: admissionregistration.k8s.io/v1,
  metadata: {name: a}, spec: {policyName: a, validationActions: [Deny]}}
---
{kind: ValidatingAdmissionPolicy, apiVersion: admissionregistration.k8s.io/v1, metadata: {name: a}, spec: {
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [namespaces]}]},
  validations: [{expression: 'false',
    messageExpression: "request.name + ' in ' + request.?namespace.orValue('none')"}]}})j"});
  ASSERT_NE(engine, nullptr);
  Memory memory;
  Context context;
  auto answer = [&](const std::string& metadata) {
    const Value object = *memory.read_yaml("{apiVersion: v1, kind: Namespace, metadata: {" + metadata + "}}");
    return std::string(engine->review_manifest({.object = object}, context).status.message);
  };
  EXPECT_THAT(answer("name: shop"), HasSubstr("shop in shop"));
  EXPECT_THAT(answer("generateName: team-"), HasSubstr("team-zzzzz in none"));
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

TEST(Face, LabelsOfNamespacesAreThoseOfPodSecurity) {
  auto engine =
      load({policy("pods", "object.metadata.name != 'bad'"), R"j({apiVersion: v1, kind: Namespace, metadata: {
  name: shop, labels: {pod-security.kubernetes.io/enforce: baseline, pod-security.kubernetes.io/warn: restricted}}})j"});
  ASSERT_NE(engine, nullptr);
  Memory memory;
  Context context;
  auto decide = [&](const std::string& name, const std::string& spec) -> const Decision& {
    const Value object =
        *memory.read_yaml("{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: " + name +
                          "}, spec: {" + spec + "containers: [{name: c, image: i}]}}");
    return engine->review_manifest({.object = object}, context);
  };
  const Decision& denied = decide("bad", "hostPID: true, ");
  EXPECT_EQ(denied.status.code, 403);
  EXPECT_EQ(
      denied.status.message,
      "pods \"bad\" is forbidden: violates PodSecurity \"baseline:latest\": host namespaces (hostPID=true)");
  const Decision& warned = decide("good", "");
  EXPECT_TRUE(warned.allowed);
  ASSERT_EQ(warned.warnings.size(), 1);
  EXPECT_THAT(std::string(warned.warnings[0]),
              testing::StartsWith("would violate PodSecurity \"restricted:latest\": "));
  EXPECT_THAT(std::string(decide("bad", "").status.message), HasSubstr("denied request"));
}

// What a denial says of a missing namespace is told from a policy that says the same of something else.
TEST(Face, AMissingNamespaceIsTheEndOfAMessage) {
  constexpr std::string_view kMissing = "namespaces \"nowhere\" not found";
  Memory memory;
  Context context;
  LoadOptions options;
  options.assume_namespaces = false;
  ManifestRequest request;
  auto status = [&](const std::string& text, bool all = false) -> const Status& {
    const auto engine = load({text}, options);
    const Decision& d =
        all ? engine->admit_manifest(request, context) : engine->review_manifest(request, context);
    EXPECT_FALSE(d.allowed);
    EXPECT_TRUE(d.status.missing_namespace.empty() ||
                d.status.missing_namespace.end() == d.status.message.end());
    return d.status;
  };
  const std::string plain = policy("configmaps", "true");
  std::string selecting = plain;
  selecting.insert(selecting.find("matchConstraints: {") + 19, "namespaceSelector: {matchLabels: {a: b}}, ");
  request.object =
      *memory.read_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: nowhere}}");
  for (const bool all : {false, true}) {
    EXPECT_EQ(status(plain, all).missing_namespace, kMissing);
    EXPECT_EQ(status(plain, all).message, kMissing);
    EXPECT_EQ(status(selecting, all).missing_namespace, kMissing);
    EXPECT_THAT(status(selecting, all).message, HasSubstr("failed to configure policy: namespaces"));
  }
  EXPECT_EQ(
      status(plain + "---\n{apiVersion: v1, kind: Namespace, metadata: {name: other}}\n").missing_namespace,
      kMissing);
  EXPECT_EQ(status(policy("configmaps", "false") +
                   "---\n{apiVersion: v1, kind: Namespace, metadata: {name: nowhere}}\n")
                .missing_namespace,
            "");
  const std::string mutating = R"(
{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicy, metadata: {name: team}, spec: {
  failurePolicy: Fail, reinvocationPolicy: Never, matchConstraints: {namespaceSelector: {matchLabels: {a: b}},
    resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [configmaps]}]},
  mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{}'}}]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicyBinding, metadata: {name: team},
  spec: {policyName: team}}
)";
  for (const bool all : {false, true}) EXPECT_EQ(status(mutating, all).missing_namespace, kMissing);
  request.object = *memory.read_yaml("{apiVersion: v1, kind: Namespace, metadata: {name: nowhere}}");
  std::string saying = policy("namespaces", "false");
  saying.insert(saying.find("expression: "), "message: 'namespaces \"nowhere\" not found', ");
  EXPECT_EQ(status(saying).missing_namespace, "");
  EXPECT_THAT(status(saying).message, HasSubstr(kMissing));
}

TEST(Face, ANamespaceThatNoClusterHasIsRefused) {
  const auto engine = load({policy("'*'", "true")});
  Memory memory;
  Context context;
  auto refusal = [&](std::string_view object, std::string_view space,
                     Operation operation = Operation::Create) {
    const Value value = *memory.read_yaml(object);
    const Decision& d = engine->review_manifest(
        {.object = value, .old_object = value, .operation = operation, .namespace_name = space}, context);
    EXPECT_EQ(d.status.missing_namespace, d.status.code == 404 ? d.status.message : "");
    return d.refused ? std::to_string(d.status.code) + " " + std::string(d.status.message) : "";
  };
  const std::string_view map = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}";
  EXPECT_EQ(refusal(map, "shop"), "");
  EXPECT_EQ(refusal(map, ""), "400 an empty namespace may not be set during creation");
  EXPECT_EQ(refusal(map, "", Operation::Update),
            "400 an empty namespace may not be set when a resource name is provided");
  EXPECT_EQ(refusal(map, "Not A Name!"), "404 namespaces \"Not A Name!\" not found");
  EXPECT_EQ(refusal("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: A}}", "shop"),
            "404 namespaces \"A\" not found");
  EXPECT_EQ(refusal("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}", ""), "");
  EXPECT_EQ(refusal("{apiVersion: v1, kind: Namespace, metadata: {name: a}}", ""), "");
  EXPECT_EQ(refusal("{apiVersion: example.com/v1, kind: Unknown, metadata: {name: a}}", ""), "");
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

}  // namespace
}  // namespace portcullis::v1
