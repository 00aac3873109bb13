// Idea: an iteration sets the variables anew and evaluates one expression with exact cost, as for a new request. What
// is written by hand reads the same variables from simdjson's DOM. Both check their answers.
#include "bench/cases.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "admission/expressions/environment.h"
#include "bench/floors.h"
#include "bench/input.h"
#include "interpreter/values/equal.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"
#include "typecheck/environment.h"

namespace portcullis::bench {
namespace {

using benchmark::State;

constexpr const char* kCases = SHARED_DIR "/bench/cases.json";

// The variables of the cases are dynamic, as `object` and `params` are.
std::shared_ptr<const Environment> environment_of(const Value& variables) {
  EnvironmentBuilder builder(stored_environment());
  for (const MapEntry& entry : variables.as_map()) builder.variable(entry.key.as_text(), types::kDyn);
  return builder.build().value();
}

void evaluate_case(State& state, const Value& one) {
  const auto environment = environment_of(*find_member(one, "vars"));
  const ProgramPtr program =
      make_program(compile(find_member(one, "expr")->as_text(), environment).value()).value();
  std::vector<std::pair<uint32_t, Value>> variables;
  for (const MapEntry& entry : find_member(one, "vars")->as_map())
    variables.emplace_back(program->paths()->find_variable(entry.key.as_text()), entry.value);
  Activation activation(program->paths());
  Context context;
  const Value expected = *find_member(one, "expected");
  for (auto _ : state) {
    context.reset();
    for (const auto& [number, value] : variables) activation.set(number, value);
    const Outcome outcome = evaluate(*program, activation, context, {.cost_limit = 10'000'000});
    if (!equals(outcome.value, expected, context.arena())) return state.SkipWithError("wrong value");
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
