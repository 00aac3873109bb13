#include "tests/debug.h"

#include <gtest/gtest.h>

#include "grammar/parse.h"

namespace portcullis {
namespace {

TEST(DebugPrint, IndentsArguments) {
  const Source source("f([a, 1u], {'k': b.c}) ? T{x: 1.0} : ''");
  EXPECT_EQ(debug_print(parse(source, {}).ast.root),
            "_?_:_(\n  f(\n    [\n      a,\n      1u\n    ],\n    {\n      \"k\":b.c\n    }\n  ),\n"
            "  T{\n    x:1\n  },\n  \"\"\n)");
}

TEST(DebugPrint, NamesKinds) {
  EXPECT_EQ(debug_print_kinds(parse(Source("-a"), {}).ast.root),
            "-_(\n  a^#2:*expr.Expr_IdentExpr#\n)^#1:*expr.Expr_CallExpr#");
}

TEST(DebugPrint, ShowsMacroCalls) {
  const MacroTable table(macros::standard());
  ParseOptions options;
  options.macros = &table;
  const Parsed parsed = parse(Source("has(a.b)"), options);
  EXPECT_EQ(debug_print_macro_calls(parsed.ast),
            "has(\n  a^#2:*expr.Expr_IdentExpr#.b^#3:*expr.Expr_SelectExpr#\n)^#4:has#");
}

}  // namespace
}  // namespace portcullis
