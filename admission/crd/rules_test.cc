// Rules on values: messages, reasons, paths, transition rules, budgets. Texts are those of the API server
// 1.37.
#include "admission/crd/rules.h"

#include <gtest/gtest.h>

#include "interpreter/values/json.h"

namespace portcullis::crd {
namespace {

class Rules : public ::testing::Test {
 protected:
  // The messages of all errors, one per line.
  std::string check(const char* schema_json, const char* self, const char* old_self = nullptr,
                    int64_t budget = 1000) {
    Result<Value> data = read_json(schema_json, arena);
    EXPECT_TRUE(data.ok()) << schema_json;
    SchemaPtr schema;
    EXPECT_FALSE(read_schema(*data, schema));
    auto validator = RuleChecker::make(schema, false);
    if (validator == nullptr) return "no rules";
    Value value = *read_json(self, arena), old_value;
    if (old_self != nullptr) old_value = *read_json(old_self, arena);
    Context context;
    auto outcome =
        validator->validate("", value, old_self != nullptr ? &old_value : nullptr, budget, context);
    std::string out;
    for (const FieldError& e : outcome.errors) out += (out.empty() ? "" : "\n") + e.message;
    cost = budget - outcome.remaining;
    return out;
  }

  // The same for an object with these properties and one rule.
  std::string check_rule(std::string_view properties, std::string_view rule, const std::string& self) {
    std::string schema = R"({"type":"object","properties":)" + std::string(properties) +
                         R"(,"x-kubernetes-validations":[{"rule":")" + std::string(rule) + "\"}]}";
    return check(schema.c_str(), self.c_str());
  }

  Arena arena;
  int64_t cost = 0;
};

// Data that the schema preserves without a type is compared as JSON, if it is the left operand.
TEST_F(Rules, PreservedData) {
  auto holds = [&](const char* rule, const char* preserved) {
    return check_rule(R"({"p":{"x-kubernetes-preserve-unknown-fields":true},
        "r":{"type":"object","additionalProperties":{"type":"integer"}},"l":{"type":"array","items":{"type":"integer"}}})",
                      rule, std::string(R"({"r":{"a":1},"l":[1,2],"p":)") + preserved + "}");
  };
  EXPECT_EQ(holds("dyn(self)['p'] == 1", "1"), "");
  EXPECT_NE(holds("dyn(self)['p'] == 1", "1.0"), "");
  EXPECT_EQ(holds("dyn(self)['p'] == dyn(self)['r']", R"({"a":1})"), "");
  EXPECT_EQ(holds("dyn(self)['p'] == dyn(self)['l']", "[1,2]"), "");
  EXPECT_NE(holds("dyn(self)['p'] == [1, 2]", "[1,2]"), "");
  EXPECT_NE(holds("1 == dyn(self)['p']", "2"), "");
  EXPECT_NE(holds("type(dyn(self)['p']) == int", "1")
                .find("type conversion to 'type' not supported for values preserved"),
            std::string::npos);
  EXPECT_NE(holds("dyn(self)['p'].all(x, x == 1)", "[1]")
                .find("got '*common.unknownPreserved', expected iterable type"),
            std::string::npos);
}

// No schema allows such keys; Go panics.
TEST_F(Rules, KeysThatAreNoScalars) {
  auto holds = [&](const char* rule, const char* key) {
    return check_rule(
        R"({"l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
        "items":{"type":"object","properties":{"k":{"type":"string"}}}}})",
        rule, std::string(R"({"l":[{"k":)") + key + "}]}");
  };
  EXPECT_EQ(holds("self.l == self.l", "\"a\""), "");
  EXPECT_EQ(holds("self.l != self.l || true", "{\"a\":1}"), "");
  EXPECT_EQ(holds("self.l == self.l || true", "[1]"), "");
}

// Lists of data accept only ints as indices, which shows if there is an element.
TEST_F(Rules, IndexesThatAreNoInts) {
  auto error = [&](const char* rule) {
    return check_rule(R"({"l":{"type":"array","items":{"type":"string"}}})", rule, R"({"l":["a"]})");
  };
  EXPECT_NE(error("dyn(self.l)[0u] == 'a'").find("unsupported index: 0"), std::string::npos);
  EXPECT_NE(error("dyn(self.l)[5u] == 'a'").find("index out of bounds: 5"), std::string::npos);
  EXPECT_NE(error("dyn(self.l)[null] == 'a'").find("invalid qualifier type"), std::string::npos);
  EXPECT_EQ(error("dyn(self.l)[0] == 'a'"), "");
}

