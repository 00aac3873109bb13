// The parser cases of cel-go (shared conformance data): trees with ids, error texts, unparsed text, escapes.
//
// The data does not name the parser options of a case. A case passes if one of the settings below gives the
// expected outcome; cel-go's own tests use these settings. Without the data the tests are skipped with a
// note.
//
// The tables do not say with which parser options a case is run; the source uses the settings below, so a
// case must hold in one of them. Skipped with a note where the data is not there.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <filesystem>
#include <string>
#include <vector>

#include "grammar/literal.h"
#include "grammar/parse.h"
#include "grammar/unparse.h"
#include "tests/debug.h"

namespace portcullis {
namespace {

const MacroTable kMacros(macros::parser());

// The limits of cel-go's own test, which keep its cases of error recovery short.
ParseOptions suite_options() {
  ParseOptions options;
  options.macros = &kMacros;
  options.limits.recursion = 32;
  options.limits.recoveries = 4;
  options.limits.lookahead = 4;
  return options;
}

std::vector<ParseOptions> suite_settings() {
  std::vector<ParseOptions> out(6, suite_options());
  out[1].optional_syntax = true;
  out[2].escape_idents = false;
  out[3].hidden_accumulator = false;
  out[4].limits.recoveries = out[4].limits.lookahead = 10;
  out[5].macros = nullptr;
  return out;
}

// Removes whitespace: the cases are compared without it.
std::string squeezed(std::string_view text) {
  std::string out(text);
  std::erase_if(out, [](char c) { return c == ' ' || c == '\n' || c == '\t'; });
  return out;
}

std::string outcome(const std::string& text, const ParseOptions& options) {
  const Source source(text);
  const Parsed parsed = parse(source, options);
  return squeezed(parsed.ok() ? debug_print_kinds(parsed.ast.root) : render(source, parsed.diagnostics));
}

class Suite : public testing::Test {
 protected:
  // Calls check(id, expr, expect) for each case of cel-go-core/<name>.json.
  template <class Check>
  void each(const std::string& name, Check check) {
    const std::string path = std::string(SHARED_DIR) + "/conformance/cel-go-core/" + name + ".json";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no data at " << path;
    simdjson::dom::parser parser;
    simdjson::dom::element document = parser.load(path);
    for (const simdjson::dom::element each : document["tests"]) {
      check(std::string(each["id"]), std::string(each["expr"]), each["expect"]);
    }
  }
};

TEST_F(Suite, Parser) {
  each("parser", [](const std::string& id, const std::string& expr, simdjson::dom::element expect) {
    std::string_view want;
    if (expect["ast_debug"].get(want) != simdjson::SUCCESS) want = expect["error"]["text"];
    const std::string expected = squeezed(want);
    for (const ParseOptions& options : suite_settings()) {
      if (outcome(expr, options) == expected) return;
    }
    ADD_FAILURE() << id << "\n got " << outcome(expr, suite_options()) << "\nwant " << expected;
  });
}

TEST_F(Suite, Unparser) {
  each("unparser", [](const std::string& id, const std::string& expr, simdjson::dom::element expect) {
    std::string got;
    for (const bool record : {true, false}) {
      ParseOptions options;
      options.macros = &kMacros;
      options.optional_syntax = true;
      options.record_macro_calls = record;
      const Parsed parsed = parse(Source(expr), options);
      ASSERT_TRUE(parsed.ok()) << id << ": " << render(Source(expr), parsed.diagnostics);
      const Result<std::string> text = unparse(parsed.ast);
      got = text ? *text : text.error().text;
      if (text && *text == std::string_view(expect["unparsed"])) return;
    }
    ADD_FAILURE() << id << "\n got " << got << "\nwant " << std::string_view(expect["unparsed"]);
  });
}

TEST_F(Suite, Unescape) {
  each("unescape", [](const std::string& id, const std::string& expr, simdjson::dom::element expect) {
    const Result<std::string> got = unescape(expr, false);
    std::string_view want;
    if (expect["value"]["string"].get(want) == simdjson::SUCCESS) {
      ASSERT_TRUE(got.ok()) << id << ": " << got.error().text;
      EXPECT_EQ(*got, want) << id;
    } else {
      ASSERT_FALSE(got.ok()) << id;
      EXPECT_NE(got.error().text.find(std::string_view(expect["error"]["text"])), std::string::npos) << id;
    }
  });
}

}  // namespace
}  // namespace portcullis
