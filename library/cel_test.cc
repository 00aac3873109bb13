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

// As Kubernetes and `portcullis eval` write them; a variable may have each of them.
TEST(FaceOfCel, TypesOfProgramsHaveOneNotation) {
  for (const auto& [text, type] : std::initializer_list<std::pair<std::string_view, std::string>>{
           {"duration('1h')", "google.protobuf.Duration"},
           {"[timestamp('2024-01-01T00:00:00Z')]", "list(google.protobuf.Timestamp)"},
           {"{'a': null}", "map(string, null_type)"},
           {"optional.of(duration('1h'))", "optional_type(google.protobuf.Duration)"},
           {"quantity('1')", "kubernetes.Quantity"},
           {"google.protobuf.Int64Value{value: 1}", "wrapper(int)"},
           {"dyn(1)", "dyn"}}) {
    Result<Program> program = compile(text, Environment::kubernetes());
    ASSERT_TRUE(program.ok()) << type << ": " << program.error().text;
    EXPECT_EQ(program->type(), type);
    EnvironmentBuilder builder(Environment::kubernetes());
    auto environment = builder.variable("x", type).build();
    ASSERT_TRUE(environment.ok()) << environment.error().text;
    program = compile("x", *environment);
    ASSERT_TRUE(program.ok()) << type << ": " << program.error().text;
    EXPECT_EQ(program->type(), type);
  }
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
  // An error about the whole expression has no place.
  auto deep = compile(std::string(300, '('), Environment::kubernetes());
  ASSERT_FALSE(deep.ok());
  EXPECT_EQ(deep.error().line, 0);
  EXPECT_EQ(deep.error().column, 0);
  EXPECT_EQ(mistake([](EnvironmentBuilder& b) { b.library("nothing"); }), "there is no library nothing");
  EXPECT_EQ(mistake([](EnvironmentBuilder& b) { b.library("strings", 99); }),
            "library strings: there is no version 99, the newest is 5");
  std::string nested;
  for (int i = 0; i < 100'000; i++) nested.append("list(");
  nested.append("int").append(100'000, ')');
  EXPECT_EQ(variable("x", nested), "variable x: a type nests more than 1000 deep");
  EXPECT_TRUE(function("f(" + nested + ") -> int").ends_with(": a type nests more than 1000 deep"));
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
    const std::string_view name = type == "list(foo)" ? "foo" : type;
    EXPECT_EQ(variable("x", type), "variable x: there is no type " + std::string(name));
  }
  EXPECT_EQ(variable("x", "A"), "variable x: only functions have type parameters");
  EXPECT_EQ(variable("x", "list(error)"), "variable x: no value has the type error");
  EXPECT_EQ(variable("x", "wrapper(list(int))"), "variable x: there is no wrapper of list(int)");
  for (std::string_view type : {"optional_type", "optional_type(int, int)", "net.IP(int)"})
    EXPECT_EQ(variable("x", type), "variable x: there is no type " + std::string(type));
  for (std::string_view type :
       {"type(int)", "any", "null", "bool", "map(string, list(dyn))", "null_type", "type",
        "optional_type(int)", "kubernetes.Quantity", "kubernetes.Semver", "kubernetes.URL", "net.IP",
        "list(net.CIDR)", "google.protobuf.Struct", "wrapper(int)", "kubernetes.authorization.Authorizer"})
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
  for (std::string_view own : {"size(int) -> string", "int.matches(int) -> bool", "type(int, int) -> int",
                               "dyn(int, int) -> string"}) {
    EXPECT_NE(function(own).find(": singleton function incompatible with specialized overloads: "),
              std::string::npos)
        << own;
  }

  for (std::string_view own : {"has(int) -> bool", "T.all(string, T) -> bool",
                               "shop.exists(int, int) -> bool", "math.greatest(string, string) -> string"}) {
    EXPECT_EQ(mistake([&](EnvironmentBuilder& b) {
                b.library("math").function(own,
                                           [](FunctionCall&, std::span<const Value>) { return Value(); });
              }),
              "function " + std::string(own) + ": a macro of this name takes its calls");
  }
  for (std::string_view own : {"has(int, int) -> bool", "all(string, int) -> bool", "T.has(T) -> bool"})
    EXPECT_EQ(function(own), "none");

  // What stands in the base is not looked at again, and its types stay known.
  auto policy = EnvironmentBuilder(Environment::policy()).variable("x", "kubernetes.Quantity").build();
  ASSERT_TRUE(policy.ok());
  EXPECT_TRUE(EnvironmentBuilder(*policy).variable("y", "list(kubernetes.Quantity)").build().ok());
  for (std::string_view name : {"list", "map"})
    EXPECT_FALSE(EnvironmentBuilder(Environment::policy()).variable("x", name).build().ok());
  EXPECT_EQ(EnvironmentBuilder().variable("x", "kubernetes.Quantity").build().error().text,
            "variable x: there is no type kubernetes.Quantity");
}

