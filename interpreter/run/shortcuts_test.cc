// Tests that the shortcuts of programs change no value, error or cost: explain() takes none. They keep what a loop
// reads of its variable, and read and test values at once.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "interpreter/cel.h"
#include "interpreter/functions/libraries.h"
#include "interpreter/values/json.h"
#include "typecheck/environment.h"

namespace portcullis {
namespace {

class NoWatch : public Watch {
  void on_value(ExprId, const Value&) override {}
};

std::string text_of(const Outcome& o) {
  const std::string value =
      o.value.is_error() ? "error " + std::string(o.value.as_error().message) : to_json(o.value);
  return value + " for " + std::to_string(o.cost);
}

// Each beginning is there, absent, null, of the wrong kind, or all of that in turn.
constexpr const char* kLists[] = {
    R"([{"a":{"b":{"c":true,"n":1},"x":"y"}}])",
    R"([{"a":{"b":{}}}, {"a":{}}, {}, {"a":null}, {"a":{"b":null}}, {"a":1}, {"a":{"b":[1]}}, 7, "s", null, []])",
    R"([{"a":{"b":{"c":false}}}, {"z":1,"a":{"z":2,"b":{"z":3,"c":true}}}, {"a":{"b":{"c":"no bool"}}}])",
    R"([{"a":{"b":7}}, {"a":{"b":{"c":true}}}])",
    R"([{"a":7}, {"a":{"b":{"c":true}}}])",
    R"([])",
    R"({"k":{"a":{"b":{"c":true}}}, "l":{"a":{}}})",
};
constexpr const char* kBodies[] = {
    "all(v, has(v.a) && has(v.a.b) && has(v.a.b.c) && v.a.b.c)",
    "exists(v, has(v.a.b) && v.a.b.c)",
    "all(v, !has(v.a) || !has(v.a.b) || v.a.b.c == true)",
    "all(v, v.a.b.c || v.a.b.c)",
    "exists_one(v, v.a.b.n == 1 || v.a.x == 'y')",
    "map(v, has(v.a) ? v.a : 'none')",
    "map(v, has(v.a.b), v.a.b)",
    "filter(v, (has(v.a.b) ? v.a.b : {'c': false}).c)",
    "all(v, [1, 2].all(w, has(v.a.b) && v.a.b.n + w > 0) || v.a.x == 'y')",
    "all(v, v.a.b.c ? v.a.b.n == 1 : v.a.b.n == 2)",
    "map(v, [v.a.b, v.a.x])",
    "map(v, cel.bind(w, v.a.b, w.c == v.a.b.c && v.a.x == 'y'))",
    "exists(v, v.a.b.c && v.a[v.a.x] == 1)",
    "map(v, v.?a.?b.c.orValue(v.a.b))",
    "all(k, v, has(v.a.b) && v.a.b.c)",
    "transformList(k, v, has(v.a.b), v.a.b)",
};

// `readings` are expressions of `x`, `values` what it is. Returns how many of the programs contain `opcode`.
int compare_with_explain(std::span<const std::string> readings, std::span<const char* const> values,
                         std::string_view opcode) {
  EnvironmentBuilder builder;
  for (const Library& library : standard_libraries()) builder.library(library);
  builder.options().constant_folding = true;  // else only all(), exists() and exists_one() are fused
  const auto environment = builder.variable("x", types::kDyn).build().value();
  NoWatch watch;
  int with_opcode = 0;
  for (const std::string& reading : readings) {
    SCOPED_TRACE(reading);
    const auto expression = compile(reading, environment);
    EXPECT_TRUE(expression.ok()) << expression.error().text;
    if (!expression.ok()) continue;
    const ProgramPtr program = make_program(*expression).value();
    with_opcode += program->disassemble().find(" " + std::string(opcode) + " ") != std::string::npos;
    for (const char* value : values) {
      SCOPED_TRACE(value);
      Arena arena;
      Activation activation(program->paths());
      activation.set("x", read_json(value, arena).value());
      Context context;
      const Outcome plain = explain(**expression, activation, context, watch);
      EXPECT_EQ(text_of(evaluate(*program, activation, context)), text_of(plain));
      for (uint64_t limit = 0; limit <= plain.cost; ++limit) {
        const Limits limits{.cost_limit = limit};
        EXPECT_EQ(text_of(evaluate(*program, activation, context, limits)),
                  text_of(explain(**expression, activation, context, watch, limits)))
            << "limit " << limit;
      }
    }
  }
  return with_opcode;
}

TEST(Shortcuts, KeptBeginningsChangeNoValueErrorOrCost) {
  std::vector<std::string> readings;
  for (const char* body : kBodies) readings.push_back(std::string("x.") + body);
  EXPECT_GE(compare_with_explain(readings, kLists, "Keep"), 14);
}

// What is read is x itself, a path of it, or a field of a loop's variable; a test ends an expression, a term of && or
// ||, or the condition of ?:.
TEST(Shortcuts, ReadingAndTestingAtOnceChangesNoValueErrorOrCost) {
  constexpr const char* kValues[] = {"3",
                                     "-7",
                                     "4",
                                     "3.0",
                                     "true",
                                     "false",
                                     "null",
                                     R"("ab")",
                                     R"("")",
                                     R"("abc")",
                                     R"("a text of more than 16")",
                                     R"("a text of more than 16 also")",
                                     R"(["ab"])",
                                     "{}",
                                     R"({"a":3})",
                                     R"({"a":"ab"})",
                                     R"({"a":"abcdefghijkl"})",
                                     R"({"a":true})",
                                     R"({"a":null})",
                                     R"({"a":2.5})",
                                     R"({"a":{"a":3}})",
                                     R"([{"a":3},{"a":"ab"},{"a":4},{},7])",
                                     R"([{"z":1,"a":"ab"},{"a":"xab"},{"a":false}])"};
  constexpr std::pair<const char*, std::string_view> kTests[] = {{" == 'ab'", "Equal"},
                                                                 {" != 'ab'", "Equal"},
                                                                 {" == ''", "Equal"},
                                                                 {" == 'a text of more than 16'", "Equal"},
                                                                 {" == 3", "Equal"},
                                                                 {" != 4", "Equal"},
                                                                 {" == true", "Equal"},
                                                                 {" == 2.5", ""},
                                                                 {" == null", ""},
                                                                 {" < 4", "Less"},
                                                                 {" <= 3", "Less"},
                                                                 {" > -7", "Less"},
                                                                 {" >= 4", "Less"},
                                                                 {" < 2.5", ""},
                                                                 {" < 'b'", ""},
                                                                 {".startsWith('ab')", "StartsWith"},
                                                                 {".startsWith('')", "StartsWith"},
                                                                 {".startsWith('abcdefghij')", "StartsWith"},
                                                                 {".endsWith('b')", "EndsWith"},
                                                                 {".endsWith('fghijkl')", "EndsWith"}};
  constexpr std::pair<const char*, const char*> kReads[] = {
      {"x", "Variable"}, {"x.a", "Path"}, {"v.a", "Field"}};
  for (const auto& [read, name] : kReads) {
    for (const auto& [test, kind] : kTests) {
      const std::string term = std::string(read) + test;
      std::vector<std::string> readings;
      for (const std::string& whole :
           {term, term + " && " + term + " && x != 1", "x == 1 || " + term + " || " + term,
            term + " ? 'yes' : " + term + " ? 'no' : 'none'", "!(" + term + ")"})
        readings.push_back(read[0] == 'v' ? "x.exists(v, " + whole + " == true)" : whole);
      if (read[0] == 'v')
        readings[3] = "x.map(v, " + term + " ? 'yes' : 'no')", readings[4] = "x.filter(v, " + term + ")";
      const int fused = compare_with_explain(readings, kValues, std::string(name) + std::string(kind));
      EXPECT_GE(fused, kind.empty() ? 0 : 4) << term;
    }
  }
}

// Chains of &&, || and ?:, where each term in turn passes, decides, fails, or is of another kind; also behind an
// operand that is computed, and is an error, or no bool.
TEST(Shortcuts, ChainsChangeNoValueErrorOrCost) {
  constexpr const char* kObjects[] = {
      R"({"s":"abcd","i":3,"b":true,"m":{"k":"v"},"z":1})",
      R"({"z":1,"i":3,"m":{"k":"w"},"s":"abcd","b":true})",
      R"({"s":"abcdefghijklm","i":3,"b":true,"m":{}})",
      R"({"s":"","i":3,"b":true,"m":{"k":""}})",
      R"({"s":"abcde","i":4,"b":false,"m":{"k":"v"}})",
      R"({"s":"xbcd","i":-9223372036854775808,"b":true,"m":{"k":"v"}})",
      R"({"s":"abcx","i":9223372036854775807,"b":true,"m":{"k":"v"}})",
      R"({"s":3,"i":"abcd","b":1,"m":[1]})",
      R"({"s":null,"i":3.0,"b":"true","m":null})",
      R"({"i":3,"b":true,"m":{"k":"v"}})",
      R"({"s":"abcd","b":true,"m":{"k":"v"}})",
      R"({"s":"abcd","i":3,"m":7})",
      R"({"s":"abcd","i":3,"b":true})",
      "{}",
      "[]",
      R"([{"s":"abcd","i":3,"b":true,"m":{"k":"v"}},{"i":3},{"s":"abcd","b":false},7])",
      "7"};
  constexpr const char* kTerms[] = {"%.s == 'abcd'",
                                    "%.s != 'abcd'",
                                    "%.s == 'abcdefghijklm'",
                                    "%.s != 'abcdefghijklm'",
                                    "%.s == ''",
                                    "%.s != ''",
                                    "%.s.startsWith('ab')",
                                    "!%.s.endsWith('bcd')",
                                    "%.s.endsWith('abcdefghi')",
                                    "%.i == 3",
                                    "%.i != 3",
                                    "%.i < 4",
                                    "%.i <= 3",
                                    "!(%.i > 3)",
                                    "%.i >= 3",
                                    "%.i < -9223372036854775808",
                                    "%.i <= 9223372036854775807",
                                    "%.b",
                                    "!%.b",
                                    "%.b == true",
                                    "%.b != true",
                                    "has(%.m)",
                                    "!has(%.b)",
                                    "has(%.m.k)",
                                    "!has(%.m.k)",
                                    "%.m.k == 'v'",
                                    "%.m.k != 'w'",
                                    "% == 7",
                                    "% != 7"};
  constexpr const char* kRest[] = {"%.i != 3", "has(%.b)", "%.s != 'abcde'"};
  std::vector<std::string> readings;
  for (const char* term : kTerms) {
    const std::string t = term, u = kRest[0], v = kRest[1], w = kRest[2];
    for (const std::string& whole :
         {t + " && " + v + " && " + w + " && " + t, u + " || " + t + " || !(" + t + ") || !(" + v + ")",
          "int(%.i) / 0 == 1 && " + t + " && " + v + " && " + w,
          "[%][0].b || " + u + " || " + t + " || !(" + w + ")",
          t + " ? 'a' : " + u + " ? 'b' : !(" + t + ") ? 'c' : " + v + " ? 'd' : 'e'",
          "(" + t + " && " + v + " && (" + u + " || " + t + " || !(" + t + "))) || !(" + w + ")"}) {
      for (const bool of_element : {false, true}) {
        std::string reading = of_element ? "x.map(v, " + whole + ")" : whole;
        for (size_t at; (at = reading.find('%')) != std::string::npos;)
          reading.replace(at, 1, of_element ? "v" : "x");
        readings.push_back(reading);
      }
    }
  }
  EXPECT_GE(compare_with_explain(readings, kObjects, "Chain"), 250);
}

}  // namespace
}  // namespace portcullis
