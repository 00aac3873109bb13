// Nesting: how deep the calls of evaluations in this thread are nested.
//
// Idea: functions that recurse over values, and evaluations that evaluate a variable, use the stack of the thread. JSON
// nests kMaxJsonDepth deep and an expression a few hundred levels, but variables and loops over the results of loops
// nest values without end. So each level is counted, and a level too many ends the evaluation with an error.
// Kubernetes has no such bound, because stacks of Go grow.
// Limits: kMost levels take less than 3 MiB of stack, so threads need 4 MiB (include/portcullis/cel.h says so).
// Tested by interpreter/run/depth_test.cc.
#pragma once

#include "interpreter/values/arena.h"

namespace portcullis {

// Thrown by Nesting; evaluate() turns it into an error value.
class NestedTooDeep : public BoundsExceeded {
 public:
  const char* what() const noexcept override { return "nested too deep"; }
};

// One level of calls, or several, while it lives.
class Nesting {
 public:
  // Values of JSON do not reach it, even within lists of an expression.
  static constexpr int kMost = 12'000;

  // Throws NestedTooDeep if there are more than kMost levels.
  explicit Nesting(int levels = 1) : levels_(levels) {
    if (all_ + levels > kMost) [[unlikely]]
      throw NestedTooDeep();
    all_ += levels;
  }
  ~Nesting() { all_ -= levels_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  static inline constinit thread_local int all_ = 0;
  int levels_;
};

}  // namespace portcullis
