// The coverage of policies by requests to an engine.
#include "cli/coverage/coverage.h"

#include <gtest/gtest.h>

#include <list>

#include "cli/coverage/collector.h"
#include "cli/coverage/loaded_policies.h"
#include "cli/coverage/report.h"

namespace portcullis {
namespace {

// The policies of a YAML text, and reviews of ConfigMaps.
class Bench {
 public:
  explicit Bench(std::string text) : policies_("policy.yaml", std::move(text)) {
    plan_ = coverage_.plan(policies_.cluster, *policies_.engine);
    collector_.emplace(plan_);
    context_.trace = &*collector_;
    context_.want_outcomes = true;
  }

  // Reviews a ConfigMap with these data, in JSON.
  Bench& review(std::string_view data, bool has_verdict = true) {
    const std::string json =
        R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"default"},"data":)" +
        std::string(data) + "}";
    AdmissionRequest request;
    request.operation = Operation::Create;
    request.kind = {"", "v1", "ConfigMap"};
    request.resource = {"", "v1", "configmaps"};
    request.name = "c";
    request.namespace_name = "default";
    request.object = *read_json(texts_.emplace_back(json), policies_.arena);
    policies_.engine->mutate(request, context_, mutation_);
    collector_->add(mutation_);
    policies_.engine->review(request, context_, decision_);
    collector_->add(decision_);
    collector_->end_request(has_verdict);
    return *this;
  }

  // What is not covered, by line.
  std::string missing() {
    counted();
    std::string out;
    for (const CoveragePolicy* p : coverage_.policies()) {
      for (const CoverageGoal& g : missing_goals(*p))
        out += std::to_string(g.position.line) + ":" + std::to_string(g.position.column) + " " + g.missing +
               "\n";
    }
    return out;
  }
  std::string percent() { return percent_text(coverage_.total()); }
  // The first policy, with what was counted.
  const CoveragePolicy& counted() {
    if (!added_) coverage_.add(*plan_, collector_->counts());
    added_ = true;
    return *coverage_.policies()[0];
  }

 private:
  LoadedPolicies policies_;
  std::list<std::string> texts_;
  Coverage coverage_;
  std::shared_ptr<const CoveragePlan> plan_;
  std::optional<CoverageCollector> collector_;
  ReviewContext context_;
  bool added_ = false;
  Mutation mutation_;
  Decision decision_;
};

std::string policy(std::string_view spec) {
  return R"(apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps]}
)" + std::string(spec) +
         R"(---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: p, validationActions: [Deny]}
)";
}

