// Idea: an iteration sets the variables anew and evaluates one expression with exact cost, as for a new request. What
// is written by hand reads the same variables from simdjson's DOM. Both check their answers.
#include "bench/cases.h"

#include <filesystem>

#include "bench/floors.h"
#include "bench/input.h"
#include "bench/one_case.h"
#include "interpreter/values/equal.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis::bench {
namespace {

using benchmark::State;

constexpr const char* kCases = SHARED_DIR "/bench/cases.json";

void evaluate_case(State& state, const Value& one) {
  OneCase made(find_member(one, "expr")->as_text(), *find_member(one, "vars"));
  const Value expected = *find_member(one, "expected");
  for (auto _ : state) {
    const Value value = made.evaluate().value;
    // What is written by hand compares a bool or a text with the operator of C++; so does this.
    if (value.raw_head() == expected.raw_head()) {
      if (value.raw_payload() == expected.raw_payload()) continue;
      if (value.is(Kind::String) && value.as_text() == expected.as_text()) continue;
    }
    if (!equals(value, expected, made.context().arena())) return state.SkipWithError("wrong value");
  }
}

void run_floor(State& state, Floor floor, const std::string& variables) {
  simdjson::dom::parser parser;
  const simdjson::dom::element root = parser.parse(variables);
  for (auto _ : state) {
    benchmark::DoNotOptimize(&root);
    if (!floor(root)) return state.SkipWithError("wrong value");
  }
}

const Value& all_cases() {
  static Arena arena;
  static const Value cases = std::filesystem::exists(kCases)
                                 ? read_json(read_input(kCases).view(), arena).value()
                                 : Value::list(nullptr, 0);
  return cases;
}

}  // namespace

void add_cases() {
  for (const Value& one : all_cases().as_list()) {
    const std::string name(find_member(one, "name")->as_text());
    benchmark::RegisterBenchmark(("cases/" + name).c_str(), evaluate_case, one);
    if (const Floor floor = find_floor(name))
      benchmark::RegisterBenchmark(("floor/" + name).c_str(), run_floor, floor,
                                   to_json(*find_member(one, "vars")));
  }
}

void print_case_ratios(const Reporter& reporter) {
  for (const Value& one : all_cases().as_list()) {
    const std::string name(find_member(one, "name")->as_text());
    reporter.print_ratio("cases/" + name, "cases/" + name, "floor/" + name);
  }
}

}  // namespace portcullis::bench