// A loop visits the unknown fields of an object last, as nulls, and null fields without their value; texts
// show neither.
TEST_F(Rules, FieldsThatAreNotSeenAreGoneOver) {
  auto holds = [&](const char* rule, const char* object) {
    return check_rule(R"({"o":{"type":"object","properties":
        {"a":{"type":"string"},"b":{"type":"integer","nullable":true}}}})",
                      rule, std::string(R"({"o":)") + object + "}");
  };
  constexpr const char* kFormat = "'%s'.format([dyn(self.o)]) != '' || true";
  EXPECT_EQ(holds("'%s'.format([dyn(self.o)]) == '{'+strings.quote('a')+':'+strings.quote('x')+'}'",
                  R"({"a":"x"})"),
            "");
  EXPECT_EQ(holds("'%s'.format([dyn(self.o)]) == '{'+strings.quote('a')+':'+strings.quote('x')+'}'",
                  R"({"zz":1,"a":"x"})"),
            "");
  EXPECT_EQ(holds(kFormat, R"({"b":null})"), "");
  EXPECT_NE(holds("'%s'.format([dyn(self.o)]) == ''", R"({"b":null})")
                .find(R"(: error during formatting: could not find key: "b" )"),
            std::string::npos);
  EXPECT_EQ(holds("dyn(self.o).map(k, k) == [dyn('a'), dyn(null)]", R"({"zz":1,"a":"x"})"), "");
}

TEST_F(Rules, MessagesAndReasons) {
  EXPECT_EQ(check(R"({"type":"object","properties":{"a":{"type":"integer"}},"x-kubernetes-validations":[
      {"rule":"self.a > 1","message":"a must be above 1","reason":"FieldValueForbidden","fieldPath":".a"}]})",
                  R"({"a":1})"),
            "a: Forbidden: a must be above 1");
  EXPECT_EQ(cost, 3);
  EXPECT_EQ(check(R"s({"type":"object","properties":{"a":{"type":"integer","x-kubernetes-validations":[
      {"rule":"self > 1","messageExpression":"'got ' + string(self)"}]}}})s",
                  R"({"a":1})"),
            "a: Invalid value: 1: got 1");
  EXPECT_EQ(check(R"({"type":"string","x-kubernetes-validations":[{"rule":" self == 'x' "}]})", R"("y")"),
            "<nil>: Invalid value: \"y\": failed rule: self == 'x'");
}

TEST_F(Rules, TransitionRulesNeedAnOldValue) {
  const char* schema = R"({"type":"integer","x-kubernetes-validations":[{"rule":"self >= oldSelf"}]})";
  EXPECT_EQ(check(schema, "1"), "");
  EXPECT_EQ(check(schema, "1", "2"), "<nil>: Invalid value: 1: failed rule: self >= oldSelf");
  const char* optional =
      R"s({"type":"integer","x-kubernetes-validations":[{"rule":"oldSelf.hasValue()","optionalOldSelf":true}]})s";
  EXPECT_EQ(check(optional, "1", "2"), "");
  EXPECT_EQ(check(optional, "1"), "<nil>: Invalid value: 1: failed rule: oldSelf.hasValue()");
}

TEST_F(Rules, OldElementsOfMapListsAreFoundByKey) {
  const char* schema =
      R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":
      {"type":"object","properties":{"k":{"type":"string"},"v":{"type":"integer"}},
       "x-kubernetes-validations":[{"rule":"self.v >= oldSelf.v","message":"shrinks"}]}})";
  EXPECT_EQ(check(schema, R"([{"k":"b","v":1},{"k":"a","v":1},{"k":"c","v":0}])",
                  R"([{"k":"a","v":2},{"k":"b","v":1}])"),
            "[1]: Invalid value: shrinks");
}

