// JSONPatch and Object: fields and equality. The expected answers are those of the oracle.
#include "admission/expressions/patches.h"

#include <gtest/gtest.h>

#include "admission/expressions/environment.h"
#include "batch/tagged.h"
#include "interpreter/cel.h"

namespace portcullis {
namespace {

// The answer in the notation of the batch protocol, or the error.
std::string answer(std::string_view text) {
  EnvironmentBuilder builder(stored_environment());
  add_patch_types(builder);
  auto environment = builder.build();
  auto expression = compile(text, *environment);
  if (!expression.ok()) return expression.error().text;
  auto program = make_program(*expression);
  if (!program.ok()) return program.error().text;
  Context context;
  Activation activation((*program)->paths());
  Value result = evaluate(**program, activation, context).value;
  return result.is_error() ? std::string(result.as_error().message) : tagged(result);
}

struct Case {
  std::string_view text, answer;
};

// Fields of native structs cost as qualifiers: a conditional operand makes no attribute of its own.
TEST(Patches, FieldsCostAsQualifiers) {
  auto cost = [](std::string_view text) {
    EnvironmentBuilder builder(stored_environment());
    add_patch_types(builder);
    auto program = make_program(*compile(text, *builder.build()));
    Context context;
    Activation activation((*program)->paths());
    return evaluate(**program, activation, context).cost;
  };
  EXPECT_EQ(cost("Object{a: 1}.a"), 42);
  EXPECT_EQ(cost("Object{a: Object.a{b: 1}}.a.b"), 83);
  EXPECT_EQ(cost("has(Object{a: 1}.a)"), 41);
  EXPECT_EQ(cost("(true ? Object{a: 1} : Object{}).a"), 41);
}

TEST(Patches, AnswerAsKubernetesDoes) {
  constexpr Case kCases[] = {
      {"JSONPatch{}.op", R"({"string":""})"},
      {"JSONPatch{}.value", R"({"null":null})"},
      {"has(JSONPatch{op: ''}.op)", R"({"bool":false})"},
      {"dyn(JSONPatch{}).nope", "unsupported indexer: nope"},
      {"dyn(JSONPatch{})[?1]", "unsupported field: 1"},
      {"JSONPatch{op: dyn(1)}", "unexpected type int64 for JSONPatchType 'op' field"},
      {"JSONPatch{op: dyn(type(1))}.op", R"({"string":"int"})"},
      {"JSONPatch{value: quantity('1')} == JSONPatch{value: 1}", "no such overload"},
      {"JSONPatch{op: '', path: '/a', value: 1}",
       R"({"object":{"@type":"JSONPatch","fields":{"path":{"string":"/a"},"value":{"int64":"1"}}}})"},
      {"Object{a: 1}.b", R"({"null":null})"},
      {"has(Object{a: 1}.a)", R"({"bool":true})"},
      {"has(dyn(Object{a: 1}).a)", R"({"bool":false})"},
      {"dyn(Object{a: 1})['a']", "no such key: a"},
      {"Object{a: Object.a{b: 1}}.a.b", R"({"int64":"1"})"},
      {"Object{a: {1: 1}}.a", "cannot get field \"a\""},
      {"Object{a: optional.of(1)}.a", R"({"int64":"1"})"},
      {"Object{a: quantity('1')}.a", R"({"quantity":"1"})"},
      {"Object{a: {'b': cidr('10.0.0.0/8')}}.a.b.prefixLength()", R"({"int64":"8"})"},
      {"has(Object{a: {'b': cidr('10.0.0.0/8')}}.a.b.c)", R"({"bool":false})"},
      {"Object{a: 1} == Object{a: 1.0}", R"({"bool":true})"},
      {"Object{a: [1]} == Object{a: [1]}", R"({"bool":true})"},
      {"Object{a: [1]} == Object{a: [2]}", R"({"bool":false})"},
      {"Object{a: 1} == Object{b: 1}", R"({"bool":false})"},
      {"Object{a: {'x': 1}} == Object{a: {'x': 1}}", R"({"bool":true})"},
      {"[Object{a: {'b': 1}}].all(x, Object{a: x.a} == x)", R"({"bool":true})"},
      {"JSONPatch{op: Object{a: {'b': 1}}.a}",
       "unexpected type map[string]interface {} for JSONPatchType 'op' field"},
      {"JSONPatch{op: Object{a: [1]}.a}", "unexpected type []interface {} for JSONPatchType 'op' field"},
      {"type(Object{})", R"({"type":"type"})"},
      {"type(Object{}) == Object", "reference to undefined type: Object"},
      {"optional.ofNonZeroValue(Object{})", R"({"optional":null})"},
  };
  for (const Case& c : kCases) EXPECT_EQ(answer(c.text), c.answer) << c.text;
}

TEST(Patches, FieldsThatAPatchDoesNotHave) {
  for (const char* text :
       {"JSONPatch{nope: 1}", "JSONPatch{}.nope", "JSONPatch{}.?nope", "has(JSONPatch{}.nope)"})
    EXPECT_NE(answer(text).find("undefined field 'nope'"), std::string::npos) << text;
}

TEST(Patches, TypesInTextsHaveTheirParameters) {
  constexpr std::string_view kText = "cannot initialize optional entry 'spec' from non-optional value ";
  EXPECT_EQ(answer("Object{?spec: dyn(list)}"), std::string(kText) + "list(dyn)");
  EXPECT_EQ(answer("Object{?spec: dyn({'a': map})}"), std::string(kText) + "{a: map(dyn, dyn)}");
  EXPECT_EQ(answer("Object{?spec: dyn(type(optional.none()))}"), std::string(kText) + "optional_type(dyn)");
  EXPECT_EQ(answer("Object{?spec: dyn(int)}"), std::string(kText) + "int");
}

// Keys of maps in an Object must be strings in Go; the error shows others as %q does.
TEST(Patches, KeysOfMaps) {
  auto nested = [](std::string_view key) {
    return answer("Object{a: Object.a{b: {" + std::string(key) + ": 1}}}.a.b == {'x': 1}");
  };
  EXPECT_EQ(nested("'x'"), R"({"bool":true})");
  EXPECT_EQ(answer("Object{a: {int: 1}}.a == {'int': 1}"), R"({"bool":true})");
  constexpr Case kShown[] = {
      {"null", R"('\x00' is of type types.Null)"},
      {"160", R"('\u00a0' is of type types.Int)"},
      {"39", R"('\'' is of type types.Int)"},
      {"true", "%!q(types.Bool=true) is of type types.Bool"},
      {"duration('1s')", R"("1s" is of type types.Duration)"},
  };
  for (const Case& c : kShown) {
    EXPECT_EQ(answer("Object{a: Object.a{b: {" + std::string(c.text) + ": 1}}}.a"),
              "fail to convert field \"b\": map key " + std::string(c.answer) + ", not string");
  }
}

}  // namespace
}  // namespace portcullis
