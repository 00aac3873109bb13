// Answers the lines of README.md with Portcullis, and with what a person would write by hand.
//
// Usage: ours [--floor | --count]
// Plain: the time of an evaluation and of a compilation, and the allocations of one evaluation. --floor: the time of the
// case by hand (floors.h; `id` is its name). --count: only evaluates, for callgrind, which counts the instructions in
// `evaluate_hundred`.
#include <chrono>
#include <iostream>
#include <string>

#include "bench/counted_new.h"
#include "bench/floors.h"
#include "bench/one_case.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWarmUp = 3, kHundred = 100;

template <class Call>
double nanoseconds(Call call, long calls) {
  const Clock::time_point start = Clock::now();
  for (long i = 0; i < calls; ++i) call();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

// Nanoseconds of a call: as many calls as fill the time.
template <class Call>
double measure(double milliseconds, Call call) {
  for (long calls = 1;; calls *= 2) {
    const double taken = nanoseconds(call, calls);
    if (taken >= milliseconds * 1e6) return taken / static_cast<double>(calls);
  }
}

std::string line_of(std::string_view value, double eval) {
  return "{\"value\":" + std::string(value) + ",\"evalNs\":" + std::to_string(eval);
}

[[gnu::noinline]] void evaluate_hundred(OneCase& one) {
  for (int i = 0; i < kHundred; ++i) one.evaluate();
}

std::string count(const Value& asked) {
  OneCase one(find_member(asked, "expr")->as_text(), *find_member(asked, "vars"));
  for (int i = 0; i < kWarmUp; ++i) one.evaluate();
  evaluate_hundred(one);
  return "{\"counted\":" + std::to_string(kHundred) + "}";
}

std::string ours(const Value& asked, double milliseconds) {
  const std::string_view text = find_member(asked, "expr")->as_text();
  const Value& variables = *find_member(asked, "vars");
  OneCase one(text, variables);
  const std::string value = to_json(one.evaluate().value);
  for (int i = 0; i < kWarmUp; ++i) one.evaluate();
  const size_t before = allocations;
  one.evaluate();
  const size_t allocated = allocations - before;
  const double eval = measure(milliseconds, [&] { one.evaluate(); });
  const auto environment = environment_of(variables);
  const double made =
      measure(milliseconds, [&] { (void)make_program(compile(text, environment).value()).value(); });
  return line_of(value, eval) + ",\"compileNs\":" + std::to_string(made) +
         ",\"allocations\":" + std::to_string(allocated) + "}";
}

std::string by_hand(const Value& asked, double milliseconds) {
  const Floor floor = find_floor(find_member(asked, "id")->as_text());
  if (!floor) return "{\"error\":\"not written by hand\"}";
  simdjson::dom::parser parser;
  const simdjson::dom::element root = parser.parse(to_json(*find_member(asked, "vars")));
  bool passed = true;
  const double eval = measure(milliseconds, [&] {
    asm volatile("" : : "r"(&root) : "memory");
    passed &= floor(root);
  });
  // A floor checks its result itself.
  return line_of(passed ? to_json(*find_member(asked, "expected")) : "null", eval) + "}";
}

std::string answer(const std::string& line, std::string_view mode) {
  Arena arena;
  const Result<Value> asked = read_json(line, arena);
  if (!asked.ok()) return "{\"error\":\"not JSON\"}";
  if (mode == "--count") return count(*asked);
  const double milliseconds = static_cast<double>(find_member(*asked, "bench")->as_int());
  return mode == "--floor" ? by_hand(*asked, milliseconds) : ours(*asked, milliseconds);
}

}  // namespace
}  // namespace portcullis::bench

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  for (std::string line; std::getline(std::cin, line);)
    std::cout << portcullis::bench::answer(line, mode) << std::endl;
}
