// Precedence, quoting, macros and wrapping. cel-go's own table is in suites_test.cc.
#include "grammar/unparse.h"

#include <gtest/gtest.h>

#include "grammar/parse.h"
#include "tests/debug.h"

namespace portcullis {
namespace {

const MacroTable kStandardMacros(macros::standard());

ParseOptions options() {
  ParseOptions out;
  out.macros = &kStandardMacros;
  out.optional_syntax = true;
  return out;
}

std::string again(const std::string& text, const UnparseOptions& unparse_options = {}) {
  const Parsed parsed = parse(Source(text), options());
  const Result<std::string> out = unparse(parsed.ast, unparse_options);
  return out ? *out : "error: " + out.error().text;
}

TEST(Unparse, PutsParenthesesWhereNeeded) {
  EXPECT_EQ(again("((a + b)) * c"), "(a + b) * c");
  EXPECT_EQ(again("a - (b - c)"), "a - (b - c)");
  EXPECT_EQ(again("(a - b) - c"), "a - b - c");
  EXPECT_EQ(again("a && (b && c)"), "a && b && c");
  EXPECT_EQ(again("(a ? b : c) ? d : e"), "(a ? b : c) ? d : e");
  EXPECT_EQ(again("!(a || b)"), "!(a || b)");
  EXPECT_EQ(again("(a + b).f(c)[d].e"), "(a + b).f(c)[d].e");
}

TEST(Unparse, WritesLiterals) {
  EXPECT_EQ(again("['é\\n', b'\\xff', 1u, 1e7, 1.0, -3, null]"),
            "[\"é\\n\", b\"\\377\", 1u, 1e+07, 1.0, -3, null]");
}

TEST(Unparse, QuotesFields) { EXPECT_EQ(again("a.`b-c`.?d[?e].`in`"), "a.`b-c`.?d[?e].`in`"); }

TEST(Unparse, WritesMacrosAsCalled) {
  EXPECT_EQ(again("has(a.b) && [1].all(x, x > 0 && c.exists(y, y == x))"),
            "has(a.b) && [1].all(x, x > 0 && c.exists(y, y == x))");
}

TEST(Unparse, WrapsLongLines) {
  UnparseOptions wrap;
  wrap.wrap_column = 3;
  EXPECT_EQ(again("aaaa && bbbb || c + d", wrap), "aaaa &&\nbbbb ||\nc + d");
  wrap.wrap_after_operator = false;
  wrap.wrap_operators = {operators::kAdd};
  EXPECT_EQ(again("aaaa && bbbb + c", wrap), "aaaa && bbbb\n+ c");
}

TEST(Unparse, RefusesSenselessOptions) {
  UnparseOptions bad;
  bad.wrap_column = 0;
  EXPECT_EQ(again("a", bad),
            "error: Invalid unparser option. Wrap column value must be greater than or equal to 1. "
            "Got 0 instead");
  bad.wrap_column = 1;
  bad.wrap_operators = {operators::kNegate};
  EXPECT_EQ(again("a", bad), "error: Invalid unparser option. Unary operators are unsupported: -_");
}

TEST(Unparse, NeedsRecordedMacros) {
  ParseOptions forget = options();
  forget.record_macro_calls = false;
  EXPECT_FALSE(unparse(parse(Source("[1].all(x, x > 0)"), forget).ast).ok());
  EXPECT_FALSE(unparse(Ast()).ok());
}

}  // namespace
}  // namespace portcullis
