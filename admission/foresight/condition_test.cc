// What match conditions give for sorts of requests. An outcome holds for every request of the sort.
#include "admission/foresight/condition.h"

#include <gtest/gtest.h>

#include "admission/expressions/expression.h"
#include "admission/expressions/expression_places.h"

namespace portcullis::foresight {
namespace {

using Result = Foreseen::Result;

Foreseen judge(std::string_view text, const KnownRequest& request) {
  PolicyCompiler compiler(false);
  const ExpressionPlace& place = *place_at("webhooks[0].matchConditions[0].expression");
  CompiledExpression made = compiler.compile(text, place.results, place.declared(false), {});
  EXPECT_EQ(made.error, "") << text;
  if (made.expression == nullptr) return {};
  Context context;
  return Condition(made.expression).judge(request, context);
}

std::string_view word(Result r) {
  return r == Result::Open ? "open" : r == Result::True ? "true" : r == Result::False ? "false" : "fails";
}

KnownRequest pod(Operation operation) {
  KnownRequest k;
  k.operation = operation;
  k.group = k.kind_group = k.own_group = "";
  k.version = k.kind_version = k.own_version = "v1";
  k.resource = "pods";
  k.kind = "Pod";
  k.subresource = "";
  k.namespaced = true;
  k.fields = builtin::find_kind("v1", "Pod");
  return k;
}

struct Case {
  std::string_view text, outcome;
};

TEST(Condition, CreateOfPods) {
  const Case cases[] = {
      {"true", "true"},
      {"1 == 2", "false"},
      {"1 / 0 == 1", "fails"},
      {"object.kind == 'Pod'", "true"},
      {"object.kind != 'Pod'", "false"},
      {"object.apiVersion == 'v1'", "true"},
      {"object['kind'] == 'Pod'", "true"},
      {"request.kind.kind in ['Pod', 'Deployment']", "true"},
      {"request.kind.group == '' && request.resource.resource == 'pods'", "true"},
      {"request.requestResource.version == 'v2'", "false"},
      {"request.operation == 'DELETE'", "false"},
      {"request.operation in ['UPDATE', 'DELETE']", "false"},
      {"request.operation.startsWith('C')", "true"},
      {"request.namespace == ''", "false"},
      {"'' != request.namespace", "true"},
      {"request.namespace == 'a'", "open"},
      {"request.namespace != '' && request.namespace != 'a'", "open"},
      {"request.namespace.startsWith('kube-')", "open"},
      {"has(request.namespace)", "true"},
      {"has(request.name)", "open"},
      {"has(request.subResource)", "false"},
      {"request.subResource == ''", "fails"},
      {"request.dryRun", "open"},
      {"request.userInfo.username == 'a'", "open"},
      {"!('system:nodes' in request.userInfo.groups)", "open"},
      {"has(request.userInfo.extra)", "open"},
      {"oldObject == null", "true"},
      {"object != null", "true"},
      {"null == object", "false"},
      {"oldObject.metadata.name == 'a'", "fails"},
      {"oldObject == null || oldObject.spec != object.spec", "true"},
      {"object == oldObject", "open"},
      {"object.metadata.name == 'a'", "open"},
      {"object.metadata == object.metadata", "open"},
      {"has(object.metadata.labels)", "open"},
      {"has(object.metadata)", "true"},
      {"has(object.spec)", "true"},
      {"has(object.data)", "false"},
      {"has(object.spec.template)", "false"},
      {"has(object.spec.hostNetwork)", "open"},
      {"object.spec.template.spec.hostNetwork == true", "fails"},
      {"object.?spec.?template.hasValue()", "false"},
      {"object.?spec.?hostNetwork.orValue(false) == true", "open"},
      {"object.spec.containers.all(c, c.image != '')", "open"},
      {"object.spec.containers.all(c, true)", "open"},
      {"[1, 2].all(i, i > 0)", "true"},
      {"object.kind == 'Pod' || object.spec.x == 1", "true"},
      {"object.spec.containers.size() > 0 && object.kind == 'Job'", "false"},
      {"object.spec.containers.size() > 0 && object.kind == 'Pod'", "open"},
      {"object.metadata.name == 'a' ? true : false", "open"},
      // Values that are used as a whole are not compared with maps or measured.
      {"object == {'kind': 'Pod'}", "open"},
      {"{'kind': 'Pod'} == object", "open"},
      {"[object] == [{'kind': 'Pod'}]", "open"},
      {"size(object) == 0", "open"},
      {"'kind' in object", "open"},
      {"'nothing' in object.metadata", "open"},
      {"type(object) == type('')", "open"},
      {"object.exists(k, k == 'kind')", "open"},
      {"dyn(object).kind == 'Pod'", "open"},
      {"dyn(object.kind) == 'Pod'", "true"},
      {"[request.resource.resource, request.operation] == ['pods', 'CREATE']", "true"},
      {"string(request.namespace) == ''", "open"},
      {"request.namespace in ['']", "open"},
      {"[{'a': 1}].all(object, object.a == 1)", "true"},
      {"authorizer.group('').resource('pods').check('create').allowed()", "open"},
  };
  for (const Case& c : cases)
    EXPECT_EQ(word(judge(c.text, pod(Operation::Create)).result), c.outcome) << c.text;
}

TEST(Condition, OperationsDecideWhichObjectsThereAre) {
  const std::string_view text = "has(object.metadata)", old = "oldObject.kind == 'Pod'";
  EXPECT_EQ(word(judge(text, pod(Operation::Update)).result), "true");
  EXPECT_EQ(word(judge(old, pod(Operation::Update)).result), "true");
  EXPECT_EQ(judge("object.metadata.name == 'a'", pod(Operation::Delete)).error, "no such key: metadata");
  EXPECT_EQ(word(judge("object == null", pod(Operation::Delete)).result), "true");
  // A request to delete a collection has no old object.
  EXPECT_EQ(word(judge(old, pod(Operation::Delete)).result), "open");
  EXPECT_EQ(word(judge("object.kind == 'Pod'", pod(Operation::Connect)).result), "open");
}

TEST(Condition, WhatIsNotKnownStaysOpen) {
  KnownRequest some;
  for (std::string_view text :
       {"object.kind == 'Pod'", "object.apiVersion == 'v1'", "request.kind.kind == 'Pod'",
        "request.resource.resource == 'pods'", "request.resource.group == ''",
        "request.requestKind.version == 'v1'", "request.namespace == ''", "has(request.namespace)",
        "has(request.subResource)", "request.subResource == 'status'", "has(object.spec)"})
    EXPECT_EQ(word(judge(text, some).result), "open") << text;
  some.namespaced = false;
  EXPECT_EQ(word(judge("request.namespace == ''", some).result), "fails");
  EXPECT_EQ(word(judge("has(request.namespace)", some).result), "false");
}

TEST(Condition, ARequestOfANamespaceAndAUser) {
  KnownRequest k = pod(Operation::Create);
  const std::string_view groups[] = {"system:serviceaccounts"};
  k.namespace_name = "hooks";
  k.username = "controller";
  k.groups = groups;
  EXPECT_EQ(word(judge("request.namespace != 'hooks'", k).result), "false");
  EXPECT_EQ(word(judge("!(object.metadata.namespace in ['kube-system', 'hooks'])", k).result), "false");
  EXPECT_EQ(word(judge("request.userInfo.username != 'controller'", k).result), "false");
  EXPECT_EQ(word(judge("!('system:nodes' in request.userInfo.groups)", k).result), "true");
}

}  // namespace
}  // namespace portcullis::foresight
