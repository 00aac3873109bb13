// Custom resources and their definitions: pruning, defaults, structure, list types, rules, ratcheting. Texts
// are those of the API server 1.37.
#include "admission/crd/definition.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "interpreter/values/json.h"
#include "interpreter/values/native.h"

namespace portcullis::crd {
namespace {

class Objects : public ::testing::Test {
 protected:
  // The errors of a definition with this schema, without the prefix of their paths.
  std::string check(const std::string& schema) {
    Result<Value> data = read_json(
        arena.copy(
            R"({"metadata":{"name":"ws.g.io"},"spec":{"group":"g.io","scope":"Cluster","names":{"kind":"W","plural":"ws"},
            "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)" +
            schema + "}}]}}"),
        arena);
    auto definition = Definition::read(*data);
    std::string out;
    for (const RuleReport& r : definition->check()) {
      if (!r.error.empty()) out += r.path.substr(std::min<size_t>(r.path.size(), 39)) + ": " + r.error + "\n";
    }
    return out;
  }

  // `spec`: the schema of .spec. Returns the errors and warnings, one per line, then the object.
  std::string review(const std::string& spec, const std::string& self, const std::string& old_self = "") {
    std::string text =
        R"({"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Widget","plural":"widgets"},"versions":[
        {"name":"v1","schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":)" +
        spec + "}}}}]}}";
    Result<Value> data = read_json(arena.copy(text), arena);
    EXPECT_TRUE(data.ok()) << text;
    auto definition = Definition::read(*data);
    auto widget = [&](const std::string& s) {
      return *read_json(arena.copy(R"({"metadata":{"name":"w"},"spec":)" + s + "}"), arena);
    };
    Value object = widget(self), old_object;
    if (!old_self.empty()) old_object = widget(old_self);
    Context context;
    ObjectOutcome outcome =
        definition->review("v1", object, old_self.empty() ? nullptr : &old_object, arena, context);
    std::string out;
    for (const FieldError& e : outcome.errors) out += e.message + "\n";
    for (const std::string& w : outcome.warnings) out += "warning: " + w + "\n";
    for (const std::string& path : outcome.unknown) out += "unknown field: " + path + "\n";
    return out + to_json(*find_key(outcome.object, Value::string("spec")));
  }

  Arena arena;
};

TEST_F(Objects, PrunesAndFillsDefaults) {
  const char* spec =
      R"({"type":"object","properties":{"a":{"type":"integer","default":3},"b":{"type":"string"},
      "n":{"type":"object","properties":{"x":{"type":"boolean","default":true}}},"list":{"type":"array","items":{"type":"object"}}}})";
  EXPECT_EQ(review(spec, R"({"b":null,"n":{},"z":1})"),
            "unknown field: spec.z\n{\"a\":3,\"n\":{\"x\":true}}");
  EXPECT_EQ(review(spec, R"({"a":1,"list":[{"q":1}]})"),
            "unknown field: spec.list[0].q\n{\"a\":1,\"list\":[{}]}");
}

// Whether every list and map is marked as plain data, which mutations may put into `Object{...}`.
bool is_plain(const Value& v) {
  if (v.is(Kind::List)) return (v.flags() & kNativeList) && std::ranges::all_of(v.as_list(), is_plain);
  if (!v.is(Kind::Map)) return true;
  return (v.flags() & kNativeMap) && std::ranges::all_of(v.as_map(), is_plain, &MapEntry::value);
}

TEST_F(Objects, ArePlainData) {
  auto definition = Definition::read(*read_json(
      R"({"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Widget","plural":"widgets"},
      "versions":[{"name":"v1","subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{
      "spec":{"type":"object","properties":{
        "groups":{"type":"array","items":{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"}}}}},
        "made":{"type":"array","items":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
                "default":[{"a":[{}]}]}}},
      "status":{"type":"object","properties":{"list":{"type":"array","items":{"type":"string"}}}}}}}}]}})",
      arena));
  const Value object =
      *read_json(R"({"metadata":{"name":"w","labels":{"a":"b"},"finalizers":["x.io/a"],"ownerReferences":
      [{"apiVersion":"v1","kind":"A","name":"a","uid":"u"}]},"spec":{"groups":[{"names":["x"]}],"unknown":[1]},
      "status":{"list":["a"]}})",
                 arena);
  Context context;
  for (const Value* old : {static_cast<const Value*>(nullptr), &object}) {
    const ObjectOutcome outcome = definition->review("v1", object, old, arena, context);
    EXPECT_TRUE(outcome.errors.empty());
    EXPECT_TRUE(is_plain(outcome.object)) << to_json(outcome.object);
  }
}