TEST(FaceOfCel, NoCallFitsTwoFunctions) {
  auto both = [](std::string_view a, std::string_view b) {
    const Function nothing = [](FunctionCall&, std::span<const Value>) { return Value(); };
    EnvironmentBuilder builder(Environment::kubernetes());
    Result<Environment> built = builder.function(a, nothing).build();
    if (built) built = EnvironmentBuilder(*built).function(b, nothing).build();
    // The same in one environment.
    const bool together =
        EnvironmentBuilder(Environment::kubernetes()).function(a, nothing).function(b, nothing).build().ok();
    EXPECT_EQ(together, built.ok()) << a << ", " << b;
    return built ? "" : built.error().text;
  };
  EXPECT_EQ(both("f(int) -> int", "f(int) -> int"), "function f(int) -> int: it is there already");
  EXPECT_EQ(both("f(list(int)) -> int", "f(list(string)) -> int"),
            "function f(list(int)) -> int: a call can also fit f(list(string)) -> int");
  EXPECT_EQ(both("string.f(map(string, dyn)) -> int", "string.f(map(dyn, int)) -> int"),
            "function string.f(map(string, dyn)) -> int: a call can also fit string.f(map(dyn, int)) -> int");
  for (auto [a, b] : {std::pair{"f(int) -> int", "f(T) -> int"},
                      {"f(int) -> int", "f( int) -> int"},
                      {"f(int) -> int", "f(int) -> string"},
                      {"f(wrapper(int)) -> int", "f(null_type) -> int"},
                      {"f(wrapper(int)) -> int", "f(wrapper(string)) -> int"},
                      {"f(optional_type(int)) -> int", "f(optional_type(string)) -> int"},
                      {"f(type(int)) -> int", "f(type(string)) -> int"},
                      {"f(int, dyn) -> int", "f(dyn, int) -> int"},
                      {"list(string).sum() -> string", "f() -> int"}})
    EXPECT_NE(both(a, b), "") << a << ", " << b;
  for (auto [a, b] : {std::pair{"f(int) -> int", "f(string) -> int"},
                      {"f(int) -> int", "f(int, int) -> int"},
                      {"f(int) -> int", "int.f() -> int"},
                      {"f(int, dyn) -> int", "f(string, int) -> int"},
                      {"f(list(int)) -> int", "f(map(int, int)) -> int"},
                      {"f(net.IP) -> int", "f(net.CIDR) -> int"},
                      {"f(wrapper(int)) -> int", "f(string) -> int"},
                      {"list(int).contains(int) -> bool", "f() -> int"}})
    EXPECT_EQ(both(a, b), "");
}

