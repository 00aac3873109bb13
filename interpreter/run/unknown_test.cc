// Partial evaluation: an unknown stays unknown unless the rest of the expression decides the result.
//
// The expected outcomes are those of cel-go v0.29.2 (OptPartialEval, attribute patterns `x` and `z`).
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "interpreter/cel.h"
#include "interpreter/functions/libraries.h"
#include "interpreter/values/json.h"
#include "typecheck/environment.h"

namespace portcullis {
namespace {

constexpr int32_t kX[] = {1}, kZ[] = {2};

// Evaluates with `x` and `z` unknown and `y` known.
Value evaluate_partly(std::string_view text, Context& context, std::string& failure) {
  EnvironmentBuilder builder;
  builder.library(*find_standard_library("stdlib")).library(*find_standard_library("optional"));
  for (const char* name : {"x", "y", "z"}) builder.variable(name, types::kDyn);
  auto environment = builder.build();
  auto expression = compile(text, *environment);
  if (!expression.ok()) return failure = expression.error().text, Value();
  auto program = make_program(*expression, {.fold = false});
  if (!program.ok()) return failure = program.error().text, Value();
  static const UnknownValue x{kX}, z{kZ};
  static Arena arena;
  Activation activation((*program)->paths());
  activation.set("x", Value::unknown(&x));
  activation.set("z", Value::unknown(&z));
  activation.set("y", *read_json(R"({"a": 1, "l": [1, 2]})", arena));
  Value result = evaluate(**program, activation, context).value;
  if (result.is_error()) failure = result.as_error().message;
  return result;
}

struct Case {
  std::string_view text, outcome;
};

constexpr Case kCases[] = {
    {"x", "unknown"},
    {"x.a", "unknown"},
    {"x[0]", "unknown"},
    {"x + 1", "unknown"},
    {"x + z", "unknown"},
    {"1 + x", "unknown"},
    {"x && true", "unknown"},
    {"x && false", "false"},
    {"false && x", "false"},
    {"true && x", "unknown"},
    {"x || true", "true"},
    {"x || false", "unknown"},
    {"x && z", "unknown"},
    {"x || z", "unknown"},
    {"x && (1/0 == 1)", "unknown"},
    {"(1/0 == 1) && x", "unknown"},
    {"x || (1/0 == 1)", "unknown"},
    {"(1/0 == 1) || x", "unknown"},
    {"x ? 1 : 2", "unknown"},
    {"true ? x : 2", "unknown"},
    {"false ? x : 2", "2"},
    {"x == 1", "unknown"},
    {"x == x", "unknown"},
    {"x != z", "unknown"},
    {"!x", "unknown"},
    {"-x", "unknown"},
    {"[x]", "unknown"},
    {"[x, 1][1]", "unknown"},
    {"[1, 2][x]", "unknown"},
    {"{'a': x}", "unknown"},
    {"{'a': x}.a", "unknown"},
    {"{x: 1}", "unknown"},
    {"{'a': 1}[x]", "unknown"},
    {"x in [1]", "unknown"},
    {"1 in x", "unknown"},
    {"1 in [x, 1]", "unknown"},
    {"size(x)", "unknown"},
    {"x.size()", "unknown"},
    {"type(x)", "unknown"},
    {"dyn(x)", "unknown"},
    {"string(x)", "unknown"},
    {"x.all(i, i > 0)", "unknown"},
    {"[1, 2].all(i, i > x)", "unknown"},
    {"[1, 2].exists(i, i == 1 || x)", "true"},
    {"[1, 2].exists(i, i == x)", "unknown"},
    {"[1, 2].map(i, x)", "unknown"},
    {"[1, 2].map(i, i + x)", "unknown"},
    {"[1, 2].filter(i, x)", "unknown"},
    {"[1, 2].exists_one(i, x)", "unknown"},
    {"has(x.a)", "unknown"},
    {"has(y.b) && x", "false"},
    {"y.a + x.a", "unknown"},
    {"y[x]", "unknown"},
    {"y.l[x]", "unknown"},
    {"x < 1", "unknown"},
    {"x < z", "unknown"},
    {"timestamp(x)", "unknown"},
    {"x.matches('a')", "unknown"},
    {"'a'.matches(x)", "unknown"},
    {"'a'.startsWith(x) || true", "true"},
    {"x + (1/0)", "unknown"},
    {"(1/0) + x", "division by zero"},
    {"[x, 1/0]", "unknown"},
    {"[1/0, x]", "division by zero"},
    {"{'a': x, 'b': 1/0}", "unknown"},
    {"optional.of(x)", "unknown"},
    {"optional.of(x).hasValue()", "unknown"},
    {"optional.none().orValue(x)", "unknown"},
    {"optional.of(1).orValue(x)", "1"},
    {"optional.none().or(x)", "unknown"},
    {"x.?a", "unknown"},
    {"x.?a.orValue(1)", "unknown"},
    {"[?x]", "unknown"},
    {"x[?0]", "unknown"},
    {"x.optMap(i, i)", "unknown"},
    {"optional.of(1).optMap(i, x)", "unknown"},
    {"x ? x : z", "unknown"},
    {"x.a.b.c && z.d", "unknown"},
    {"x == 1 || y.a == 1", "true"},
    {"x == 1 && y.a == 1", "unknown"},
    {"x == 1 && y.a == 2", "false"},
};

TEST(Unknowns, StayUnlessTheRestDecides) {
  for (const Case& c : kCases) {
    Context context;
    std::string outcome;
    Value v = evaluate_partly(c.text, context, outcome);
    if (outcome.empty()) outcome = v.is_unknown() ? "unknown" : to_json(v);
    EXPECT_EQ(outcome, c.outcome) << c.text;
  }
}

TEST(Unknowns, OfBothSidesAreNamed) {
  for (std::string_view text : {"x && z", "x || z", "x.a.b.c && z.d", "x || false || z", "(x && z) || x"}) {
    Context context;
    std::string failure;
    Value v = evaluate_partly(text, context, failure);
    ASSERT_TRUE(v.is_unknown()) << text << failure;
    auto nodes = v.as_unknown().nodes;
    EXPECT_EQ(std::set<int32_t>(nodes.begin(), nodes.end()), (std::set<int32_t>{1, 2})) << text;
  }
}

}  // namespace
}  // namespace portcullis