// Definitions that differ in rules alone compile only what another one has not compiled at the same place.
TEST_F(Objects, VariantsShareCompiledRules) {
  auto definition = [&](std::string_view first, std::string_view second) {
    return *read_json(
        arena.copy(
            R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"ws.g.io"},
      "spec":{"group":"g.io","scope":"Cluster","names":{"kind":"W","plural":"ws"},"versions":[{"name":"v1","served":true,"storage":true,
      "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{
        "a":{"type":"integer","x-kubernetes-validations":[{"rule":")" +
            std::string(first) + R"("},{"rule":"self < 9"}]},
        "b":{"type":"string","x-kubernetes-validations":[{"rule":")" +
            std::string(second) + R"("}]}}},"status":{"type":"object","default":{"d":1},"properties":{
          "d":{"type":"integer","x-kubernetes-validations":[{"rule":"self < 9"}]}}}}}}}]}})"),
        arena);
  };
  RuleMemo memo;
  int compiled = 0;
  RuleEnvironment environment = stored_rules();
  environment.memo = &memo;
  environment.told = [&](size_t, bool, const ExpressionPtr&, const SizeEstimator&) { compiled++; };
  auto answer = [&](std::string_view first, std::string_view second, bool shares) {
    const Value data = definition(first, second);
    auto made = shares ? Definition::read(data, environment) : Definition::read(data);
    Context context;
    const Value object = *read_json(R"({"metadata":{"name":"w"},"spec":{"a":1,"b":"x"}})", arena);
    std::string out;
    for (const FieldError& e : made->review("v1", object, nullptr, arena, context).errors)
      out += e.message + "\n";
    for (const RuleReport& r : made->check())
      out += r.path + " " + r.error + " " + std::to_string(r.cost) + "\n";
    return out;
  };
  answer("self > 0", "self == ''", true);
  EXPECT_EQ(compiled, 4);
  EXPECT_NE(memo.find(*environment.base,
                      "spec.versions[0].schema.openAPIV3Schema.properties[status].default.properties[d]"),
            nullptr);  // rules that defaults are checked with
  for (auto [first, second] :
       {std::pair{"self > 1", "self == ''"}, {"self > 0", "self == 'x'"}, {"self > 0", "self"}}) {
    compiled = 0;
    const std::string shared = answer(first, second, true);
    EXPECT_EQ(compiled, std::string_view(second) == "self" ? 0 : 1);  // what does not compile is not told
    EXPECT_EQ(shared, answer(first, second, false));
  }
  compiled = 0;
  answer("self > 0", "self == ''", true);
  EXPECT_EQ(compiled, 0);
}

TEST_F(Objects, TypesAndBounds) {
  EXPECT_EQ(
      review(R"({"type":"object","properties":{"a":{"type":"integer"}}})", R"({"a":"x"})"),
      "spec.a: Invalid value: \"string\": spec.a in body must be of type integer: \"string\"\n{\"a\":\"x\"}");
  EXPECT_EQ(review(R"({"type":"object","properties":{"a":{"type":"integer","maximum":5}}})", R"({"a":7})"),
            "spec.a: Invalid value: 7: spec.a in body should be less than or equal to 5\n{\"a\":7}");
  // The digits of a float64 are those of -9223372036854776000.
  EXPECT_NE(
      review(R"({"type":"object","properties":{"a":{"type":"integer"}}})", R"({"a":-9223372036854775809})")
          .find("Checked value must be of type integer (default format) in spec.a"),
      std::string::npos);
  EXPECT_EQ(review(R"({"type":"object","required":["b"]})", "{}"), "spec.b: Required value\n{}");
  EXPECT_EQ(
      review(R"({"type":"object","properties":{"a":{"type":"string","enum":["x","y"]}}})", R"({"a":"z"})"),
      "spec.a: Unsupported value: \"z\": supported values: \"x\", \"y\"\n{\"a\":\"z\"}");
  EXPECT_EQ(review(R"({"type":"object","properties":{"a":{"type":"string","pattern":"^[a-z]+$"}}})",
                   R"({"a":"Z"})"),
            "spec.a: Invalid value: \"Z\": spec.a in body should match '^[a-z]+$'\n{\"a\":\"Z\"}");
  EXPECT_EQ(
      review(R"({"type":"object","properties":{"a":{"type":"string","format":"ipv4"}}})", R"({"a":"1.2.3"})"),
      "spec.a: Invalid value: \"1.2.3\": spec.a in body must be of type ipv4: \"1.2.3\"\n{\"a\":\"1.2.3\"}");
}

