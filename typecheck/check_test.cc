#include "typecheck/check.h"

#include <gtest/gtest.h>

#include "tests/typecheck_library.h"

namespace portcullis {
namespace {

using testing::builder;
using testing::Checked;
using testing::message_of;
using testing::type_of;

// A struct `Pod` with a few fields, in the package `k`.
class Pods final : public TypeProvider {
 public:
  const Type* find_struct(std::string_view name) const override { return name == "k.Pod" ? &pod_ : nullptr; }
  const Type* find_field(std::string_view, std::string_view field) const override {
    return field == "name" ? types::kString : field == "count" ? types::kInt : nullptr;
  }
  const int64_t* find_enum(std::string_view name) const override {
    return name == "k.Phase.RUNNING" ? &running_ : nullptr;
  }

 private:
  Type pod_{TypeKind::Struct, "k.Pod"};
  int64_t running_ = 3;
};

TEST(Check, Literals) {
  EXPECT_EQ(type_of("1"), "int");
  EXPECT_EQ(type_of("null"), "null_type");
  EXPECT_EQ(type_of("b'x'"), "bytes");
  EXPECT_EQ(type_of("[1, 2]"), "list(int)");
  EXPECT_EQ(type_of("[1, 'a']"), "list(dyn)");
  EXPECT_EQ(type_of("[]"), "list(dyn)");
  EXPECT_EQ(type_of("{'a': [1], 'b': []}"), "map(string, list(int))");
  EXPECT_EQ(type_of("int"), "type(int)");
}

TEST(Check, ParametersAreInferred) {
  EXPECT_EQ(type_of("[] + [1]"), "list(int)");
  EXPECT_EQ(type_of("[[]] + [['a']]"), "list(list(string))");
  EXPECT_EQ(type_of("{'a': 1}['a']"), "int");
  EXPECT_EQ(type_of("true ? [1] : []"), "list(int)");
  EXPECT_EQ(type_of("[optional.none(), optional.of(1)]"), "list(optional_type(int))");
  EXPECT_EQ(type_of("[null, 1]"), "list(dyn)");
}

TEST(Check, EveryFittingOverloadIsRecorded) {
  Checked c(builder({{"x", "dyn"}}).build().value(), "x + x");
  ASSERT_EQ(c.root().reference->overloads.size(), 4u);
  EXPECT_EQ(c.root().reference->overloads[1]->id, "add_int64");
  EXPECT_EQ(c.type(), "dyn");
  Checked one(builder({{"x", "dyn"}}).build().value(), "x + 1");
  ASSERT_EQ(one.root().reference->overloads.size(), 1u);
  EXPECT_EQ(one.type(), "int");
}

TEST(Check, NoMatchingOverload) {
  EXPECT_EQ(type_of("1 + 'a'"),
            "ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'\n"
            " | 1 + 'a'\n"
            " | ..^");
  EXPECT_EQ(message_of("'a'.startsWith(1)"),
            "found no matching overload for 'startsWith' applied to 'string.(int)'");
  EXPECT_EQ(message_of("[].map(x, [].map(y, x in y && y in x))"),
            "found no matching overload for '@in' applied to '(list(dyn), dyn)'");
}

TEST(Check, Undeclared) {
  EXPECT_EQ(message_of("nope"), "undeclared reference to 'nope' (in container '')");
  EXPECT_EQ(message_of(".nope"), "undeclared reference to '.nope' (in container '')");
  EXPECT_EQ(message_of("'a'.nope()"), "undeclared reference to 'nope' (in container '')");
  EXPECT_EQ(message_of("Nope{}"), "undeclared reference to 'Nope' (in container '')");
}

TEST(Check, ErrorsComeInSourceOrder) {
  EXPECT_EQ(type_of("nope + 1 + 'a'.b"),
            "ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')\n"
            " | nope + 1 + 'a'.b\n"
            " | ^\n"
            "ERROR: <input>:1:15: type 'string' does not support field selection\n"
            " | nope + 1 + 'a'.b\n"
            " | ..............^");
}

TEST(Check, OneHundredErrorsAreKept) {
  std::string text = "[";
  for (int i = 0; i < 130; ++i) text += "x" + std::to_string(i) + ",";
  std::string errors = type_of(text + "1]");
  EXPECT_NE(errors.find("'x99'"), std::string::npos);
  EXPECT_EQ(errors.find("'x100'"), std::string::npos);
  EXPECT_TRUE(errors.ends_with("\n30 more errors were truncated"));
}

TEST(Check, LogicBlamesOperands) {
  EXPECT_EQ(type_of("1 && 'a'"),
            "ERROR: <input>:1:1: expected type 'bool' but found 'int'\n | 1 && 'a'\n | ^\n"
            "ERROR: <input>:1:6: expected type 'bool' but found 'string'\n | 1 && 'a'\n | .....^");
}

TEST(Check, Selection) {
  EXPECT_EQ(type_of("m.a", {{"m", "map(string, list(int))"}}), "list(int)");
  EXPECT_EQ(type_of("m.a.b", {{"m", "dyn"}}), "dyn");
  EXPECT_EQ(type_of("has(m.a)", {{"m", "map(string, int)"}}), "bool");
  EXPECT_EQ(type_of("o.a", {{"o", "optional_type(map(string, int))"}}), "optional_type(int)");
  EXPECT_EQ(type_of("m.?a", {{"m", "map(string, int)"}}), "optional_type(int)");
  EXPECT_EQ(message_of("[].length"), "type 'list(_var0)' does not support field selection");
  EXPECT_EQ(message_of("q.x", {{"q", "kubernetes.Quantity"}}),
            "unexpected failed resolution of 'kubernetes.Quantity'");
}

TEST(Check, QualifiedNamesAreTriedLongestFirst) {
  auto env = builder({{"a", "map(string, string)"}, {"a.b", "int"}}).build().value();
  Checked c(env, "a.b");
  EXPECT_EQ(c.type(), "int");
  EXPECT_EQ(c.root().kind, ExprKind::Ident);
  EXPECT_EQ(c.root().name, "a.b");
  EXPECT_EQ(Checked(env, "a.c").type(), "string");
  EXPECT_EQ(Checked(env, "has(a.b)").type(), "bool") << "a presence test is no qualified name";
}

TEST(Check, LocalsHideGlobals) {
  auto env = builder({{"x", "int"}, {"x.y", "int"}}).build().value();
  EXPECT_EQ(Checked(env, "[{'y': 'a'}].map(x, x.y)").type(), "list(string)");
  EXPECT_EQ(Checked(env, "['a'].map(x, .x)").type(), "list(int)");
  Checked c(env, "['a'].map(x, .x)");
  const Expr* element = c.root().fold->loop_step->args[1]->args[0];
  EXPECT_EQ(element->name, ".x");
  EXPECT_EQ(element->reference->kind, ReferenceKind::Variable);
}

TEST(Check, NamespacedFunctions) {
  Checked c(builder().build().value(), "sets.contains([1], [2])");
  EXPECT_EQ(c.type(), "bool");
  EXPECT_EQ(c.root().target, nullptr);
  EXPECT_EQ(c.root().name, "sets.contains");
}

TEST(Check, ContainersAndEnums) {
  Pods pods;
  EnvironmentBuilder b = builder();
  b.provider(&pods).container("k");
  auto env = b.build().value();
  EXPECT_EQ(Checked(env, "Pod{name: 'a', count: 1}").type(), "k.Pod");
  EXPECT_EQ(Checked(env, "Pod{}.count + Phase.RUNNING").type(), "int");
  EXPECT_EQ(Checked(env, "Pod").type(), "type(k.Pod)");
  EXPECT_EQ(Checked(env, "Pod{nmae: 1}").message(), "undefined field 'nmae'");
  EXPECT_EQ(Checked(env, "Pod{count: 'a'}").message(),
            "expected type of field 'count' is 'int' but provided type is 'string'");
  EXPECT_EQ(Checked(env, "Pod{?name: 'a'}").message(),
            "expected type 'optional_type(string)' but found 'string'");
  EXPECT_EQ(Checked(env, "nope").message(), "undeclared reference to 'nope' (in container 'k')");
  Checked phase(env, "Phase.RUNNING");
  EXPECT_EQ(phase.root().reference->constant, 3);
}

TEST(Check, MessagesOfTheStandard) {
  EXPECT_EQ(type_of("google.protobuf.Int32Value{value: 1}"), "wrapper(int)");
  EXPECT_EQ(type_of("google.protobuf.Value{}"), "dyn");
  EXPECT_EQ(message_of("int{}"), "'int' is not a message type");
  EXPECT_EQ(type_of("wrapped == null", {{"wrapped", "wrapper(int)"}}), "bool");
}

TEST(Check, Comprehensions) {
  EXPECT_EQ(type_of("[1].map(x, 'a')"), "list(string)");
  EXPECT_EQ(type_of("{'a': 1}.all(k, k.startsWith('a'))"), "bool");
  EXPECT_EQ(message_of("b.all(y, y)", {{"b", "bool"}}),
            "expression of type 'bool' cannot be range of a comprehension (must be list, map, or dynamic)");
  EXPECT_EQ(message_of("a.all(y, true)", {{"a", "any"}}),
            "expression of type 'any' cannot be range of a comprehension (must be list, map, or dynamic)");
  EXPECT_EQ(message_of("[1].exists(x, 1)"), "expected type 'bool' but found 'int'");
}

TEST(Check, CrossTypeComparisonsNeedTheOption) {
  EXPECT_EQ(message_of("1 < 1.0"), "found no matching overload for '_<_' applied to '(int, double)'");
  // In cel-go, entering a scope turns the option on for the rest of the expression.
  EXPECT_EQ(type_of("[1].exists(x, x < 1.0)"), "bool");
  EXPECT_EQ(type_of("[1].exists(x, true) && 1 < 1.0"), "bool");
  EXPECT_EQ(message_of("1 < 1.0 && [1].exists(x, true)"),
            "found no matching overload for '_<_' applied to '(int, double)'");
}

TEST(Check, DoublingTypesStayCheap) {
  std::string text = "[1]";
  for (int i = 0; i < 50; ++i) text += ".map(x, {x: x})";
  EXPECT_TRUE(type_of(text).starts_with("list(map(map("));
  EXPECT_EQ(message_of(text + ".nope()"), "undeclared reference to 'nope' (in container '')");
}

TEST(Check, OptionalElements) {
  EXPECT_EQ(type_of("{?'k': m.?a}", {{"m", "map(string, int)"}}), "map(string, int)");
  EXPECT_EQ(message_of("[?'v']"), "expected type 'optional_type(string)' but found 'string'");
  EXPECT_EQ(type_of("optional.of(1).optMap(x, 'a')"), "optional_type(string)");
}

}  // namespace
}  // namespace portcullis
