#include "typecheck/estimate.h"

#include <gtest/gtest.h>

#include "tests/typecheck_library.h"

namespace portcullis {
namespace {

using testing::builder;
using testing::Checked;
using testing::Variables;

using Hints = std::map<std::string, uint64_t, std::less<>>;

std::string cost_in(EnvironmentBuilder b, std::string_view text, const Hints& hints = {}) {
  Checked c(b.build().value(), text);
  if (!c.diagnostics.empty()) return c.type();
  SizeHints sizes(hints);
  Range cost = estimate(c.parsed.ast, *c.environment, &sizes);
  return std::to_string(cost.min) + ".." + (cost.max == kUnbounded ? "*" : std::to_string(cost.max));
}
std::string cost(std::string_view text, const Variables& variables = {}, const Hints& hints = {}) {
  return cost_in(builder(variables), text, hints);
}

TEST(Estimate, Nodes) {
  EXPECT_EQ(cost("1"), "0..0");
  EXPECT_EQ(cost("[1, 2]"), "10..10");
  EXPECT_EQ(cost("{'a': 1}"), "30..30");
  EXPECT_EQ(cost("google.protobuf.Empty{}"), "40..40");
  EXPECT_EQ(cost("x", {{"x", "int"}}), "1..1");
  EXPECT_EQ(cost("x.a", {{"x", "map(string, int)"}}), "2..2");
  EXPECT_EQ(cost("x.a.b", {{"x", "dyn"}}), "1..1") << "steps into dyn are free";
  EXPECT_EQ(cost("x.y", {{"x.y", "int"}}), "1..1");
}

TEST(Estimate, PresenceTests) {
  EXPECT_EQ(cost("has(x.a)", {{"x", "map(string, int)"}}), "2..2");
  EnvironmentBuilder b = builder({{"x", "map(string, int)"}});
  b.options().presence_test_cost = false;
  EXPECT_EQ(cost_in(std::move(b), "has(x.a)"), "1..1");
}

TEST(Estimate, SizesComeFromLiteralsAndHints) {
  EXPECT_EQ(cost("'123'.matches('[0-9]')"), "2..2");
  EXPECT_EQ(cost("s.matches('[0-9]')", {{"s", "string"}}, {{"s", 500}}), "3..103");
  EXPECT_EQ(cost("s.startsWith(t)", {{"s", "string"}, {"t", "string"}}, {{"t", 500}}), "2..52");
  EXPECT_EQ(cost("s == 'ab'", {{"s", "string"}}), "2..2");
  EXPECT_EQ(cost("2 in [1, 2, 3]"), "13..13");
  EXPECT_EQ(cost("s == s", {{"s", "string"}}), "3..1844674407370955266");
}

TEST(Estimate, Loops) {
  EXPECT_EQ(cost("[1, 2, 3].all(x, true)"), "20..20");
  EXPECT_EQ(cost("l.all(x, true)", {{"l", "list(int)"}}, {{"l", 100}}), "2..302");
  EXPECT_EQ(cost("l.all(x, x.all(y, true))", {{"l", "list(list(int))"}}, {{"l", 50}, {"l.@items", 10}}),
            "2..1752");
  EXPECT_EQ(cost("(a + b).all(x, true)", {{"a", "list(int)"}, {"b", "list(int)"}}, {{"a", 10}, {"b", 10}}),
            "4..64");
  EXPECT_EQ(cost("[a, b].exists(l, l.exists(v, v.startsWith('hi')))",
                 {{"a", "list(string)"}, {"b", "list(string)"}},
                 {{"a", 10}, {"a.@items", 64}, {"b", 20}, {"b.@items", 128}}),
            "21..265");
  EXPECT_EQ(cost("l.all(x, true)", {{"l", "list(int)"}}), "2..*");
}

TEST(Estimate, Branches) {
  EXPECT_EQ(cost("a || b || c || d", {{"a", "bool"}, {"b", "bool"}, {"c", "bool"}, {"d", "bool"}}), "1..4");
  EXPECT_EQ(cost("c ? [1].size() : 1", {{"c", "bool"}}), "1..12");
}

TEST(Estimate, RegisteredBeforeNamedBeforeRow) {
  static constexpr NamedCost kNamed[] = {
      {"sets.contains",
       [](EstimateCall&) -> std::optional<CallEstimate> { return CallEstimate{{1000, 1000}}; }},
      {"size", [](EstimateCall& call) -> std::optional<CallEstimate> {
         if (call.has_receiver()) return std::nullopt;
         return CallEstimate{fixed_range(77)};
       }}};
  auto with_names = [](std::string_view text) {
    EnvironmentBuilder b = builder();
    b.options().named_costs = kNamed;
    return cost_in(std::move(b), text);
  };
  EXPECT_EQ(with_names("sets.contains([1], [1, 2])"), "23..23");
  EXPECT_EQ(with_names("size('a')"), "77..77");
  EXPECT_EQ(with_names("'a'.size()"), "1..1");
}

TEST(Estimate, DynIsTransparent) {
  EXPECT_EQ(cost("dyn('abc') == 'abc'"), "2..2");
  EXPECT_EQ(cost("dyn([1, 2]).exists(x, true)"), "20..20");
}

}  // namespace
}  // namespace portcullis
