// Trees and errors compared with cel-go's (tests/grammar/*.txt), limits, and hostile input.
#include "grammar/parse.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/debug.h"

namespace portcullis {
namespace {

const MacroTable& all_macros() {
  static const MacroTable table = [] {
    MacroTable out(macros::standard());
    for (const auto rows : {macros::optionals(), macros::bindings(), macros::two_variable(), macros::lists(),
                            macros::math(), macros::protos()}) {
      out.add(rows);
    }
    return out;
  }();
  return table;
}

ParseOptions all_options() {
  ParseOptions options;
  options.macros = &all_macros();
  options.optional_syntax = true;
  return options;
}

std::string errors_of(const std::string& text, const ParseOptions& options = all_options()) {
  const Source source(text);
  return render(source, parse(source, options).diagnostics);
}

std::string times(size_t count, const std::string& text) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

// The cases of a file under tests/grammar: "=== expression", then lines of what is expected.
std::vector<std::pair<std::string, std::string>> read_cases(const std::string& name) {
  std::ifstream file(std::string(SOURCE_DIR) + "/tests/grammar/" + name);
  EXPECT_TRUE(file.good()) << name;
  std::vector<std::pair<std::string, std::string>> out;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("=== ")) {
      out.emplace_back(line.substr(4), "");
    } else if (!out.empty()) {
      out.back().second += (out.back().second.empty() ? "" : "\n") + line;
    }
  }
  return out;
}

TEST(Parse, ReportsErrorsAsCelGo) {
  for (const auto& [expr, expected] : read_cases("errors.txt")) EXPECT_EQ(errors_of(expr), expected) << expr;
}

TEST(Parse, BuildsTheTreesOfCelGo) {
  // Twice: the first time the parser learns how (grammar/learned_rows.h), the second time it knows.
  auto cases = read_cases("trees.txt");
  for (auto& known : read_cases("trees.txt")) cases.push_back(known);
  for (auto [expr, expected] : cases) {
    if (const size_t end = expr.find("\\n "); end != std::string::npos) {
      for (size_t at; (at = expr.find("\\n")) != std::string::npos;) expr.replace(at, 2, "\n");
    }
    const Source source(expr);
    const Parsed parsed = parse(source, all_options());
    ASSERT_TRUE(parsed.ok()) << expr;
    std::string got = debug_print_locations(parsed.ast.root, parsed.ast, source);
    if (!parsed.ast.macro_calls.empty()) got += "\ncalls:\n" + debug_print_macro_calls(parsed.ast);
    EXPECT_EQ(got, expected) << expr;
  }
}

// Texts whose lexing and predictions nobody has learned, in several threads at once.
TEST(Parse, LearnsInAllThreads) {
  std::vector<std::string> texts;
  for (const std::string left : {"a.b", "x", ".y.z", "f(1)", "T{u: 1}", "m[0]", "b'é'", "-1", "!p"}) {
    for (const std::string op : {" + ", "<", " in ", "&&", "||", "\n%", " ? 'é' : ", "=="}) {
      texts.push_back(left + op + "c.d(e)." + std::string(1 + texts.size() % 7, 'n') + " // é");
    }
  }
  auto print = [&](std::string& out) {
    for (const std::string& text : texts) {
      const Source source(text);
      const Parsed parsed = parse(source, all_options());
      out += parsed.ok() ? debug_print_locations(parsed.ast.root, parsed.ast, source)
                         : render(source, parsed.diagnostics);
    }
  };
  std::array<std::string, 4> printed;
  {
    std::vector<std::jthread> threads;
    for (std::string& out : printed) threads.emplace_back([&print, &out] { print(out); });
  }
  std::string later;
  print(later);
  for (const std::string& out : printed) EXPECT_EQ(out, later);
}

TEST(Parse, TellsKindsOfLiterals) {
  const auto literal = [](const std::string& text) { return parse(Source(text), {}).ast.root->literal; };
  EXPECT_EQ(literal("null"), Literal(std::monostate()));
  EXPECT_EQ(literal("false"), Literal(false));
  EXPECT_EQ(literal("-0x10"), Literal(int64_t{-16}));
  EXPECT_EQ(literal("0xFFu"), Literal(uint64_t{255}));
  EXPECT_EQ(literal(".5e1"), Literal(5.0));
  EXPECT_EQ(literal("r'a\\n'"), Literal(std::string("a\\n")));
  EXPECT_EQ(literal("b'\\xff'"), Literal(BytesLiteral{"\xff"}));
  EXPECT_EQ(literal("'''a\r\nb'''"), Literal(std::string("a\nb")));
}

TEST(Parse, SpansCoverTheSource) {
  const Source source("a.b + foo(1, 'é')");
  const Parsed parsed = parse(source, {});
  const Expr* call = parsed.ast.root->args[1];
  EXPECT_EQ(source.slice(parsed.ast.span(call->id).start, parsed.ast.span(call->id).stop), "(");
  const Span text = parsed.ast.span(call->args[1]->id);
  EXPECT_EQ(source.slice(text.start, text.stop), "'é'");
}