TEST_F(Objects, OneOf) {
  EXPECT_EQ(
      review(
          R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"oneOf":[{"required":["a"]},
      {"required":["b"]}]})",
          R"({"a":1,"b":2})"),
      "<nil>: Invalid value: \"\": \"spec\" must validate one and only one schema (oneOf). Found 2 valid "
      "alternatives\n"
      "{\"a\":1,\"b\":2}");
}

TEST_F(Objects, ListTypes) {
  const char* spec =
      R"({"type":"object","properties":{"s":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
      "m":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
           "items":{"type":"object","properties":{"k":{"type":"string"}}}}}})";
  EXPECT_EQ(review(spec, R"({"s":["a","b","a"]})"),
            "spec.s[2]: Duplicate value: \"a\"\n{\"s\":[\"a\",\"b\",\"a\"]}");
  EXPECT_EQ(review(spec, R"({"m":[{"k":"a"},{"k":"a"}]})"),
            "spec.m[1]: Duplicate value: {\"k\":\"a\"}\n{\"m\":[{\"k\":\"a\"},{\"k\":\"a\"}]}");
}

TEST_F(Objects, Ratcheting) {
  const char* spec =
      R"({"type":"object","properties":{"a":{"type":"string","maxLength":2},"b":{"type":"integer",
      "x-kubernetes-validations":[{"rule":"self < 5"}]}}})";
  EXPECT_EQ(review(spec, R"({"a":"long","b":1})", R"({"a":"long","b":2})"), "{\"a\":\"long\",\"b\":1}");
  EXPECT_EQ(review(spec, R"({"a":"x","b":7})", R"({"b":7})"),
            "warning: spec.b: Invalid value: 7: failed rule: self < 5\n{\"a\":\"x\",\"b\":7}");
  EXPECT_EQ(review(spec, R"({"b":8})", R"({"b":7})"),
            "spec.b: Invalid value: 8: failed rule: self < 5\n{\"b\":8}");
}

TEST_F(Objects, NothingInCombinedSchemasIsRatcheted) {
  const std::string old = R"({"a":"x","n":1})", now = R"({"a":"x","n":2})";
  auto with = [](const char* more) {
    return R"({"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer"}},)" +
           std::string(more) + "}";
  };
  EXPECT_EQ(review(with(R"("not":{"properties":{"a":{"enum":["y"]}}})"), now, old), now);
  EXPECT_EQ(review(with(R"("allOf":[{"properties":{"a":{"enum":["y"]}}}])"), now, old),
            "spec.a: Unsupported value: \"x\": supported values: \"y\"\n"
            "<nil>: Invalid value: \"\": \"spec\" must validate all the schemas (allOf). None validated\n" +
                now);
}

TEST_F(Objects, RulesWaitForStructure) {
  EXPECT_EQ(
      review(R"({"type":"object","required":["a"],"x-kubernetes-validations":[{"rule":"true"}]})", "{}"),
      "spec.a: Required value\n<nil>: Invalid value: null: some validation rules were not checked because "
      "the object was invalid; "
      "correct the existing errors to complete validation\n{}");
}

TEST_F(Objects, CostsOfRules) {
  Result<Value> data = read_json(
      R"s({"metadata":{"name":"ws.g.io"},"spec":{"group":"g.io","scope":"Cluster","names":{"kind":"W","plural":"ws"},
      "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
      {"type":"object","properties":{"spec":{"type":"array","items":{"type":"string",
       "x-kubernetes-validations":[{"rule":"self.contains('x')"}]}}}}}}]}})s",
      arena);
  auto definition = Definition::read(*data);
  auto reports = definition->check();
  ASSERT_EQ(reports.size(), 4u);
  const std::string rule =
      "spec.versions[0].schema.openAPIV3Schema.properties[spec].items.x-kubernetes-validations[0]";
  EXPECT_EQ(reports[0].path, rule);
  EXPECT_EQ(reports[0].rule, "self.contains('x')");
  EXPECT_EQ(reports[1].path, rule + ".rule");
  EXPECT_NE(reports[1].error.find("estimated rule cost exceeds budget by factor of more than 100x"),
            std::string::npos)
      << reports[1].error;
  EXPECT_TRUE(reports[1].costly);
  EXPECT_NE(reports[2].error.find("contributed to estimated rule cost total"), std::string::npos);
  EXPECT_NE(reports[3].error.find("rule cost total for entire OpenAPIv3 schema"), std::string::npos);
}

