// The parts of an expression whose outcomes coverage shows, as they are written.
//
// Idea: what a watched program tells are the nodes that cel-go evaluates; the parts are those of them that a person
// wrote, without literals, steps of paths, loop variables and what macros make. A branch of `?:` that is a path is told
// by nobody: it was evaluated where the test chose it. A chain `a && b && c` is one part with three operands.
// Tested by cli/coverage/parts_test.cc.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "interpreter/cel.h"

namespace portcullis {

struct CoveragePart {
  enum class Kind : uint8_t {
    Test,    // a bool: true and false count
    Choice,  // an optional that orValue, optMap or the like looks into: present and absent count
    Value,   // any other: shown, but does not count
  };
  ExprId node = 0;
  Kind kind = Kind::Value;
  bool counts =
      false;  // its outcomes are goals; not those of the whole, which has its own, and of `!x`, which are those of x
  int parent = -1;          // index of the part that it belongs to
  int start = 0, stop = 0;  // its code points in the text
  std::string text;         // as CEL
  int range = -1;           // of a loop: index of the part that it loops over; -1: none
  int test = -1;  // of an unobserved branch: index of the condition that chooses it, by the outcome `chosen`
  bool chosen = false;
};

// Parents precede their parts; the first is the whole expression. `watched`: the nodes that a program tells.
std::vector<CoveragePart> coverage_parts(const Expression& expression, std::span<const ExprId> watched);

}  // namespace portcullis
