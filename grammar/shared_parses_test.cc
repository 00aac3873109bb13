#include "grammar/shared_parses.h"

#include <gtest/gtest.h>

#include "grammar/unparse.h"
#include "tests/debug.h"

namespace portcullis {
namespace {

const MacroTable& standard() {
  static const MacroTable table(macros::standard());
  return table;
}

TEST(SharedParses, CopiesSayTheSame) {
  SharedParses parses;
  for (const char* text :
       {"a.b[0] + 'x'", "has(a.b) && c.all(x, x.y.exists(z, z > 1))", "{'a': [1, 2u], ?'b': c.?d}",
        "T{f: 1, g: b'x'}", "a ? b.map(x, x > 1, [x]) : [?c]", "-1 < a.f(1.5, true, null)"}) {
    Source source(text);
    ParseOptions options{.macros = &standard(), .optional_syntax = true};
    Parsed own = parse(source, options), copy = parses.copy(source, options);
    ASSERT_TRUE(own.ok()) << text;
    EXPECT_EQ(debug_print(copy.ast.root), debug_print(own.ast.root));
    EXPECT_EQ(debug_print_macro_calls(copy.ast), debug_print_macro_calls(own.ast));
    EXPECT_EQ(unparse(copy.ast).value(), unparse(own.ast).value());
    EXPECT_EQ(copy.ast.macro_calls.size(), own.ast.macro_calls.size());
    ASSERT_EQ(copy.ast.last_id(), own.ast.last_id());
    for (ExprId id = 1; id <= own.ast.last_id(); id++) {
      EXPECT_EQ(copy.ast.span(id).start, own.ast.span(id).start);
      EXPECT_EQ(copy.ast.span(id).stop, own.ast.span(id).stop);
    }
  }
}

TEST(SharedParses, AParseIsKeptForOptionsThatMeanTheSame) {
  SharedParses parses;
  Source source("has(a.b)");
  MacroTable other(macros::standard());
  const Parsed& first = parses.read(source, {.macros = &standard()});
  EXPECT_EQ(&parses.read(Source("has(a.b)"), {.macros = &other}), &first);
  EXPECT_NE(&parses.read(source, {}), &first);
  EXPECT_NE(&parses.read(source, {.macros = &standard(), .optional_syntax = true}), &first);
  other.add(macros::two_variable());
  EXPECT_NE(&parses.read(source, {.macros = &other}), &first);
  EXPECT_EQ(&parses.read(source, {.macros = &standard()}), &first);
}

TEST(SharedParses, AForgottenTextIsParsedAgain) {
  SharedParses parses;
  Source source("a + b"), other("c");
  parses.read(source, {});
  const Parsed& kept = parses.read(other, {});
  parses.forget("a + b");
  parses.forget("never read");
  EXPECT_EQ(&parses.read(other, {}), &kept);
  EXPECT_EQ(debug_print(parses.copy(source, {}).ast.root), debug_print(parse(source, {}).ast.root));
}

TEST(SharedParses, ErrorsAreKeptAsWell) {
  SharedParses parses;
  Source source("a +");
  EXPECT_EQ(render(source, parses.copy(source, {}).diagnostics),
            render(source, parse(source, {}).diagnostics));
  EXPECT_EQ(parses.copy(source, {}).ast.root, nullptr);
}

}  // namespace
}  // namespace portcullis