// Kubernetes compares keys as raw data, not as typed by the schema.
TEST_F(Rules, KeysOfMapListsAreData) {
  auto same = [&](const std::string& key, const std::string& a, const std::string& b) {
    std::string list = R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
        "items":{"type":"object","properties":{"k":)" +
                       key + R"(,"v":{"type":"integer"}}}})";
    std::string schema = R"({"type":"object","properties":{"a":)" + list + R"(,"b":)" + list +
                         R"s(},"x-kubernetes-validations":[{"rule":"dyn(self.a) == dyn(self.b)"}]})s";
    return check(schema.c_str(), (R"({"a":)" + a + R"(,"b":)" + b + "}").c_str());
  };
  const char* duration = R"({"type":"string","format":"duration"})";
  const std::string differ = "<nil>: Invalid value: failed rule: dyn(self.a) == dyn(self.b)";
  EXPECT_EQ(same(duration, R"([{"k":"60m","v":1}])", R"([{"k":"60m","v":1}])"), "");
  EXPECT_EQ(same(duration, R"([{"k":"60m","v":1}])", R"([{"k":"1h","v":1}])"), differ);
  EXPECT_EQ(same(R"({"type":"number"})", R"([{"k":1}])", R"([{"k":1.0}])"), differ);
  EXPECT_EQ(same(R"({"type":"string"})", R"([{"k":5}])", R"([{"k":6}])"), differ);
  EXPECT_EQ(same(R"({"type":"string"})", R"([{"k":5}])", R"([{"k":5}])"),
            "<nil>: Invalid value: \"object\": invalid data, expected string, got int64 evaluating rule: "
            "dyn(self.a) == dyn(self.b)");
}

TEST_F(Rules, TheBudgetEndsIt) {
  EXPECT_EQ(check(R"({"type":"integer","x-kubernetes-validations":[{"rule":"self > 1 && self < 5"}]})", "3",
                  nullptr, 2),
            "<nil>: Invalid value: \"integer\": validation failed due to running out of cost budget, no "
            "further validation rules "
            "will be run");
}

TEST_F(Rules, RulesThatDoNotCompile) {
  EXPECT_EQ(
      check(
          R"({"type":"object","properties":{"a-b":{"type":"integer"}},"x-kubernetes-validations":[{"rule":"self.ab > 1"}]})",
          "{}"),
      "<nil>: Invalid value: \"object\": rule compile error: compilation failed: ERROR: <input>:1:5: "
      "undefined field 'ab'\n"
      " | self.ab > 1\n | ....^");
}

TEST_F(Rules, ElementsThatDoNotFitAreErrorsOfTheirOwn) {
  auto list = [&](const std::string& rule) {
    std::string schema =
        R"({"type":"object","properties":{"l":{"type":"array","items":{"type":"integer"}},"m":{"type":"object",
        "additionalProperties":{"type":"integer"}}},"x-kubernetes-validations":[{"rule":")" +
        rule + "\"}]}";
    return check(schema.c_str(), R"({"l":[1,"a"],"m":{}})");
  };
  const std::string bad =
      "<nil>: Invalid value: \"object\": invalid data, expected int, got string evaluating rule: ";
  for (std::string rule : {"self.l.isSorted()", "self.l.sum() > 1", "self.l.max() > 1", "[self.l[1]][0] == 1",
                           "[1][self.l[1]] == 1"})
    EXPECT_EQ(list(rule), bad + rule);
}

TEST_F(Rules, EmptyTypedDataIsNoZeroValue) {
  const char* schema =
      R"s({"type":"object","properties":{"l":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}},
      "x-kubernetes-validations":[{"rule":"optional.ofNonZeroValue(self.l).hasValue()"},{"rule":"dyn(self.l.sortBy(x, x)) != dyn(1)"},
      {"rule":"self.l == dyn(1)"}]})s";
  EXPECT_EQ(check(schema, R"({"l":[]})"),
            "<nil>: Invalid value: \"object\": 'no such overload': call arguments did not match a supported "
            "operator, function or macro "
            "signature for rule: self.l == dyn(1)");
}

TEST_F(Rules, ValuesAreShownAsTheSchemaSays) {
  EXPECT_EQ(check(R"({"type":"string","x-kubernetes-validations":[{"rule":"false"}]})", R"(["a"])"),
            "<nil>: Invalid value: [\"a\"]: failed rule: false");
  EXPECT_EQ(check(R"({"type":"object","x-kubernetes-validations":[{"rule":"false"}]})", "{}"),
            "<nil>: Invalid value: failed rule: false");
}

TEST_F(Rules, TypesOfSchemasHaveNoUsableNames) {
  EXPECT_EQ(check(R"({"type":"object","x-kubernetes-validations":[{"rule":"selfType{} == self"}]})", "{}"),
            "<nil>: Invalid value: \"object\": rule compile error: compilation failed: ERROR: <input>:1:9: "
            "undeclared reference to "
            "'selfType' (in container '')\n | selfType{} == self\n | ........^");
}

}  // namespace
}  // namespace portcullis::crd