TEST(Coverage, BothOutcomesOfEachOperandCount) {
  Bench bench(policy(R"(  validations:
  - expression: |
      has(object.data.a) &&
      object.data.a == 'x'
)"));
  bench.review(R"({"a":"x"})");
  EXPECT_EQ(bench.missing(),
            "9:17 validations[0] never denies\n10:7 `has(object.data.a)` is never false\n"
            "11:7 `object.data.a == \"x\"` is never false\n");
  EXPECT_EQ(bench.percent(), "57.1 %");  // 4 of 7
}

TEST(Coverage, NothingCountsOfARequestWithoutAVerdict) {
  Bench bench(policy(R"(  validations:
  - expression: "object.data.a == 'x'"
)"));
  bench.review(R"({"a":"x"})", false).review(R"({"a":"y"})");
  EXPECT_EQ(bench.missing(), "9:17 validations[0] never passes\n");
}

TEST(Coverage, WhatIsSkippedIsNeverEvaluated) {
  Bench bench(policy(R"(  validations:
  - expression: "has(object.data.a) && object.data.a.size() > 1"
)"));
  bench.review(R"({"b":"x"})");
  EXPECT_EQ(bench.missing(),
            "9:17 validations[0] never passes\n9:18 `has(object.data.a)` is never true\n"
            "9:40 `object.data.a.size() > 1` is never evaluated\n");
}

TEST(Coverage, VariablesCountWhereTheyAreRead) {
  Bench bench(policy(R"(  variables:
  - {name: a, expression: "object.data.a"}
  - {name: long, expression: "variables.a.size() > 2"}
  - {name: unread, expression: "1"}
  validations:
  - expression: "'a' in object.data && variables.long"
    messageExpression: "'short: ' + variables.a"
)"));
  bench.review(R"({"b":"x"})");
  EXPECT_EQ(bench.missing(),
            "10:30 the variable long is never evaluated\n11:32 the variable unread is never evaluated\n"
            "13:17 validations[0] never passes\n13:18 `\"a\" in object.data` is never true\n"
            "13:40 `variables.long` is never evaluated\n14:24 the message of validations[0] is never used\n");
}

TEST(Coverage, MessagesCountWhereTheyAreUsed) {
  Bench bench(policy(R"(  validations:
  - expression: "object.data.a == 'x'"
    messageExpression: "has(object.data.b) ? 'b' : object.data.a"
)"));
  bench.review(R"({"a":"x","b":"y"})");  // its message is evaluated, but nobody sees it
  EXPECT_EQ(bench.missing(),
            "9:17 validations[0] never denies\n10:24 the message of validations[0] is never used\n");
}

TEST(Coverage, BranchesCountByTheirTest) {
  Bench bench(policy(R"(  validations:
  - expression: "(has(object.data.a) ? object.data.a : object.data.b) == 'x'"
)"));
  bench.review(R"({"a":"x"})");
  const CoverageExpression& e = bench.counted().expressions[0];
  std::string seen;
  for (const CoveragePart& p : e.parts) seen += p.text + ": " + outcomes_text(e.outcomes(p), p.kind) + "\n";
  EXPECT_EQ(seen,
            "(has(object.data.a) ? object.data.a : object.data.b) == \"x\": true 1\n"
            "has(object.data.a) ? object.data.a : object.data.b: evaluated 1\nhas(object.data.a): true 1\n"
            "object.data.a: evaluated 1\nobject.data.b: never evaluated\n");
}

TEST(Coverage, ConditionsAnnotationsAndFailures) {
  Bench bench(policy(R"y(  failurePolicy: Ignore
  matchConditions:
  - {name: c, expression: "!('skip' in object.data)"}
  validations:
  - expression: "object.data.a == 'x'"
  auditAnnotations:
  - {key: k, valueExpression: "has(object.data.c) ? 'c' : ''"}
)y"));
  bench.review(R"({"b":"x"})");
  EXPECT_EQ(bench.missing(),
            "10:27 the match condition c is never false\n12:17 validations[0] never passes\n"
            "12:17 validations[0] never denies\n14:31 the audit annotation k is never published\n"
            "14:32 `has(object.data.c)` is never true\n");
  EXPECT_EQ(bench.counted().failures.yes, 1u);
  EXPECT_EQ(bench.counted().failures.no, 0u);
}

TEST(Coverage, ParamsAreFoundAndMissing) {
  const std::string text = R"(apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps]}
  validations:
  - expression: "params.data.a == object.data.a"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: p, validationActions: [Deny], paramRef: {name: limits, parameterNotFoundAction: Allow}}
)";
  Bench bench(text);
  bench.review(R"({"a":"x"})");
  EXPECT_EQ(bench.missing(),
            "15:50 the binding b never has a param\n10:17 validations[0] is never evaluated\n");
}

TEST(Coverage, MutationsCountWhereTheyChangeSomething) {
  Bench bench(R"(apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps]}
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration:
      expression: "Object{metadata: Object.metadata{labels: {'a': object.data.a == 'x' ? 'x' : 'y'}}}"
  - patchType: JSONPatch
    jsonPatch:
      expression: "object.data.a == 'x' ? [JSONPatch{op: 'test', path: '/kind', value: ''}] : []"
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: p}
)");
  bench.review(R"({"a":"x"})");
  EXPECT_EQ(bench.missing(),
            "12:67 `object.data.a == \"x\"` is never false\n15:19 mutations[1] never changes an object\n"
            "15:20 `object.data.a == \"x\"` is never false\n");
}

TEST(Coverage, APolicyWithoutBindingIsReachedByNothing) {
  const std::string text = policy("  validations:\n  - expression: \"true\"\n");
  Bench bench(text.substr(0, text.find("---")));
  bench.review(R"({"a":"x"})");
  EXPECT_EQ(bench.missing(),
            "1:1 the policy has no binding, so nothing reaches it\n9:17 validations[0] is never evaluated\n");
  EXPECT_EQ(bench.percent(), "0.0 %");
}

}  // namespace
}  // namespace portcullis