TEST_F(Objects, Definitions) {
  EXPECT_EQ(check(R"({"type":"object","properties":{"a":{},"l":{"type":"array"}}})"),
            ".properties[a].type: Required value: must not be empty for specified object "
            "fields\n.properties[l].items: Required value: must be specified\n");
  EXPECT_EQ(check(R"({"type":"object","anyOf":[{"properties":{"b":{"type":"string"}}}]})"),
            ".anyOf[0].properties[b].type: Forbidden: must be empty to be structural\n"
            ".properties[b]: Required value: because it is defined in "
            "spec.validation.openAPIV3Schema.anyOf[0].properties[b]\n");
  EXPECT_EQ(check(R"({"type":"object","properties":{"a":{"type":"string"}},
                      "allOf":[{"description":"x"}],"not":{"properties":{"a":{"title":"x"}}}})"),
            ".allOf[0].description: Forbidden: must be empty to be structural\n"
            ".not.properties[a].title: Forbidden: must be empty to be structural\n");
  for (const char* more :
       {R"("description":"x")", R"("format":"date")", R"("x-kubernetes-map-type":"atomic")"}) {
    EXPECT_EQ(
        check(std::string(R"({"type":"object","properties":{"metadata":{"type":"object",)") + more + "}}}"),
        ".properties[metadata]: Forbidden: must not specify anything other than name and generateName, "
        "but metadata is implicitly specified\n");
  }
  EXPECT_EQ(check(R"({"type":"object","properties":{"a":{"type":"string","maxLength":1,"default":"ab"}}})"),
            ".properties[a].default: Too long: may not be more than 1 byte\n");
  EXPECT_EQ(
      check(
          R"({"type":"object","properties":{"l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k","x"],
      "items":{"type":"object","properties":{"k":{"type":"string"}}}}}})"),
      ".properties[l].items.properties[k].default: Required value: this property is in "
      "x-kubernetes-list-map-keys, so it must have a default or "
      "be a required property\n.properties[l].x-kubernetes-list-map-keys: Invalid value: [\"k\",\"x\"]: "
      "entries must all be names of item properties\n");
  EXPECT_EQ(
      check(
          R"s({"type":"object","x-kubernetes-validations":[{"rule":"has(self.kind)","fieldPath":".a","reason":"Bad","message":"a\nb"}]})s"),
      ".x-kubernetes-validations[0].message: Invalid value: \"a\\nb\": must not contain line breaks\n"
      ".x-kubernetes-validations[0].reason: Unsupported value: \"Bad\": supported values: "
      "\"FieldValueDuplicate\", "
      "\"FieldValueForbidden\", \"FieldValueInvalid\", \"FieldValueRequired\"\n"
      ".x-kubernetes-validations[0].fieldPath: Invalid value: \".a\": must be a valid path\n");
}

TEST_F(Objects, DefaultsOfDefinitions) {
  auto field = [&](const std::string& schema) {
    return check(R"({"type":"object","properties":{"a":)" + schema + "}}");
  };
  EXPECT_EQ(field(R"({"type":"integer","default":5,"x-kubernetes-validations":[{"rule":"self > 9"}]})"),
            ".properties[a].default: Invalid value: 5: failed rule: self > 9\n");
  // A default must satisfy the rules in a new object and in an update without change.
  EXPECT_EQ(field(R"s({"type":"integer","default":5,"x-kubernetes-validations":[
                    {"rule":"oldSelf.hasValue()","optionalOldSelf":true}]})s"),
            ".properties[a].default: Invalid value: 5: failed rule: oldSelf.hasValue()\n");
  EXPECT_EQ(field(R"({"type":"object","properties":{"b":{"type":"string"}},"default":{"b":"x","c":1}})"),
            ".properties[a].default: Invalid value: {\"b\":\"x\",\"c\":1}: must not have unknown fields\n");
  EXPECT_EQ(field(R"({"type":"array","items":{"type":"string"},"default":[1]})"),
            ".properties[a].default.[0]: Invalid value: \"integer\": [0] in body must be of type string: "
            "\"integer\"\n");
  // Every format counts, in every type: a text that has one is not compared with the type.
  EXPECT_EQ(field(R"({"type":"boolean","format":"unknown","default":"x"})"), "");
  EXPECT_EQ(
      field(R"({"type":"boolean","default":"x"})"),
      ".properties[a].default: Invalid value: \"string\":  in body must be of type boolean: \"string\"\n");
  EXPECT_EQ(field(R"({"type":"boolean","format":"date","default":1})"),
            ".properties[a].default: Invalid value: \"int64\":  in body must be of type date: \"int64\"\n");
  EXPECT_EQ(field(R"({"type":"object","x-kubernetes-embedded-resource":true,
              "x-kubernetes-preserve-unknown-fields":true,"default":{"kind":"A"}})"),
            ".properties[a].default.apiVersion: Required value\n");
  EXPECT_EQ(check(R"({"type":"object","properties":{"kind":{"type":"string","default":"A"}}})"),
            ".properties[kind].default: Forbidden: must not be set in top-level kind\n");
}

