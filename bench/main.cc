// The benches of the engine: each part of a decision is timed alone, beside the same work written by hand.
//
// Idea: every case checks its answer, so nothing is fast because it is wrong. Google Benchmark prints the
// table; below it this file prints ratios and limits, one per line. ./dev bench runs it and passes arguments
// to Google Benchmark.
#include <simdjson.h>

#include <optional>

#include "bench/by_hand.h"
#include "bench/cases.h"
#include "bench/face.h"
#include "bench/input.h"
#include "bench/ratio.h"
#include "interpreter/values/json.h"

namespace portcullis::bench {
namespace {

using benchmark::State;

void fail(State& state, const char* what) { state.SkipWithError(what); }

void parse_simdjson(State& state) {
  const PaddedText text = read_input("pod.json");
  simdjson::dom::parser parser;
  for (auto _ : state) {
    simdjson::dom::element pod;
    if (parser.parse(text.memory.data(), text.size, false).get(pod)) return fail(state, "not JSON");
    benchmark::DoNotOptimize(pod);
  }
}
BENCHMARK(parse_simdjson)->Name("decode/simdjson-dom");

void decode(State& state) {
  const PaddedText text = read_input("pod.json");
  JsonReader reader;
  Arena arena;
  for (auto _ : state) {
    arena.reset();
    Result<Value> pod = reader.read(text.view(), arena);
    if (!pod.ok()) return fail(state, "not JSON");
    benchmark::DoNotOptimize(*pod);
  }
  if (to_json(reader.read(text.view(), arena).value()) != to_json(read_json(text.view(), arena).value())) {
    fail(state, "wrong value");
  }
}
BENCHMARK(decode)->Name("decode/values");

void five_by_hand(State& state) {
  const PaddedText text = read_input("pod.json");
  HandWritten hand;
  if (!hand.parse(text.memory.data(), text.size)) return fail(state, "not JSON");
  for (auto _ : state) {
    if (hand.passed() != 5) return fail(state, "wrong decision");
  }
}
BENCHMARK(five_by_hand)->Name("five-checks/hand-written");

// The five programs, and what a thread needs to run them.
struct Five {
  std::vector<ProgramPtr> programs;
  std::optional<Activation> activation;
  Context context;
  uint32_t object = 0;

  Five() {
    auto paths = std::make_shared<PathTable>();
    const auto environment = policy_environment();
    for (const std::string& text : five_expressions()) {
      programs.push_back(make_program(compile(text, environment).value(), {.paths = paths}).value());
    }
    object = paths->find_variable("object");
    activation.emplace(paths);
  }

