// JSONPatch and Object: what their fields are, when they are equal. Expected answers are the oracle's.
#include "admission/patches.h"

#include <gtest/gtest.h>

#include "admission/environment.h"
#include "admission/tagged.h"
#include "interpreter/cel.h"

namespace portcullis {
namespace {

// The answer as the batch protocol has it, or the error.
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

// Fields of native structs are qualifiers: those of a conditional make no attribute of their own.
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
      {"dyn(JSONPatch{})[?1]", "unsupported field: %!s(types.Int=1)"},
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
      {"Object{a: quantity('1')}.a", "unsupported conversion to ref.Val: (*resource.Quantity)1"},
      {"Object{a: 1} == Object{a: 1.0}", R"({"bool":false})"},
      {"Object{a: [1]} == Object{a: [1]}", R"({"bool":false})"},
      {"Object{a: {'x': 1}} == Object{a: {'x': 1}}", R"({"bool":true})"},
      {"type(Object{})", R"({"type":"type"})"},
      {"type(Object{}) == Object", "reference to undefined type: Object"},
      {"optional.ofNonZeroValue(Object{})", R"({"optional":null})"},
  };
  for (const Case& c : kCases) EXPECT_EQ(answer(c.text), c.answer) << c.text;
}

}  // namespace
}  // namespace portcullis