// Keywords that no structural schema may have are reported with their paths and all other errors.
TEST_F(Objects, RefusedKeywords) {
  EXPECT_EQ(check(R"({"type":"object","properties":{"a":{"type":"object","dependencies":{"b":["c"]}},
                      "c":{"type":"array","uniqueItems":true,"items":{"type":"string","$ref":"#/d"}}}})"),
            ".properties[a].dependencies: Forbidden: dependencies is not supported\n"
            ".properties[c].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime "
            "complexity becomes quadratic\n"
            ".properties[c].items.$ref: Forbidden: $ref is not supported\n");
}

// What quotients and digits of numbers lose is not held against them.
TEST_F(Objects, MultiplesOfFractions) {
  const auto fits = [&](const char* n, const char* factor) {
    return review(std::string(R"({"type":"object","properties":{"n":{"type":"number","multipleOf":)") +
                      factor + "}}}",
                  std::string(R"({"n":)") + n + "}")
               .find("should be a multiple of") == std::string::npos;
  };
  for (const char* n : {"0.29", "0.57", "1.15", "4.35", "19.99", "1000000.07"})
    EXPECT_TRUE(fits(n, "0.01")) << n;
  for (const char* n : {"0.005", "0.001", "1.155"}) EXPECT_FALSE(fits(n, "0.01")) << n;
  EXPECT_TRUE(fits("7.5", "2.5"));
  EXPECT_FALSE(fits("7.6", "2.5"));
}

TEST_F(Objects, Formats) {
  const auto fits = [&](const char* format, const char* text) {
    return review(std::string(R"({"type":"object","properties":{"n":{"type":"string","format":")") + format +
                      "\"}}}",
                  std::string(R"({"n":")") + text + "\"}")
               .find("must be of type") == std::string::npos;
  };
  for (const char* text :
       {"10.0.0.0/08", "1.2.3.0/024", "::/0000", "001.002.003.000/24", "::ffff:1.2.3.04/08"})
    EXPECT_TRUE(fits("cidr", text)) << text;
  for (const char* text : {"10.0.0.0/033", "10.0.0.0/+4", "1.2.3/24", "10.0.0.0/"})
    EXPECT_FALSE(fits("cidr", text)) << text;
  EXPECT_TRUE(fits("ssn", "123 45-6789"));
  EXPECT_FALSE(fits("ssn", "123456789"));
  for (const char* text : {"a@[1.2.3.4]", "a@[::1]", "A. B. <a@[1.2.3.4]>", "a@ b.c"})
    EXPECT_TRUE(fits("email", text)) << text;
  for (const char* text :
       {"a@[1.2.3]", "a@[1.2.3.04]", "a@[fe80::1%a]", "a@[]", "[a]@b", "a@b <a@b>", "a @b"})
    EXPECT_FALSE(fits("email", text)) << text;
}

// Two enums give different errors if they allow different values.
TEST_F(Objects, TwoEnums) {
  std::string answer = review(
      R"({"type":"object","properties":{"a":{"type":"string","enum":["b","a"],"allOf":[{"enum":["a","c"]}]}}})",
      R"({"a":"x"})");
  EXPECT_NE(answer.find("spec.a: Unsupported value: \"x\": supported values: \"a\", \"c\"\n"), answer.npos)
      << answer;
  EXPECT_NE(answer.find("spec.a: Unsupported value: \"x\": supported values: \"b\", \"a\"\n"), answer.npos)
      << answer;
}

}  // namespace
}  // namespace portcullis::crd