  // The cost of all five checks on a new object; 0 if one of them is not true.
  uint64_t cost(const Value& pod) {
    context.reset();
    activation->set(object, pod);
    uint64_t sum = 0;
    for (const ProgramPtr& program : programs) {
      const Outcome outcome = evaluate(*program, *activation, context, {.cost_limit = 1'000'000});
      if (!outcome.value.is_true()) return 0;
      sum += outcome.cost;
    }
    return sum;
  }
};

void five_checks(State& state) {
  Arena arena;
  const Value pod = read_json(read_input("pod.json").view(), arena).value();
  Five five;
  for (auto _ : state) {
    if (five.cost(pod) != kFiveCost) return fail(state, "wrong value or cost");
  }
}
BENCHMARK(five_checks)->Name("five-checks/evaluate");

void decode_and_check(State& state) {
  const PaddedText text = read_input("pod.json");
  JsonReader reader;
  Arena arena;
  Five five;
  for (auto _ : state) {
    arena.reset();
    if (five.cost(*reader.read(text.view(), arena)) != kFiveCost) return fail(state, "wrong value or cost");
  }
}
BENCHMARK(decode_and_check)->Name("decode-and-five-checks/values");

void decode_and_check_by_hand(State& state) {
  const PaddedText text = read_input("pod.json");
  HandWritten hand;
  for (auto _ : state) {
    if (!hand.parse(text.memory.data(), text.size) || hand.passed() != 5)
      return fail(state, "wrong decision");
  }
}
BENCHMARK(decode_and_check_by_hand)->Name("decode-and-five-checks/hand-written");

void review(State& state) {
  Arena arena;
  const auto engine = Engine::load(five_policies(arena)).value();
  const AdmissionRequest request = pod_request(read_json(read_input("pod.json").view(), arena).value());
  ReviewContext context;
  Decision decision;
  for (auto _ : state) {
    engine->review(request, context, decision);
    if (!decision.allowed || decision.policies_matched != 5) return fail(state, "wrong decision");
  }
}
BENCHMARK(review)->Name("review/five-policies");

void review_by_the_face(State& state) {
  const auto engine = five_behind_the_face();
  v1::Memory memory;
  const v1::Request request = pod_request(*memory.read_json(read_input("pod.json").view()));
  v1::Context context;
  for (auto _ : state) {
    const v1::Decision& decision = engine->review(request, context);
    if (!decision.allowed || decision.policies_matched != 5) return fail(state, "wrong decision");
  }
}
BENCHMARK(review_by_the_face)->Name("review/five-policies-by-the-face");

// A request that no policy matches: the cost of matching alone.
void match(State& state) {
  Arena arena;
  const auto engine = Engine::load(five_policies(arena)).value();
  AdmissionRequest request = pod_request(read_json(read_input("pod.json").view(), arena).value());
  request.operation = Operation::Delete;
  ReviewContext context;
  Decision decision;
  for (auto _ : state) {
    engine->review(request, context, decision);
    if (!decision.allowed || decision.policies_matched != 0) return fail(state, "wrong decision");
  }
}
BENCHMARK(match)->Name("match/five-policies");

void load(State& state) {
  Arena arena;
  const Cluster cluster = five_policies(arena);
  for (auto _ : state) {
    if (Engine::load(cluster).value()->policy_count() != 5) return fail(state, "not all loaded");
  }
}
BENCHMARK(load)->Name("load/five-policies")->Unit(benchmark::kMicrosecond);

void compile_five(State& state) {
  const auto environment = policy_environment();
  const std::vector<std::string> texts = five_expressions();
  for (auto _ : state) {
    for (const std::string& text : texts) {
      if (!compile(text, environment).ok()) return fail(state, "does not compile");
    }
  }
}
BENCHMARK(compile_five)->Name("parse-and-check/five-expressions")->Unit(benchmark::kMicrosecond);

void make_five(State& state) {
  const auto environment = policy_environment();
  std::vector<ExpressionPtr> expressions;
  for (const std::string& text : five_expressions())
    expressions.push_back(compile(text, environment).value());
  for (auto _ : state) {
    for (const ExpressionPtr& expression : expressions) {
      if (!make_program(expression).ok()) return fail(state, "no program");
    }
  }
}
BENCHMARK(make_five)->Name("bytecode/five-expressions")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace portcullis::bench

int main(int argc, char** argv) {
  // Defaults for a machine with other work on it; options of the caller come later and win.
  std::vector<char*> args(argv, argv + argc);
  for (std::string_view option : {"--benchmark_min_time=0.05", "--benchmark_repetitions=7",
                                  "--benchmark_enable_random_interleaving=true"}) {
    args.insert(args.begin() + 1, const_cast<char*>(option.data()));
  }
  argc = static_cast<int>(args.size());
  argv = args.data();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  portcullis::bench::add_cases();
  portcullis::bench::Reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  reporter.print_table();
  reporter.print_ratio("decode/simdjson", "decode/values", "decode/simdjson-dom");
  reporter.print_ratio("five-checks/hand-written", "five-checks/evaluate", "five-checks/hand-written");
  reporter.print_ratio("decode-and-five-checks/hand-written", "decode-and-five-checks/values",
                       "decode-and-five-checks/hand-written");
  portcullis::bench::print_case_ratios(reporter);
  reporter.print_limit("normalize/pod", portcullis::bench::kWantedPod);
  return reporter.failed() ? 1 : 0;
}
