// The virtual machine: runs verified bytecode.
//
// Idea: one loop over 16-byte instructions with a jump table. Cost is counted in a local variable;
// instructions that stand for several observed steps of one unit each add them at once, because a limit that
// is exceeded among them is exceeded at limit + 1. Nothing is thrown but by the bounds of memory,
// which end in run(); memory comes from the context's arena and register stack. Tested by
// interpreter/run/cel_test.cc, tests/language/costs.cel.
#pragma once

#include "interpreter/cel.h"
#include "interpreter/compile/bytecode.h"

namespace portcullis {

// What a Context holds.
struct Context::State {
  static constexpr size_t kRegisters = 4096;  // programs that need more take them from the arena

  Arena arena;
  RegexCache regexes;
  std::unique_ptr<Value[]> registers = std::make_unique<Value[]>(kRegisters);
  std::vector<std::unique_ptr<const Code>>
      kept;        // programs of explain(), whose constants results may refer to
  size_t top = 0;  // registers in use by evaluations that are under way
};

// Runs `code`. `watch` may be null.
Outcome run(const Code& code, Activation& activation, Context::State& state, const Limits& limits,
            Watch* watch);

}  // namespace portcullis
