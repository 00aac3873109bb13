// The public face: expressions, environments, functions of one's own, bounds, values.
#include <gtest/gtest.h>
#include <portcullis/cel.h>

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

namespace portcullis::v1 {
namespace {

TEST(FaceOfCel, ExpressionsHaveValuesCostsAndErrors) {
  Result<Program> wrong = compile("a +", Environment::kubernetes());
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().line, 1);
  EnvironmentBuilder builder;
  builder.library("stdlib").library("strings").variable("shop.names", "list(string)").container("shop");
  Result<Program> program = compile("names.join('-')", *builder.build());
  ASSERT_TRUE(program.ok()) << program.error().text;
  EXPECT_EQ(program->type(), "string");
  EXPECT_EQ(program->text(), "names.join('-')");
  Evaluation evaluation(*program);
  EXPECT_TRUE(evaluation.run().value.is_error());
  const Value names[] = {Value::string("a"), Value::string("b")};
  Memory memory;
  evaluation.set("shop.names", memory.list(names));
  for (int i = 0; i < 3; i++) {
    EXPECT_EQ(evaluation.run().value.as_text(), "a-b");
    EXPECT_GT(evaluation.run().cost, 0);
  }
  EXPECT_TRUE(evaluation.run({.cost_limit = 1}).cancelled);
  evaluation.clear();
  EXPECT_TRUE(evaluation.run().value.is_error());
}

TEST(FaceOfCel, MistakesInEnvironmentsAreTold) {
  auto mistake = [](auto call) {
    EnvironmentBuilder builder(Environment::kubernetes());
    call(builder);
    auto built = builder.build();
    return built ? "none" : built.error().text;
  };
  auto variable = [&](std::string_view name, std::string_view type) {
    return mistake([&](EnvironmentBuilder& b) { b.variable(name, type); });
  };
  auto function = [&](std::string_view signature) {
    return mistake([&](EnvironmentBuilder& b) {
      b.function(signature, [](FunctionCall&, std::span<const Value>) { return Value(); });
    });
  };
  EXPECT_EQ(mistake([](EnvironmentBuilder& b) { b.library("nothing"); }), "there is no library nothing");
  EXPECT_EQ(mistake([](EnvironmentBuilder& b) { b.library("strings", 99); }),
            "library strings: there is no version 99, the newest is 5");
  EXPECT_EQ(mistake([](EnvironmentBuilder& b) { b.container("shop..x"); }),
            "container shop..x: an expression cannot write this name");
  EXPECT_EQ(mistake([](EnvironmentBuilder& b) { b.container("shop.x"); }), "none");

  for (std::string_view name : {"", "a-b", "in", "for", "1a", "a..b", ".a", "a.", "a.in", "\u00e9"}) {
    EXPECT_EQ(variable(name, "int"),
              "variable " + std::string(name) + ": an expression cannot write this name");
  }
  for (std::string_view name : {"x", "_x1", "a.b.c", "a.for", "int"})
    EXPECT_EQ(variable(name, "int"), "none");
  EXPECT_NE(variable("x", "lst(int"), "none");
  EXPECT_NE(variable("x", ""), "none");
  for (std::string_view type :
       {"foo", "list(foo)", "quantity", "list", "map", "shop.Order", "optional(int)"}) {
    const std::string_view name = type == "list(foo)" ? "foo" : type == "optional(int)" ? "optional" : type;
    EXPECT_EQ(variable("x", type), "variable x: there is no type " + std::string(name));
  }
  EXPECT_EQ(variable("x", "A"), "variable x: only functions have type parameters");
  for (std::string_view type :
       {"bool", "map(string, list(dyn))", "null_type", "type", "optional_type(int)", "kubernetes.Quantity",
        "kubernetes.Semver", "kubernetes.URL", "net.IP", "list(net.CIDR)", "google.protobuf.Struct",
        "wrapper(int)", "kubernetes.authorization.Authorizer"})
    EXPECT_EQ(variable("x", type), "none") << type;

  EXPECT_EQ(function("f(foo) -> int"), "function f(foo) -> int: there is no type foo");
  EXPECT_EQ(function("f() -> quantity"), "function f() -> quantity: there is no type quantity");
  EXPECT_EQ(function("f() -> kubernetes.Quantity"), "none");
  EXPECT_EQ(function("first(list(T)) -> T"), "none");
  EXPECT_EQ(function("string.in() -> int"),
            "function string.in() -> int: an expression cannot write this name");
  EXPECT_EQ(function("_+_(net.IP, int) -> net.IP"),
            "function _+_(net.IP, int) -> net.IP: an expression cannot write this name");
  EXPECT_EQ(mistake([](EnvironmentBuilder& b) { b.function("f() -> int", {}); }),
            "function f() -> int: there is nothing to call");
  EXPECT_EQ(function("size(string) -> int").substr(0, 9), "overload ");

  // What stands in the base is not looked at again, and its types stay known.
  auto policy = EnvironmentBuilder(Environment::policy()).variable("x", "kubernetes.Quantity").build();
  ASSERT_TRUE(policy.ok());
  EXPECT_TRUE(EnvironmentBuilder(*policy).variable("y", "list(kubernetes.Quantity)").build().ok());
  EXPECT_EQ(EnvironmentBuilder().variable("x", "kubernetes.Quantity").build().error().text,
            "variable x: there is no type kubernetes.Quantity");
}

TEST(FaceOfCel, FunctionsOfOnesOwn) {
  int calls = 0;
  EnvironmentBuilder builder(Environment::kubernetes());
  builder.function("shop.discount(double, int) -> double", [&](FunctionCall& call, std::span<const Value> a) {
    calls++;
    if (a[1].as_int() > 100) return call.error("no such discount");
    return Value::real(a[0].as_double() * static_cast<double>(100 - a[1].as_int()) / 100);
  });
  builder.function("string.shout() -> string", [](FunctionCall& call, std::span<const Value> a) {
    return call.text(std::string(a[0].as_text()) + "!");
  });
  auto result = [](const Result<Program>& program) {
    if (!program) return program.error().text;
    return to_text(Evaluation(*program).run().value);
  };
  std::optional<Result<Program>> kept;
  {
    Result<Environment> environment = builder.build();
    ASSERT_TRUE(environment.ok()) << environment.error().text;
    kept = compile("[shop.discount(80.0, 25), shop.discount(10.0, 50)]", *environment);
    EXPECT_EQ(result(compile("'a'.shout() + 'b'.shout()", *environment)), "\"a!b!\"");
    EXPECT_EQ(compile("shop.discount('a', 1)", *environment).error().line, 1);
    Result<Program> failing = compile("shop.discount(1.0, 101) == 1.0", *environment);
    EXPECT_EQ(Evaluation(*failing).run().value.as_text(), "no such discount");
  }
  EXPECT_EQ(result(*kept), "[60.0, 5.0]");
  EXPECT_EQ(calls, 3);
  EXPECT_FALSE(EnvironmentBuilder().function("f(", [](auto&, auto) { return Value(); }).build().ok());
  EXPECT_FALSE(EnvironmentBuilder().function("f() -> int", nullptr).build().ok());
}

TEST(FaceOfCel, ValuesAreRead) {
  Memory memory;
  Value v = *memory.read_json(R"({"a": [1, 2.5, "x", true, null], "b": {"c": "d"}})");
  EXPECT_EQ(v.size(), 2);
  EXPECT_EQ(v.key(1).as_text(), "b");
  EXPECT_EQ(v.find("a")->size(), 5);
  EXPECT_EQ(v.find("a")->at(0).as_int(), 1);
  EXPECT_EQ(v.find("a")->at(0).as_double(), 1);
  EXPECT_EQ(v.find("a")->at(1).as_double(), 2.5);
  EXPECT_TRUE(v.find("a")->at(3).as_bool());
  EXPECT_TRUE(v.find("a")->at(9).is_null());
  EXPECT_EQ(v.find_path("b.c").as_text(), "d");
  EXPECT_FALSE(v.find("z").has_value());
  EXPECT_FALSE(v.at(0).find("z").has_value());
  EXPECT_EQ(v.as_int(), 0);
  EXPECT_EQ(v.as_text(), "");
  EXPECT_EQ(to_json(v), R"({"a":[1,2.5,"x",true,null],"b":{"c":"d"}})");
  const Memory::Entry entries[] = {{"k", Value::integer(1)}, {"k", Value::integer(2)}};
  EXPECT_EQ(to_yaml(memory.map(entries)), "k: 2\n");
  Result<Value> bad = memory.read_json("{\n 1}");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().line, 2);
  EXPECT_DEATH((void)*bad, "");
}

