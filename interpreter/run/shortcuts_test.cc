// Tests that what a loop keeps of its variable changes no value, error or cost: explain() keeps nothing.
#include <gtest/gtest.h>

#include <string>

#include "interpreter/cel.h"
#include "interpreter/functions/libraries.h"
#include "interpreter/values/json.h"
#include "typecheck/environment.h"

namespace portcullis {
namespace {

class NoWatch : public Watch {
  void on_value(ExprId, const Value&) override {}
};

std::string text_of(const Outcome& o) {
  const std::string value =
      o.value.is_error() ? "error " + std::string(o.value.as_error().message) : to_json(o.value);
  return value + " for " + std::to_string(o.cost);
}

// Each beginning is there, absent, null, of the wrong kind, or all of that in turn.
constexpr const char* kLists[] = {
    R"([{"a":{"b":{"c":true,"n":1},"x":"y"}}])",
    R"([{"a":{"b":{}}}, {"a":{}}, {}, {"a":null}, {"a":{"b":null}}, {"a":1}, {"a":{"b":[1]}}, 7, "s", null, []])",
    R"([{"a":{"b":{"c":false}}}, {"z":1,"a":{"z":2,"b":{"z":3,"c":true}}}, {"a":{"b":{"c":"no bool"}}}])",
    R"([{"a":{"b":7}}, {"a":{"b":{"c":true}}}])",
    R"([{"a":7}, {"a":{"b":{"c":true}}}])",
    R"([])",
    R"({"k":{"a":{"b":{"c":true}}}, "l":{"a":{}}})",
};
constexpr const char* kBodies[] = {
    "all(v, has(v.a) && has(v.a.b) && has(v.a.b.c) && v.a.b.c)",
    "exists(v, has(v.a.b) && v.a.b.c)",
    "all(v, !has(v.a) || !has(v.a.b) || v.a.b.c == true)",
    "all(v, v.a.b.c || v.a.b.c)",
    "exists_one(v, v.a.b.n == 1 || v.a.x == 'y')",
    "map(v, has(v.a) ? v.a : 'none')",
    "map(v, has(v.a.b), v.a.b)",
    "filter(v, (has(v.a.b) ? v.a.b : {'c': false}).c)",
    "all(v, [1, 2].all(w, has(v.a.b) && v.a.b.n + w > 0) || v.a.x == 'y')",
    "all(v, v.a.b.c ? v.a.b.n == 1 : v.a.b.n == 2)",
    "map(v, [v.a.b, v.a.x])",
    "map(v, cel.bind(w, v.a.b, w.c == v.a.b.c && v.a.x == 'y'))",
    "exists(v, v.a.b.c && v.a[v.a.x] == 1)",
    "map(v, v.?a.?b.c.orValue(v.a.b))",
    "all(k, v, has(v.a.b) && v.a.b.c)",
    "transformList(k, v, has(v.a.b), v.a.b)",
};

TEST(Kept, ChangesNoValueErrorOrCost) {
  EnvironmentBuilder builder;
  for (const Library& library : standard_libraries()) builder.library(library);
  builder.options().constant_folding = true;  // else only all(), exists() and exists_one() are fused
  const auto environment = builder.variable("x", types::kDyn).build().value();
  NoWatch watch;
  int keeping = 0;
  for (const char* body : kBodies) {
    SCOPED_TRACE(body);
    const auto expression = compile(std::string("x.") + body, environment);
    ASSERT_TRUE(expression.ok()) << expression.error().text;
    const ProgramPtr program = make_program(*expression).value();
    keeping += program->disassemble().find(" Keep ") != std::string::npos;
    for (const char* list : kLists) {
      SCOPED_TRACE(list);
      Arena arena;
      Activation activation(program->paths());
      activation.set("x", read_json(list, arena).value());
      Context context;
      const Outcome plain = explain(**expression, activation, context, watch);
      EXPECT_EQ(text_of(evaluate(*program, activation, context)), text_of(plain));
      for (uint64_t limit = 0; limit <= plain.cost; ++limit) {
        const Limits limits{.cost_limit = limit};
        EXPECT_EQ(text_of(evaluate(*program, activation, context, limits)),
                  text_of(explain(**expression, activation, context, watch, limits)))
            << "limit " << limit;
      }
    }
  }
  EXPECT_GE(keeping, 14);
}

}  // namespace
}  // namespace portcullis
