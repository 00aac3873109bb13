// Measures how long hostile texts take to be refused: ten thousand repetitions of anything. The time must
// grow only with the length.
//
// Tests check the answers (parse_test.cc, depth_test.cc, yaml_test.cc); the time is measured here, because on
// a busy machine it would fail a test. A time that grows with the square of the length takes minutes, so
// tests notice it by their timeout.
#include <string>

#include "bench/ratio.h"
#include "grammar/parse.h"
#include "interpreter/cel.h"
#include "interpreter/functions/libraries.h"
#include "interpreter/values/json.h"
#include "manifests/documents.h"
#include "typecheck/environment.h"

namespace portcullis::bench {
namespace {

using benchmark::State;

constexpr int kMany = 10'000;

std::string repeated(std::string_view text, int times = kMany) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

void refuse_expression(State& state, const std::string& text) {
  EnvironmentBuilder builder;
  builder.library(*find_standard_library("stdlib")).variable("a", types::kDyn);
  auto environment = *builder.build();
  for (auto _ : state) {
    if (compile(text, environment).ok()) return state.SkipWithError("compiles");
  }
}

void refuse_yaml(State& state, const std::string& text) {
  for (auto _ : state) {
    JsonReader reader;
    Arena arena;
    if (read_documents(text, reader, arena).ok()) return state.SkipWithError("is read");
  }
}

void add(const char* name, void (*run)(State&, const std::string&), const std::string& text) {
  benchmark::RegisterBenchmark(name, run, text)->Unit(benchmark::kMillisecond);
}

const bool kAdded = [] {
  add("hostile/parentheses", refuse_expression, repeated("("));
  add("hostile/conditionals", refuse_expression, repeated("a ? a : ") + "a");
  add("hostile/macros", refuse_expression, repeated("[1].map(a, "));
  add("hostile/selectors", refuse_expression, "a" + repeated(".a"));
  add("hostile/sums", refuse_expression, "a" + repeated("+a"));
  add("hostile/errors", refuse_expression, repeated("a b"));
  add("hostile/yaml-lists", refuse_yaml, repeated("[", 4 * kMany));
  add("hostile/yaml-mappings", refuse_yaml, repeated("{a: ", 4 * kMany));
  return true;
}();

}  // namespace
}  // namespace portcullis::bench
