// What the tests of the public face share: policies and objects, and how they are loaded.
#pragma once

#include <gtest/gtest.h>
#include <portcullis/admission.h>

#include <string>

namespace portcullis::v1 {

inline constexpr std::string_view kPolicies = R"yaml(apiVersion: admissionregistration.k8s.io/v1
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
inline constexpr std::string_view kData = R"(apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: most, namespace: shop}, data: {most: "5"}}
- {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
)";
inline constexpr std::string_view kDeployment =
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, "
    "spec: {replicas: 8, selector: {}, template: {}}}";

inline Manifests manifests(std::initializer_list<std::string_view> texts) {
  Manifests out;
  for (std::string_view text : texts) EXPECT_TRUE(out.add(text, "a.yaml"));
  return out;
}

inline std::shared_ptr<const Engine> load(std::initializer_list<std::string_view> texts,
                                          LoadOptions options = {}) {
  LoadResult loaded = Engine::load(manifests(texts), options);
  for (const Problem& p : loaded.problems) ADD_FAILURE() << p.message();
  return loaded.engine;
}

// A policy for `resource` of all groups, and its binding.
inline std::string policy(std::string_view resource, std::string_view expression) {
  return R"({apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: p}, spec: {
  matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: [)" +
         std::string(resource) + "]}]}, validations: [{expression: \"" + std::string(expression) + R"("}]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: p},
  spec: {policyName: p, validationActions: [Deny]}}
)";
}

inline constexpr std::string_view kDefinition =
    R"({apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition,
metadata: {name: limits.example.com}, spec: {group: example.com, scope: Namespaced, names: {kind: Limit, plural: limits,
singular: limit, listKind: LimitList}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {
type: object, properties: {spec: {type: object, properties: {most: {type: integer, default: 3, maximum: 7}}}}}}}]}})";

// A mutating policy of the same name for `resource` of all groups, and its binding.
inline std::string mutating(std::string_view resource, std::string_view mutation) {
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
inline std::string json_patch(std::string_view expression) {
  return R"({patchType: JSONPatch, jsonPatch: {expression: ")" + std::string(expression) + R"("}})";
}
// Adds a container, which then gets its defaults.
inline constexpr std::string_view kSidecar =
    "{patchType: ApplyConfiguration, applyConfiguration: {expression: \"Object{spec: Object.spec{containers: "
    "[Object.spec.containers{name: 'proxy', image: 'envoy:1'}]}}\"}}";
inline constexpr std::string_view kPod =
    "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c, image: 'a:1'}]}}";

}  // namespace portcullis::v1
