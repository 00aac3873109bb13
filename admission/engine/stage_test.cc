// Expressions with one budget, in mode `condition` of the batch protocol. The answers are those of
// Kubernetes.
#include "admission/engine/stage.h"

#include <gtest/gtest.h>

#include <string>

#include "batch/batch.h"

namespace portcullis {
namespace {

// The answer to a request about a Deployment with these members.
std::string ask(const std::string& members) {
  return answer_batch(
      R"({"mode":"condition",)" + members +
      R"(,"request":{"operation":"CREATE","kind":{"group":"apps","version":"v1","kind":"Deployment"},)"
      R"("resource":{"group":"apps","version":"v1","resource":"deployments"},"name":"d","namespace":"default",)"
      R"("object":{"apiVersion":"apps/v1","kind":"Deployment","spec":{"none":null}}}})");
}

constexpr const char* kOut =
    R"({"error":"validation failed due to running out of cost budget, no further validation rules will be run","outOfBudget":true})";

TEST(Stage, BudgetMustCoverEveryExpression) {
  EXPECT_EQ(ask(R"("expressions":["1 + 1 == 2"],"budget":2)"),
            R"({"remainingBudget":"0","results":[{"value":{"bool":true}}]})");
  EXPECT_EQ(ask(R"("expressions":["object.kind == 'a'"],"budget":3)"),
            R"({"remainingBudget":"0","results":[{"value":{"bool":false}}]})");
  EXPECT_EQ(ask(R"("expressions":["object.kind == 'a'"],"budget":2)"), kOut);
  // A negative budget is too small for any cost; a compile error costs nothing.
  EXPECT_EQ(ask(R"("expressions":["true"],"budget":-1)"), kOut);
  EXPECT_NE(ask(R"("expressions":["nope"],"budget":-1)"), kOut);
}

TEST(Stage, VariablesAreChargedToWhoAsksFirst) {
  EXPECT_EQ(
      ask(R"("expressions":["variables.v == 'a'","variables.v == 'a'"],"variables":[{"name":"v","expression":"object.kind"}],"budget":8)"),
      R"({"remainingBudget":"0","results":[{"value":{"bool":false}},{"value":{"bool":false}}]})");
  EXPECT_EQ(
      ask(R"("expressions":["variables.v == 'a'","variables.v == 'a'"],"variables":[{"name":"v","expression":"object.kind"}],"budget":7)"),
      kOut);
}

TEST(Stage, LimitOfACall) {
  EXPECT_EQ(
      ask(R"("expressions":["object.kind == 'a'","true"],"perCallLimit":2,"budget":10)"),
      R"({"remainingBudget":"7","results":[{"error":"expression 'object.kind == 'a'' resulted in error: operation cancelled: )"
      R"(actual cost limit exceeded"},{"value":{"bool":true}}]})");
}

TEST(Stage, NamesOfVariablesAreUnescapedWhereTheyAreAskedFor) {
  EXPECT_EQ(
      ask(R"x("expressions":["has(variables.a__dot__b)","variables.a__b","variables.__namespace__"],"budget":100,"variables":)x"
          R"([{"name":"a__dot__b","expression":"1"},{"name":"a__b","expression":"4"},{"name":"namespace","expression":"6"},)"
          R"({"name":"__namespace__","expression":"7"}])"),
      R"({"remainingBudget":"95","results":[{"value":{"bool":false}},{"value":{"int64":"4"}},{"value":{"int64":"6"}}]})");
}

// Only the checker knows the types of variables.
TEST(Stage, TypesOfVariablesAreNoValues) {
  EXPECT_EQ(ask(R"("expressions":["type(request) == kubernetes.AdmissionRequest"],"budget":9)"),
            R"({"remainingBudget":"9","results":[{"error":"compilation error: program instantiation failed: )"
            R"(reference to undefined type: kubernetes.AdmissionRequest"}]})");
  EXPECT_EQ(ask(R"x("expressions":["type(ip('::1')) == net.IP"],"budget":9)x"),
            R"({"remainingBudget":"6","results":[{"value":{"bool":true}}]})");
}

// A value that JSON cannot hold keeps its type.
TEST(Stage, PartsOfObjects) {
  auto holds = [](const char* expression) {
    return answer_batch(
               R"({"mode":"condition","typed":true,"patchTypes":true,"hasAuthorizer":true,"budget":1000,)"
               R"("variables":[{"name":"b","expression":"'c'"}],"request":{"operation":"CREATE",)"
               R"("kind":{"group":"authentication.k8s.io","version":"v1","kind":"TokenReview"},)"
               R"("resource":{"group":"authentication.k8s.io","version":"v1","resource":"tokenreviews"},)"
               R"("name":"a","userInfo":{"username":"bob","extra":{"k":["v"]}},"object":{)"
               R"("apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","metadata":{"labels":{"a":"b"}},)"
               R"("status":{"user":{"username":"bob","extra":{"k":["v"]}}}}},"expressions":[")" +
               std::string(expression) + "\"]}")
               .find(R"({"bool":true})") != std::string::npos;
  };
  EXPECT_TRUE(holds("[Object{a: authorizer}.a.group('')].size() == 1"));
  EXPECT_TRUE(holds("Object{a: variables}.a.b == 'c'"));
  EXPECT_TRUE(holds("dyn(request.userInfo) == dyn(object.status.user)"));
  EXPECT_TRUE(holds("Object{spec: dyn(request.userInfo)} == Object{spec: dyn(object.status.user)}"));
  EXPECT_TRUE(holds("Object{spec: {'a': 'b'}} == Object{spec: object.metadata.labels}"));
  EXPECT_TRUE(holds("Object{a: [object.metadata]}.a[0].labels.a == 'b'"));
  EXPECT_FALSE(holds("Object{spec: {'a': 'c'}} == Object{spec: object.metadata.labels}"));
}

