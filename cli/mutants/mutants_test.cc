// The mutants of policies and bindings.
#include "cli/mutants/mutants.h"

#include <gtest/gtest.h>

#include "cli/mutants/failing.h"
#include "interpreter/values/json.h"
#include "manifests/documents.h"

namespace portcullis {
namespace {

// One line for each mutant: "LINE:COLUMN SORT" and the difference.
std::string mutants(std::string text) {
  Arena arena;
  JsonReader reader;
  SourceFile file{.name = "p.yaml", .text = std::move(text)};
  file.documents = *read_documents(file.text, reader, arena);
  std::vector<InputObject> objects;
  for (const YamlDocument& d : file.documents)
    split_document(file, d, arena, [](Position, std::string_view why) { FAIL() << why; }, objects);
  std::string out;
  for (const InputObject& o : objects) {
    for (const Mutant& m : mutants_of(o, false)) {
      out += std::to_string(m.position.line) + ":" + std::to_string(m.position.column) + " " + m.sort + "\n" +
             difference(m, "");
      EXPECT_NE(to_json(edited(o.value, m.edit, arena)), to_json(o.value));
    }
  }
  return out;
}

// Names of properties may have any character.
TEST(Mutants, OfADefinition) {
  EXPECT_EQ(mutants(R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: d}
spec:
  versions:
  - schema:
      openAPIV3Schema:
        properties:
          "x]": {x-kubernetes-validations: [{rule: a}]}
          "p[0]":
            properties:
              "q].r": {x-kubernetes-validations: [{rule: b}]}
              "": {x-kubernetes-validations: [{rule: c}]}
)"),
            "9:52 validation\n- a\n+ true\n"
            "12:58 validation\n- b\n+ true\n"
            "13:54 validation\n- c\n+ true\n");
}

TEST(Mutants, OfAPolicy) {
  EXPECT_EQ(mutants(R"(apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}
    objectSelector:
      matchLabels: {a.b/c: d}
  matchConditions:
  - {name: c, expression: a}
  validations:
  - expression: >-
      a &&
      b
    message: text
)"),
            "7:59 operation\n"
            "- operations: [\"CREATE\",\"UPDATE\"]\n"
            "+ operations: [\"UPDATE\"]\n"
            "7:67 operation\n"
            "- operations: [\"CREATE\",\"UPDATE\"]\n"
            "+ operations: [\"CREATE\"]\n"
            "8:5 selector\n"
            "- objectSelector: {\"matchLabels\":{\"a.b/c\":\"d\"}}\n"
            "+ objectSelector: {}\n"
            "11:27 matchCondition\n"
            "- a\n"
            "+ true\n"
            "14:7 validation\n"
            "- a && b\n"
            "+ true\n"
            "14:7 operand\n"
            "- a && b\n"
            "+ b\n"
            "14:7 operand\n"
            "- a && b\n"
            "+ a\n"
            "14:9 logic\n"
            "- a && b\n"
            "+ a || b\n");
}

TEST(Mutants, WhatCannotFailHasNoFailurePolicyToTest) {
  for (const char* text : {"has(object.metadata.labels)", "object.metadata.?labels.orValue({}).size() == 0",
                           "variables.a.filter(x, x in ['a']).size() == 1",
                           "!request.namespace.startsWith('kube-')", "Object{spec: Object.spec{a: 1}}"})
    EXPECT_FALSE(may_fail(text, true)) << text;
  for (const char* text : {"object.spec.a == 1", "int('x') == 1", "object.metadata.labels.a == 'b'",
                           "has(object.spec.a)", "variables.a.b == 1", "a[0] == 1"})
    EXPECT_TRUE(may_fail(text, true)) << text;
  EXPECT_TRUE(may_fail("has(object.metadata.labels)", false));
}

TEST(Mutants, OfABinding) {
  EXPECT_EQ(mutants(R"(apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec:
  policyName: p
  validationActions: [Deny]
  paramRef: {name: x, parameterNotFoundAction: Deny}
  matchResources:
    namespaceSelector: {matchExpressions: [{key: a, operator: Exists}, {key: b, operator: Exists}]}
)"),
            "6:3 validationActions\n"
            "- validationActions: [\"Deny\"]\n"
            "+ validationActions: [\"Audit\"]\n"
            "7:23 parameterNotFoundAction\n"
            "- parameterNotFoundAction: \"Deny\"\n"
            "+ parameterNotFoundAction: \"Allow\"\n"
            "9:5 selector\n"
            "- namespaceSelector: "
            "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\"},{\"key\":\"b\",\"operator\":"
            "\"Exists\"}]}\n"
            "+ namespaceSelector: {}\n"
            "9:44 selector\n"
            "- matchExpressions: "
            "[{\"key\":\"a\",\"operator\":\"Exists\"},{\"key\":\"b\",\"operator\":\"Exists\"}]\n"
            "+ matchExpressions: [{\"key\":\"b\",\"operator\":\"Exists\"}]\n"
            "9:72 selector\n"
            "- matchExpressions: "
            "[{\"key\":\"a\",\"operator\":\"Exists\"},{\"key\":\"b\",\"operator\":\"Exists\"}]\n"
            "+ matchExpressions: [{\"key\":\"a\",\"operator\":\"Exists\"}]\n");
}

}  // namespace
}  // namespace portcullis
