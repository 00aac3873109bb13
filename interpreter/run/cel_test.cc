// The public interface: environments, limits, one program in many threads.
#include "interpreter/cel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "interpreter/functions/call.h"
#include "interpreter/functions/libraries.h"
#include "interpreter/values/json.h"
#include "interpreter/values/print.h"
#include "typecheck/environment.h"

namespace portcullis {
namespace {

using namespace std::chrono_literals;

EnvironmentBuilder standard() {
  EnvironmentBuilder builder;
  builder.library(*find_standard_library("stdlib"));
  return builder;
}

// The value or the error, as text.
std::string run(std::string_view text, EnvironmentBuilder builder, std::string_view variable = {},
                Value value = {}, const Limits& limits = {}) {
  auto environment = builder.build();
  if (!environment.ok()) return environment.error().text;
  auto expression = compile(text, *environment);
  if (!expression.ok()) return expression.error().text;
  auto program = make_program(*expression);
  if (!program.ok()) return program.error().text;
  Context context;
  Activation activation((*program)->paths());
  if (!variable.empty()) activation.set(variable, value);
  Value result = evaluate(**program, activation, context, limits).value;
  return result.is_error() ? std::string(result.as_error().message) : to_json(result);
}

TEST(Cel, EvaluatesWithVariables) {
  EnvironmentBuilder builder = standard();
  builder.variable("x", types::kInt);
  EXPECT_EQ(run("x + 1", std::move(builder), "x", Value::integer(2)), "3");
}

TEST(Cel, UnsetVariableIsAnError) {
  EnvironmentBuilder builder = standard();
  builder.variable("x", types::kInt);
  EXPECT_EQ(run("x + 1", std::move(builder)), "no such attribute(s): x");
}

// Looking for each beginning of the path anew would take 2^60 steps.
TEST(Cel, ALongPathOfAnUnsetVariableIsAnErrorAtOnce) {
  EnvironmentBuilder builder = standard();
  builder.variable("x", types::kDyn);
  std::string path = "x";
  for (int i = 0; i < 60; ++i) path += ".x";
  EXPECT_EQ(run(path + " == 1 || has(" + path + ")", std::move(builder)), "no such attribute(s): x");
}

TEST(Cel, AnIndexOfAWrongTypeIsNamed) {
  Arena arena;
  Value map = *read_json(R"({"kind":{}})", arena);
  auto error = [&](std::string_view text) {
    EnvironmentBuilder builder = standard();
    builder.variable("x", types::kDyn);
    return run(text, std::move(builder), "x", map);
  };
  EXPECT_EQ(error("dyn(1)[x]"), "invalid qualifier type: *types.baseMap");
  EXPECT_EQ(error("dyn(1)[x == 1 ? dyn('a') : x]"), "invalid qualifier type: *types.baseMap");
  EXPECT_EQ(error("dyn(1)[dyn(null)]"), "invalid qualifier type: types.Null");
}

// A loop can double its values: a short text can ask for more than any memory or time.
TEST(Cel, WhatGrowsWithoutEndIsAnError) {
  constexpr std::string_view kExceeded = "evaluation exceeds its bounds of memory or steps";
  struct Growth {
    std::string_view start, step, end;
    int steps;
  };
  constexpr Growth kGrowths[] = {
      {"[[x]]", ".map(e, e + e)", "", 60},
      {"['x']", ".map(e, e + e)", "", 60},
      {"[x]", ".map(e, [e, e])", ".map(e, e == e)", 60},
      {"[x]", ".map(e, [e, e])", ".flatten(100)", 70},
      {"[x]", ".map(e, [e, e])", ".map(e, '%s'.format([e]))", 60},
  };
  for (const Growth& g : kGrowths) {
    EnvironmentBuilder builder = standard();
    for (std::string_view library : {"lists", "strings"}) builder.library(*find_standard_library(library));
    builder.variable("x", types::kInt);
    std::string text(g.start);
    for (int i = 0; i < g.steps; ++i) text += g.step;
    Limits limits{.max_memory = size_t{64} << 20, .max_steps = 10'000'000};
    EXPECT_EQ(run(text += g.end, std::move(builder), "x", Value::integer(2), limits), kExceeded)
        << g.start << g.step;
  }
}

// The context can be used again afterwards.
TEST(Cel, ExceedingBoundsLeavesNothingBehind) {
  auto environment = standard().variable("x", types::kListOfDyn).build();
  std::string text = "[x]";
  for (int i = 0; i < 60; ++i) text += ".map(e, e + e)";
  auto large = make_program(*compile(text, *environment)),
       small = make_program(*compile("x[0]", *environment));
  Context context;
  Activation a((*large)->paths()), b((*small)->paths());
  Value one = Value::integer(1);
  a.set("x", Value::list(&one, 1));
  b.set("x", Value::list(&one, 1));
  constexpr size_t kMemory = size_t{256} << 20;
  Outcome first = evaluate(**large, a, context, {.cost_limit = 1'000'000, .max_memory = kMemory});
  EXPECT_TRUE(first.value.is_error() && first.cancelled);
  EXPECT_EQ(first.cost, 1'000'001u);
  EXPECT_EQ(evaluate(**small, b, context).value.as_int(), 1);
  EXPECT_LE(context.arena().reserved(), kMemory);
  context.reset();
  EXPECT_LE(context.arena().reserved(), Arena::kKept);
  EXPECT_EQ(evaluate(**small, b, context).value.as_int(), 1);
}

TEST(Cel, AnOutcomeIsKeptUntilAVariableIsSet) {
  auto environment = standard().variable("x", types::kInt).variable("y", types::kInt).build();
  auto paths = std::make_shared<PathTable>();
  struct Kept {
    ProgramPtr program;
    uint32_t memo;
  };
  auto make = [&](std::string_view text) {
    return Kept{*make_program(*compile(text, *environment), {.paths = paths}), paths->new_memo()};
  };
  const Kept program = make("x + 1"), other = make("x + y");
  EXPECT_TRUE(program.program->depends_on_variables_only());
  EXPECT_FALSE(make("1 + 1").program->depends_on_variables_only());
  Context context;
  Activation a(paths);
  auto once = [&](const Kept& p, Limits limits = {}) {
    return evaluate_once(*p.program, p.memo, a, context, limits);
  };
  auto value = [&](const Kept& p) { return once(p).value; };
  a.set("x", Value::integer(1));
  a.set("y", Value::integer(10));
  EXPECT_EQ(a.remembered(program.memo), nullptr);
  for (int i = 0; i < 2; i++) EXPECT_EQ(value(program).as_int(), 2);
  EXPECT_EQ(value(other).as_int(), 11);
  EXPECT_EQ(a.remembered(program.memo)->value.as_int(), 2);
  a.set("y", Value::integer(20));
  EXPECT_EQ(a.remembered(program.memo), nullptr);
  for (int i = 0; i < 2; i++) EXPECT_EQ(value(program).as_int(), 2);
  for (int i = 0; i < 2; i++) EXPECT_EQ(value(other).as_int(), 21);
  a.set("x", Value::integer(5));
  for (int i = 0; i < 2; i++) EXPECT_EQ(value(program).as_int(), 6);
  a.unset(paths->find_variable("x"));
  for (int i = 0; i < 2; i++) EXPECT_TRUE(value(program).is_error());
  a.set("x", Value::integer(7));
  EXPECT_EQ(value(program).as_int(), 8);
  // What is kept has its cost; a limit below it cancels the evaluation as if nothing were kept.
  EXPECT_EQ(once(program).cost, 2u);
  EXPECT_TRUE(once(program, {.cost_limit = 1}).cancelled);
  EXPECT_EQ(value(program).as_int(), 8);
}

TEST(Cel, AWatchedProgramTellsTheNodesThatItEvaluates) {
  EnvironmentBuilder builder = standard();
  builder.variable("x", types::kInt);
  auto expression = compile("x > 1 && [x].exists(y, y == 3)", *builder.build());
  ASSERT_TRUE(expression.ok());
  auto program = make_program(*expression, {.watch = true});
  struct Told : Watch {
    std::vector<ExprId> nodes;
    void on_value(ExprId node, const Value&) override { nodes.push_back(node); }
  } told;
  Context context;
  Activation a((*program)->paths());
  a.set("x", Value::integer(1));
  EXPECT_TRUE(evaluate_watched(**program, a, context, told).value.is_false());
  EXPECT_EQ(told.nodes.size(), 4u);  // x, 1, x > 1, and the whole
  const std::vector<ExprId> all = watched_nodes(**program);
  for (ExprId node : told.nodes) EXPECT_NE(std::ranges::find(all, node), all.end());
  a.set("x", Value::integer(3));
  EXPECT_TRUE(evaluate_watched(**program, a, context, told).value.is_true());
  EXPECT_TRUE(evaluate(**program, a, context).value.is_true());  // tells nobody
}

TEST(Cel, ExplainingLeavesTheTableOfTheActivationAlone) {
  EnvironmentBuilder builder = standard();
  builder.variable("x", types::kDyn);
  auto environment = *builder.build();
  auto program = *make_program(*compile("x.a == 1", environment));
  struct : Watch {
    void on_value(ExprId, const Value&) override {}
  } nobody;
  Context context;
  Activation a(program->paths());
  a.set("x", *read_json(R"({"a": 1, "b": {"c": 2}})", context.arena()));
  const uint64_t growth = a.paths().growth();
  EXPECT_EQ(explain(**compile("x.b.c", environment), a, context, nobody).value.as_int(), 2);
  EXPECT_EQ(a.paths().growth(), growth);  // other threads may be reading it
}

TEST(Cel, TextsOfWhatSharesPartsAreCut) {
  Value parts[100][2];
  Value v = Value::integer(1);
  for (auto& pair : parts) {
    pair[0] = pair[1] = v;
    v = Value::list(pair, 2);
  }
  for (const std::string& text : {format_go(v), format_cel(v)}) {
    EXPECT_LT(text.size(), kMaxText + 10'000);
    EXPECT_NE(text.find("..."), text.npos);
  }
}

// As in cel-go's evalList and evalMap: the first part that is no optional ends the evaluation of the literal.
TEST(Cel, WhatFollowsANonOptionalPartIsNotEvaluated) {
  for (const auto& [text, part] : {std::pair{"[?dyn(x), 1 / (x - 2)]", "list element"},
                                   {"{?'a': dyn(x), 'b': 1 / (x - 2)}", "entry 'a'"}}) {
    EnvironmentBuilder builder = standard();
    builder.library(*find_standard_library("optional")).variable("x", types::kInt);
    EXPECT_EQ(run(text, std::move(builder), "x", Value::integer(2)),
              "cannot initialize optional " + std::string(part) + " from non-optional value 2")
        << text;
  }
}

TEST(Cel, ContainersShortenNames) {
  EnvironmentBuilder builder = standard();
  builder.variable("a.b.x", types::kInt).container("a.b");
  EXPECT_EQ(run("x + 1", std::move(builder), "a.b.x", Value::integer(2)), "3");
}

TEST(Cel, LibrariesHaveVersions) {
  EnvironmentBuilder old = standard();
  old.library(*find_standard_library("strings"), 2);
  EXPECT_NE(run("'abc'.reverse()", std::move(old)).find("undeclared reference to 'reverse'"),
            std::string::npos);
  EnvironmentBuilder newer = standard();
  newer.library(*find_standard_library("strings"), 3);
  EXPECT_EQ(run("'abc'.reverse()", std::move(newer)), "\"cba\"");
}

constexpr Function kTwice[] = {{.id = "twice_int",
                                .signature = "int.twice() -> int",
                                .call = wrap([](CallContext& c, int64_t n) -> Value {
                                  return n > 100 ? c.error("too large") : Value::integer(2 * n);
                                })}};
constexpr Library kTwiceLibrary = {.name = "twice", .functions = kTwice};

TEST(Cel, FunctionsOfTheHostAreRows) {
  EXPECT_EQ(run("21.twice()", std::move(standard().library(kTwiceLibrary))), "42");
  EXPECT_EQ(run("101.twice()", std::move(standard().library(kTwiceLibrary))), "too large");
  EXPECT_EQ(run("101.twice() == 0 || true", std::move(standard().library(kTwiceLibrary))), "true");
}

// A function that counts its calls. Its cost is 10 and the size of its result, 3.
int slow_calls = 0;
uint64_t slow_cost(const Value*, size_t, const Value& result) { return 10 + result.size(); }
constexpr Function kSlowRow[] = {{.id = "slow_string",
                                  .signature = "string.slow() -> string",
                                  .call = wrap([](std::string_view) {
                                    ++slow_calls;
                                    return Value::string("abc");
                                  }),
                                  .cost = {slow_cost, nullptr, "size of the result + 10"},
                                  .flags = kSlow}};
constexpr Library kSlowLibrary = {.name = "slow", .functions = kSlowRow};

TEST(Cel, SlowFunctionsDoNotRunIfTheyCostTooMuch) {
  const auto with_limit = [](uint64_t limit) {
    EnvironmentBuilder builder = standard();
    builder.library(kSlowLibrary).variable("s", types::kString);
    return run("s.slow()", std::move(builder), "s", Value::string(""), {.cost_limit = limit});
  };
  slow_calls = 0;
  EXPECT_EQ(with_limit(10), "operation cancelled: actual cost limit exceeded");
  EXPECT_EQ(slow_calls, 0);
  // The cost without the result, 1 for s and 10, is within the limit.
  EXPECT_EQ(with_limit(11), "operation cancelled: actual cost limit exceeded");
  EXPECT_EQ(slow_calls, 1);
  EXPECT_EQ(with_limit(14), "\"abc\"");
}

// distinct() compares each element with each other, which its cost of version 3 says.
TEST(Cel, DistinctDoesNotRunIfItCostsTooMuch) {
  std::vector<Value> items;
  for (int i = 0; i < 2000; ++i)
    items.push_back(i % 2 == 0 ? Value::integer(i) : Value::real(i));  // not of one kind
  EnvironmentBuilder builder = standard();
  builder.library(*find_standard_library("lists")).variable("l", builder.types().list(types::kDyn));
  EXPECT_EQ(run("l.distinct().size()", std::move(builder), "l", Value::list(items.data(), items.size()),
                {.cost_limit = 1000, .max_steps = 1000}),
            "operation cancelled: actual cost limit exceeded");
}

// A nested loop over `n` * `n` pairs.
struct Loop {
  explicit Loop(int n) {
    EnvironmentBuilder builder = standard();
    builder.variable("l", builder.types().list(types::kInt));
    program = *make_program(*compile("l.all(i, l.all(j, i + j >= 0))", *builder.build()));
    for (int i = 0; i < n; ++i) items.push_back(Value::integer(i));
  }
  Outcome run(Context& context, const Limits& limits) {
    Activation activation(program->paths());
    activation.set("l", Value::list(items.data(), items.size()));
    return evaluate(*program, activation, context, limits);
  }
  ProgramPtr program;
  std::vector<Value> items;
};

TEST(Cel, LimitsEndAnEvaluation) {
  Loop loop(1000);
  Context context;
  Outcome outcome = loop.run(context, {.cost_limit = 50});
  EXPECT_TRUE(outcome.cancelled);
  EXPECT_EQ(outcome.value.as_error().message, "operation cancelled: actual cost limit exceeded");
  std::atomic<bool> interrupt = true;
  EXPECT_TRUE(loop.run(context, {.interrupt = &interrupt}).cancelled);
  Limits late;
  late.deadline = std::chrono::steady_clock::now() - 1s;
  EXPECT_TRUE(loop.run(context, late).cancelled);
  EXPECT_TRUE(loop.run(context, {}).value.is_true());
}

TEST(Cel, AnotherThreadInterrupts) {
  Loop loop(20'000);  // 400 million steps
  std::atomic<bool> interrupt = false;
  std::thread other([&] {
    std::this_thread::sleep_for(5ms);
    interrupt = true;
  });
  Context context;
  EXPECT_TRUE(loop.run(context, {.interrupt = &interrupt}).cancelled);
  other.join();
}

TEST(Cel, ContextIsReusable) {
  Loop loop(10);
  Context context;
  uint64_t cost = loop.run(context, {}).cost;
  for (int i = 0; i < 100; ++i) {
    context.reset();
    EXPECT_EQ(loop.run(context, {}).cost, cost);
  }
}

TEST(Cel, ThreadsShareOneProgram) {
  EnvironmentBuilder builder = standard();
  builder.library(*find_standard_library("strings"));
  builder.variable("s", types::kString);
  auto expression = compile("s.matches('^[a-z]+[0-9]+$') && s.split('').map(c, c + s).join(',').size() > 3",
                            *builder.build());
  ASSERT_TRUE(expression.ok()) << expression.error().text;
  ProgramPtr program = *make_program(*expression);
  std::atomic<int> wrong = 0;
  auto work = [&](int thread) {
    Context context;
    Activation activation(program->paths());
    for (int i = 0; i < 2000; ++i) {
      std::string text = (i % 2 == 0 ? "abc" : "ABC") + std::to_string(thread * 10'000 + i);
      activation.set("s", Value::string(text));
      Value result = evaluate(*program, activation, context).value;
      if (!result.is(Kind::Bool) || result.as_bool() != (i % 2 == 0)) ++wrong;
      context.reset();
    }
  };
  std::thread first(work, 1), second(work, 2);
  first.join();
  second.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace portcullis