// A loop over `variables` evaluates them one after the other, and one more that the end of the loop does not
// need.
TEST(Stage, LoopsOverVariables) {
  auto left = [](const char* expression) {
    std::string got = ask(R"x("budget":1000,"variables":[{"name":"a","expression":"'b'"},)x"
                          R"x({"name":"b","expression":"[1, 2, 3].map(x, x).size()"},)x"
                          R"x({"name":"c","expression":"[1, 2, 3, 4, 5].map(x, x)"}],"expressions":[")x" +
                          std::string(expression) + "\"]");
    return got.substr(0, got.find(','));
  };
  EXPECT_EQ(left("dyn(variables).all(x, false)"), R"({"remainingBudget":"951")");
  EXPECT_EQ(left("dyn(variables).exists(x, true)"), R"({"remainingBudget":"949")");
  EXPECT_EQ(left("dyn(variables).exists(k, v, k == 'b')"), R"({"remainingBudget":"947")");
  EXPECT_EQ(left("dyn(variables).map(x, x) == []"), R"({"remainingBudget":"851")");
}

// Variables nest evaluations, values and types as deep as there are variables: the depth of each is bounded.
TEST(Stage, VariablesThatReadOneAnother) {
  auto ends = [](int count, const std::string& first, const std::string& before, const std::string& after,
                 const std::string& last) {
    std::string variables = R"({"name":"v0","expression":")" + first + "\"}";
    for (int i = 1; i <= count; ++i) {
      variables += R"(,{"name":"v)" + std::to_string(i) + R"(","expression":")" + before + "variables.v" +
                   std::to_string(i - 1) + after + "\"}";
    }
    std::string got =
        ask(R"("budget":10000000,"variables":[)" + variables + R"(],"expressions":[")" + last + "\"]");
    for (std::string_view text : {"true", "evaluation is nested too deep", "is nested more than 1000 deep"}) {
      if (got.find(text) != got.npos) return text;
    }
    return std::string_view("?");
  };
  const std::string open(200, '['), close(200, ']');
  EXPECT_EQ(ends(1000, "1", "", " + 1", "variables.v1000 == 1001"), "true");
  EXPECT_EQ(ends(2000, "1", "", " + 1", "variables.v2000 == 2001"), "evaluation is nested too deep");
  EXPECT_EQ(ends(55, "1", open + "dyn(", ")" + close, "variables.v55 == variables.v55"), "true");
  EXPECT_EQ(ends(65, "1", open + "dyn(", ")" + close, "variables.v65 == variables.v65"),
            "evaluation is nested too deep");
  EXPECT_EQ(ends(4, "1", open, close, "variables.v4 == variables.v4"), "true");
  EXPECT_EQ(ends(5, "1", open, close, "variables.v5 == variables.v5"), "is nested more than 1000 deep");
}

// has() of a conditional takes back a unit that was never charged, behind fields of Objects, too.
TEST(Stage, PresenceBehindAConditional) {
  auto answer = [](const char* expression) {
    return ask(R"("patchTypes":true,"budget":1000,"expressions":[")" + std::string(expression) + "\"]");
  };
  EXPECT_EQ(answer("has((true ? Object{} : Object{a: 1}).spec.replicas)"),
            R"({"remainingBudget":"959","results":[{"value":{"bool":false}}]})");
  EXPECT_NE(
      answer("has((true ? Object{} : Object{a: 1}).spec.replicas.app)").find(R"("remainingBudget":"959")"),
      std::string::npos);
}

// Until 1.28, Kubernetes expects plain strings in a list of a Go struct, and panics if they have a named
// type.
TEST(Stage, JoinOfNamedStrings) {
  auto join = [](const char* version) {
    return ask(
        R"x("expressions":["namespaceObject.spec.finalizers.join() == 'kubernetes'"],"budget":100,"env":"new","version":)x" +
        std::string(version) + R"(,"namespaceObject":{"spec":{"finalizers":["kubernetes"]}})");
  };
  EXPECT_NE(join(R"("1.28")").find(R"("results":[{"value":{"bool":true}}])"), std::string::npos);
  EXPECT_EQ(join(R"("1.29")"), R"({"remainingBudget":"94","results":[{"value":{"bool":true}}]})");
}

TEST(Stage, AnOptionalWithinAPathIsNoContainer) {
  EXPECT_EQ(
      ask(R"x("expressions":["variables.m","variables.m.a"],"budget":100,"variables":[{"name":"m","expression":"optional.of({'a': 1})"}])x"),
      R"({"remainingBudget":"94","results":[{"value":{"optional":{"map":[[{"string":"a"},{"int64":"1"}]]}}},{"error":"expression )"
      R"('variables.m.a' resulted in error: no such key: a"}]})");
}

TEST(Stage, IndexesAreNamedByTheirTypes) {
  EXPECT_EQ(
      ask(R"("expressions":["{'a': 1}[object.spec.none]"],"budget":100)"),
      R"({"remainingBudget":"96","results":[{"error":"expression '{'a': 1}[object.spec.none]' resulted in error: invalid qualifier )"
      R"(type: types.Null"}]})");
}

}  // namespace
}  // namespace portcullis