TEST(FaceOfCel, EvaluationsHaveBounds) {
  auto environment = EnvironmentBuilder(Environment::kubernetes()).variable("x").build();
  ASSERT_TRUE(environment.ok());
  auto program = compile("x.a == x.a ? [x.a].map(y, y) : []", *environment);
  ASSERT_TRUE(program.ok());
  Memory memory;
  Evaluation evaluation(*program);
  std::string zeros = "0";
  for (int i = 0; i < 2000; i++) zeros += ", 0";
  evaluation.set("x", *memory.read_json("{\"a\": [" + zeros + "]}"));
  EXPECT_FALSE(evaluation.run().cancelled);
  EXPECT_FALSE(evaluation.run({.max_steps = 2100}).cancelled);
  auto error = [&](const Limits& limits) {
    const Outcome& o = evaluation.run(limits);
    EXPECT_TRUE(o.cancelled && o.value.is_error());
    return std::to_string(o.cost) + " " + std::string(o.value.as_text());
  };
  EXPECT_EQ(error({.max_steps = 1000}), "0 evaluation exceeds its bounds of memory or steps");
  EXPECT_EQ(error({.cost_limit = 10000, .max_steps = 1000}),
            "10001 evaluation exceeds its bounds of memory or steps");
  const auto now = std::chrono::steady_clock::now();
  EXPECT_EQ(error({.deadline = now}), "0 operation interrupted");
  EXPECT_FALSE(evaluation.run({.deadline = now + std::chrono::hours(1)}).cancelled);
  std::atomic<bool> interrupt = true;
  EXPECT_EQ(error({.interrupt = &interrupt}), "0 operation interrupted");
  interrupt = false;
  EXPECT_FALSE(evaluation.run({.interrupt = &interrupt}).cancelled);

  // Nearly endless without a deadline.
  std::string maps = "{\"a\": 0}";
  for (int i = 1; i < 20000; i++) maps += ", {\"a\": " + std::to_string(i) + "}";
  auto distinct = compile("x.distinct().size() > 0", *environment);
  ASSERT_TRUE(distinct.ok());
  Evaluation endless(*distinct);
  endless.set("x", *memory.read_json("[" + maps + "]"));
  const Outcome& late =
      endless.run({.cost_limit = UINT64_MAX - 1,
                   .deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20)});
  EXPECT_EQ(late.value.as_text(), "operation interrupted");
  EXPECT_TRUE(late.cancelled);
  EXPECT_EQ(late.cost, UINT64_MAX);

  auto doubled = compile("[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20].map(a, x + x)", *environment);
  ASSERT_TRUE(doubled.ok());
  Evaluation large(*doubled);
  large.set("x", *memory.read_json("[" + zeros + "]"));
  EXPECT_FALSE(large.run().cancelled);
  large.set("x", Value::string(memory.text(std::string(1 << 20, 'a')).as_text()));
  EXPECT_TRUE(Evaluation(std::move(large)).run({.max_memory = 1}).cancelled);
}

}  // namespace
}  // namespace portcullis::v1
