// The virtual machine: runs verified bytecode.
//
// Idea: each of the 16-byte instructions is a function that ends with a call of the next one (machine.h). The cost
// is one of its parameters. An instruction that stands for several steps of one unit each adds them at once; if that
// exceeds the limit, the cost becomes limit + 1, as it would step by step. Memory comes from the context's arena and
// register stack. Only the bounds of memory and steps throw, and run() catches that.
// Tested by interpreter/run/cel_test.cc, tests/language/costs.cel.
#pragma once

#include "interpreter/cel.h"
#include "interpreter/compile/bytecode.h"

namespace portcullis {

// The content of a Context.
struct Context::State {
  static constexpr size_t kRegisters = 4096;  // a program that needs more takes them from the arena

  Arena arena;
  RegexCache regexes;
  std::unique_ptr<Value[]> registers = std::make_unique<Value[]>(kRegisters);
  std::vector<std::unique_ptr<const Code>>
      kept;        // programs of explain(); results may refer to their constants
  size_t top = 0;  // registers in use by running evaluations
};

// Runs `code`. `watch` may be null.
Outcome run(const Code& code, Activation& activation, Context::State& state, const Limits& limits,
            Watch* watch);

}  // namespace portcullis
