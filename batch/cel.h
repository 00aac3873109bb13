// Mode `cel` of the batch protocol: one expression per line, answered byte for byte as Kubernetes' own code
// does.
//
// Idea: a line becomes an EvalRequest, which `portcullis eval` also makes from its options. The Evaluator
// compiles, estimates and evaluates it, and keeps environments, since requests tend to have the same
// variables. Limits: `bench` is ignored (times are not compared). Tested by tests/conformance,
// fuzz/expressions.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace portcullis {

// Answers lines. Not thread-safe: each thread has its own.
class CelBatch {
 public:
  CelBatch();
  ~CelBatch();

  // The answer to one line, without line break; lines of other modes belong to batch/batch.h. Never fails: a
  // line that makes no sense is answered by `inputError`.
  std::string answer(std::string_view line);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace portcullis
