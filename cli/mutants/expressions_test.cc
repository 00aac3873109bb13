// The changes of expressions.
#include "cli/mutants/expressions.h"

#include <gtest/gtest.h>

namespace portcullis {
namespace {

// One line for each change: "SORT: TEXT".
std::string changes(std::string_view text, const FieldsRead& fields = {}) {
  std::string out;
  for (const ExpressionChange& c : expression_changes(text, fields)) out += c.sort + ": " + c.text + "\n";
  return out;
}

TEST(ExpressionChanges, Relations) {
  EXPECT_EQ(changes("a < b"), "comparison: a <= b\ncomparison: a >= b\n");
  EXPECT_EQ(changes("a == b"), "comparison: a != b\n");
  EXPECT_EQ(changes("a in b"), "comparison: !(a in b)\n");
}

TEST(ExpressionChanges, Constants) {
  EXPECT_EQ(changes("a > 5"), "comparison: a >= 5\ncomparison: a <= 5\ninteger: a > 6\ninteger: a > 4\n");
  EXPECT_EQ(changes("a == ''"), "comparison: a != ''\ntext: a == \"x\"\n");
  EXPECT_EQ(changes("a.f('x', true)"), "text: a.f(\"\", true)\nboolean: a.f('x', false)\n");
  EXPECT_EQ(changes("9223372036854775807"), "integer: 9223372036854775806\n");
  EXPECT_EQ(changes("a in [1u, 2u]"),
            "comparison: !(a in [1u, 2u])\nelement: a in [2u]\nelement: a in [1u]\ninteger: a in [2u, 2u]\n"
            "integer: a in [0u, 2u]\ninteger: a in [1u, 3u]\ninteger: a in [1u, 1u]\n");
}

TEST(ExpressionChanges, OperandsOfAChainAreLeftOutOneByOne) {
  EXPECT_EQ(changes("a && (b || c) && d"),
            "operand: a && (b || c)\nlogic: (a || (b || c)) && d\noperand: (b || c) && d\noperand: a && "
            "d\noperand: a && (c) && d\n"
            "operand: a && (b) && d\nlogic: a && (b && c) && d\nlogic: a && (b || c) || d\n");
}

TEST(ExpressionChanges, GuardsAndNegations) {
  EXPECT_EQ(changes("has(a.b) && a.b"),
            "guard: a.b\noperand: has(a.b)\nnegation: !has(a.b) && a.b\nlogic: has(a.b) || a.b\n");
  EXPECT_EQ(changes("!has(a.b) || a.b"),
            "guard: a.b\noperand: !has(a.b)\nnegation: has(a.b) || a.b\nlogic: !has(a.b) && a.b\n");
}

TEST(ExpressionChanges, Quantifiers) {
  EXPECT_EQ(changes("a.all(x, x.startsWith(b))"),
            "quantifier: a.exists(x, x.startsWith(b))\nfunction: a.all(x, x.endsWith(b))\n");
}

TEST(ExpressionChanges, FieldsOfTheSamePolicyAreTakenForEachOther) {
  FieldsRead fields;
  note_fields("object.spec.a == 1 && object.spec.b == 2 && oldObject.c", fields);
  EXPECT_EQ(changes("object.spec.a == x", fields),
            "field: oldObject.spec.a == x\nfield: object.spec.b == x\ncomparison: object.spec.a != x\n");
  EXPECT_EQ(changes("c.limits.cpu == x"), "field: c.limits.memory == x\ncomparison: c.limits.cpu != x\n");
}

TEST(ExpressionChanges, LayoutAndCommentsStay) {
  EXPECT_EQ(changes("a // (\n == b"), "comparison: a // (\n != b\n");
  EXPECT_EQ(changes("[ a ,b ]"), "element: [b]\nelement: [a]\n");
  EXPECT_EQ(changes("a =="), "");
}

}  // namespace
}  // namespace portcullis