TEST(Parse, TakesSyntaxThatIsOffForAnError) {
  ParseOptions options;
  EXPECT_EQ(errors_of("a.?b", options), "ERROR: <input>:1:2: unsupported syntax '.?'\n | a.?b\n | .^");
  EXPECT_EQ(errors_of("a[?b]", options), "ERROR: <input>:1:2: unsupported syntax '[?'\n | a[?b]\n | .^");
  EXPECT_EQ(errors_of("[?b]", options), "ERROR: <input>:1:2: unsupported syntax '?'\n | [?b]\n | .^");
  options.escape_idents = false;
  EXPECT_EQ(errors_of("a.`b`", options), "ERROR: <input>:1:3: unsupported syntax: '`'\n | a.`b`\n | ..^");
}

TEST(Parse, BuildsVariadicLogicOnRequest) {
  ParseOptions options;
  options.variadic_logic = true;
  EXPECT_EQ(parse(Source("a && b && c"), options).ast.root->args.size(), 3u);
}

TEST(Parse, EmptyTextHasNoPlace) {
  EXPECT_TRUE(
      errors_of("").starts_with("ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {"));
  EXPECT_EQ(errors_of("").find('\n'), std::string::npos);
}

TEST(Parse, KeepsByteOrderMarkAndInvalidUtf8) {
  EXPECT_EQ(errors_of("\uFEFF1"),
            "ERROR: <input>:1:1: Syntax error: token recognition error at: '\uFEFF'\n | \uFEFF1\n | ＾");
  EXPECT_EQ(parse(Source("'\xff'"), {}).ast.root->literal, Literal(std::string("\uFFFD")));
}

// --- Limits ---

TEST(ParseLimits, Size) {
  EXPECT_EQ(errors_of(std::string(100'001, 'a')),
            "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit 100000");
  EXPECT_TRUE(parse(Source("'" + times(99'998, "é") + "'"), {}).ok());
}

TEST(ParseLimits, Nesting) {
  const std::string expected = "ERROR: <input>:-1:0: expression recursion limit exceeded: 250";
  EXPECT_EQ(errors_of(times(249, "(") + "a" + times(249, ")")), "");
  EXPECT_EQ(errors_of(times(250, "(") + "a" + times(250, ")")), expected);
  EXPECT_EQ(errors_of(times(124, "(1+") + "a" + times(124, ")")), "");
  EXPECT_EQ(errors_of(times(125, "(1+") + "a" + times(125, ")")), expected);  // calc nests twice as fast
}

TEST(ParseLimits, LeftDepth) {
  EXPECT_EQ(errors_of("a" + times(250, ".a")), "");
  EXPECT_EQ(errors_of("a" + times(251, ".a")), "ERROR: <input>:-1:0: max recursion depth exceeded");
  EXPECT_EQ(errors_of("a" + times(9'999, "&&a")), "");  // balanced
}

TEST(ParseLimits, Recovery) {
  EXPECT_TRUE(errors_of(times(31, "a[1 2] + ") + "a").find("error recovery attempt limit exceeded: 30") !=
              std::string::npos);
  EXPECT_TRUE(errors_of(times(300, "a ")).find("-1:0: error recovery token lookahead limit exceeded: 256") !=
              std::string::npos);
}

TEST(ParseLimits, NumberOfErrors) {
  const std::string errors = errors_of(std::string(200, '@'));
  EXPECT_TRUE(errors.ends_with("\n1 more errors were truncated")) << errors;
}

TEST(ParseLimits, MacroCopies) {
  const std::string chain = "optional.of(1)";
  EXPECT_EQ(errors_of(chain + times(10, ".optMap(x, x)")), "");
  EXPECT_EQ(errors_of(chain + times(100, ".optMap(x, x)")),
            "ERROR: <input>:-1:0: macro expansion copies more than 200000 nodes");
}

// --- Hostile input: an error, without overflowing the stack; how soon is measured by bench/hostile.cc ---

TEST(ParseHostile, TenThousandOfAnything) {
  const std::vector<std::string> units = {"(",          "[",
                                          "{",          "!",
                                          "-",          "a.",
                                          "a+",         "a?",
                                          "a?b:",       "a<",
                                          "[1].all(x,", "a.f(",
                                          "{1:",        "T{a:",
                                          "a[",         "a&&",
                                          "?",          "\"",
                                          "'''",        "\\",
                                          "//",         "a b",
                                          ")",          "\n",
                                          "1.",         "\xF0\x9F\x98\x80",
                                          "`"};
  for (const std::string& unit : units) {
    EXPECT_FALSE(parse(Source(times(10'000, unit)), all_options()).ok()) << unit;
  }
}

}  // namespace
}  // namespace portcullis