TEST(FaceOfCel, ABuilderMakesSeveralEnvironments) {
  EnvironmentBuilder builder(Environment::kubernetes());
  builder.variable("a", "int").function("f(int) -> int", [](FunctionCall&, std::span<const Value> arguments) {
    return Value::integer(arguments[0].as_int() + 1);
  });
  Result<Environment> first = builder.build();
  Result<Environment> second = builder.variable("b", "int").build();
  Result<Environment> third = builder.build();
  ASSERT_TRUE(first.ok() && second.ok() && third.ok());
  EXPECT_TRUE(compile("f(a)", *first).ok());
  EXPECT_FALSE(compile("f(a + b)", *first).ok());
  EXPECT_TRUE(compile("f(a + b)", *second).ok());
  Result<Program> program = compile("f(a + b)", *third);
  ASSERT_TRUE(program.ok());
  Evaluation evaluation(*program);
  evaluation.set("a", Value::integer(1));
  evaluation.set("b", Value::integer(2));
  EXPECT_EQ(evaluation.run().value.as_int(), 4);
  // A mistake stays one.
  EXPECT_FALSE(builder.variable("c", "foo").build().ok());
  EXPECT_EQ(builder.variable("d").build().error().text, "variable c: there is no type foo");
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
  EXPECT_EQ(memory.read_yaml(std::string_view()).ok(), memory.read_yaml("").ok());
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
  EXPECT_EQ(v.find_path(".b.c").as_text(), "d");
  EXPECT_EQ(v.find_path("").size(), 2);
  EXPECT_EQ(v.find_path(".").size(), 2);
  EXPECT_EQ(v.find_path("a[2]").as_text(), "x");
  const Value odd = *memory.read_json(R"({"": 1, "a.b/c": [{"": 2}]})");
  EXPECT_EQ(odd.find_path("[]").as_int(), 1);
  EXPECT_EQ(odd.find_path("[a.b/c][0][]").as_int(), 2);
  for (std::string_view none :
       {"..", "..b", "b.", "b..c", "b.[c]", "a[2", "a[]", "a[2junk]", "a[1.5]", "a[2 ]", "a[ 2]", "a[0x1]",
        "a[-0]", "a[+1]", "a[5]", "a[18446744073709551616]", "[b]c", "a.[2]"})
    EXPECT_TRUE(v.find_path(none).is_null()) << none;
  EXPECT_TRUE(odd.find_path("..").is_null());
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

template <class Text>
concept MakesString = requires(Text text) { Value::string(std::forward<Text>(text)); };
static_assert(MakesString<const char*> && MakesString<std::string&> && MakesString<const std::string&> &&
              MakesString<std::string_view> && !MakesString<std::string> && !MakesString<const std::string>);

TEST(FaceOfCel, ValuesAreMade) {
  Memory memory;
  const Value bytes = memory.bytes(std::string("a\xff"));
  EXPECT_EQ(bytes.as_text(), "a\xff");
  EXPECT_EQ(Value::bytes("b").kind(), Kind::Bytes);
  EXPECT_EQ(Value::timestamp(5, 7).seconds(), 5);
  EXPECT_EQ(Value::timestamp(5, 7).nanoseconds(), 7);
  EXPECT_EQ(Value::duration(-1).nanoseconds(), -1);
  for (const Value& wrong :
       {Value::timestamp(INT64_MAX), Value::timestamp(INT64_MIN), Value::timestamp(0, -1),
        Value::timestamp(0, 1'000'000'000), memory.quantity("x"), memory.ip("x"), memory.cidr("x"),
        memory.semver("x"), memory.url("x")})
    EXPECT_TRUE(wrong.is_error());
  EXPECT_EQ(memory.optional(Value::integer(1)).as_optional()->as_int(), 1);
  EXPECT_FALSE(memory.optional({}).as_optional());
  const Value error = memory.quantity("x");
  const Value items[] = {Value::integer(1), error, memory.ip("x")};
  const MapItem entries[] = {{"a", Value::integer(1)}, {"b", error}};
  for (const Value& wrong : {memory.list(items), memory.map(entries), memory.optional(error)}) {
    EXPECT_TRUE(wrong.is_error());
    EXPECT_EQ(wrong.as_text(), error.as_text());
    EXPECT_EQ(to_json(wrong), "null");
  }

  EnvironmentBuilder builder(Environment::kubernetes());
  for (std::string_view name : {"b", "t", "d", "o", "n", "q", "i", "c", "s", "u"}) builder.variable(name);
  builder.function("entry(string, T) -> map(string, T)", [](FunctionCall& call, std::span<const Value> a) {
    const MapItem items[] = {{a[0].as_text(), a[1]}, {"more", call.optional(call.bytes("x"))}};
    return call.map(items);
  });
  auto program = compile(
      "b == b'a\\377' && t == timestamp('1970-01-01T00:00:05.000000007Z') && d == duration('1m') && "
      "o.orValue(0) == 1 && n.orValue(2) == 2 && q.isGreaterThan(quantity('1Mi')) && i == ip('::1') && "
      "c.containsIP('10.0.0.1') && s.major() == 1 && u.getHost() == 'a.b' && "
      "entry('k', dyn(1)) == {'k': dyn(1), 'more': dyn(optional.of(b'x'))}",
      *builder.build());
  ASSERT_TRUE(program.ok()) << program.error().text;
  Evaluation e(*program);
  e.set("b", bytes);
  e.set("t", Value::timestamp(5, 7));
  e.set("d", Value::duration(60'000'000'000));
  e.set("o", memory.optional(Value::integer(1)));
  e.set("n", memory.optional({}));
  e.set("q", memory.quantity("1Gi"));
  e.set("i", memory.ip("::1"));
  e.set("c", memory.cidr("10.0.0.0/8"));
  e.set("s", memory.semver("1.2.3"));
  e.set("u", memory.url("https://a.b"));
  EXPECT_EQ(to_text(e.run().value), "true");
}

TEST(FaceOfCel, ValuesAreWrittenAsJson) {
  auto written = [](std::string_view text) {
    auto program = compile(text, Environment::kubernetes());
    EXPECT_TRUE(program.ok()) << text;
    Evaluation e(*program);
    const Value value = e.run().value;
    std::string yaml = to_yaml(value);
    yaml.pop_back();
    return to_json(value) + " " + yaml;
  };
  EXPECT_EQ(written("timestamp('2024-01-01T00:00:00.50Z')"),
            "\"2024-01-01T00:00:00.5Z\" \"2024-01-01T00:00:00.5Z\"");
  EXPECT_EQ(written("duration('1m1.5s')"), "\"61.5s\" 61.5s");
  EXPECT_EQ(written("optional.of(optional.of(1))"), "1 1");
  EXPECT_EQ(written("optional.none()"), "null null");
  EXPECT_EQ(written("[dyn(1), dyn(9007199254740993), dyn(duration('1s'))]"),
            "[1,9007199254740993,\"1s\"] - 1\n- 9007199254740993\n- 1s");
  EXPECT_EQ(written("{'b': dyn([]), 'a': dyn({1: optional.of('x')})}"),
            "{\"a\":{\"1\":\"x\"},\"b\":[]} b: []\na:\n  \"1\": x");
  EXPECT_EQ(written("[dyn(b'a'), dyn(quantity('1Gi'))]").substr(0, 13), "[\"YQ==\",null]");
}

TEST(FaceOfCel, NestingHasABound) {
  constexpr int kMost = 10000;
  Memory memory;
  Value deep, maps, optionals;
  for (int i = 0; i < kMost; i++) {
    ASSERT_FALSE(deep.is_error() || maps.is_error() || optionals.is_error()) << i;
    const MapItem items[] = {{"a", maps}};
    deep = memory.list({&deep, 1});
    maps = memory.map(items);
    optionals = memory.optional(optionals);
  }
  EXPECT_EQ(deep.kind(), Kind::List);
  EXPECT_EQ(memory.list({&deep, 1}).as_text(), "exceeded max depth");
  EXPECT_EQ(memory.optional(maps).as_text(), "exceeded max depth");
  const MapItem items[] = {{"a", Value()}, {"b", optionals}};
  EXPECT_EQ(memory.map(items).as_text(), "exceeded max depth");
  // What stands beside it counts from its own depth.
  const Value pair[] = {Value::integer(1), memory.list({})};
  EXPECT_EQ(to_json(memory.list(pair)), "[1,[]]");
  EXPECT_EQ(memory.list(pair).size(), 2);
}

// As cel.Lib does with a library that has a name.
TEST(FaceOfCel, ALibraryIsAddedOnce) {
  auto with = [&](std::initializer_list<int> versions, bool kubernetes) {
    EnvironmentBuilder builder =
        kubernetes ? EnvironmentBuilder(Environment::kubernetes()) : EnvironmentBuilder();
    if (!kubernetes) builder.library("stdlib");
    for (int v : versions) builder.library("strings", static_cast<uint8_t>(v));
    const Environment environment = *builder.build();
    std::string out;
    for (std::string_view text : {"'%e'.format([2.5])", "'ab'.reverse()"}) {
      auto program = compile(text, environment);
      out += program ? to_text(Evaluation(*program).run().value) + " " : "none ";
    }
    return out;
  };
  const std::string old = with({2}, false), latest = with({4}, false);
  EXPECT_NE(old, latest);
  EXPECT_EQ(with({2, 4}, false), old);
  EXPECT_EQ(with({4, 2}, false), latest);
  EXPECT_EQ(with({4}, true), with({}, true));
}

TEST(FaceOfCel, ProgramsHaveEstimates) {
  auto environment = EnvironmentBuilder(Environment::kubernetes()).variable("names", "list(string)").build();
  auto program = compile("names.all(n, n.startsWith('a'))", *environment);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program->estimate().max, UINT64_MAX);
  const Program::Size sizes[] = {{"names", 100}, {"names.@items", 10}};
  const Program::Estimate bounded = program->estimate(sizes);
  EXPECT_EQ(bounded.min, program->estimate().min);
  EXPECT_LT(bounded.max, 2000);
  Memory memory;
  std::vector<Value> names(100, Value::string("aaaaaaaaaa"));
  Evaluation evaluation(*program);
  evaluation.set("names", memory.list(names));
  EXPECT_GE(bounded.max, evaluation.run().cost);
}

TEST(FaceOfCel, AuthorizersOfOnesOwn) {
  struct Own final : Authorizer {
    AuthorizationAnswer authorize(const AuthorizationCheck& c) const override {
      const bool is = c.username == "eve" && c.resource == "pods" && c.name == "a" && c.extra.size() == 1;
      return {is ? AuthorizationAnswer::Decision::Allow : AuthorizationAnswer::Decision::Deny};
    }
  } own;
  auto program = compile(
      "authorizer.group('').resource('pods').name('a').check('get').allowed() && "
      "authorizer.requestResource.check('get').allowed()",
      Environment::policy());
  ASSERT_TRUE(program.ok()) << program.error().text;
  Evaluation evaluation(*program);
  EXPECT_TRUE(evaluation.run().value.is_error());
  constexpr std::string_view kValues[] = {"v"};
  const UserInfo::Extra extra[] = {{"k", kValues}};
  const UserInfo eve{.username = "eve", .extra = extra};
  for (int i = 0; i < 2; i++) {
    evaluation.set_authorizer(own, eve, {.resource = "pods", .name = "a"});
    EXPECT_TRUE(evaluation.run().value.as_bool());
  }
  evaluation.set_authorizer(own, {}, {.resource = "pods", .name = "a"});
  EXPECT_FALSE(evaluation.run().value.as_bool());
  evaluation.set_authorizer(own, {.uid = "5"}, {.resource = "pods", .name = "a"});
  EXPECT_EQ(evaluation.run().value.as_text(), "the user has groups, uid or extra, but no username");
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

  // Sorting compares, too.
  auto sorted = compile("x.a.sort().size()", *environment);
  ASSERT_TRUE(sorted.ok());
  Evaluation sorting(*sorted);
  sorting.set("x", *memory.read_json("{\"a\": [" + zeros + ", 1]}"));
  EXPECT_FALSE(sorting.run().cancelled);
  EXPECT_TRUE(sorting.run({.max_steps = 1000}).cancelled);

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
