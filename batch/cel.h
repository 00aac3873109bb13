// Mode `cel` of the batch protocol: one expression a line, answered byte for byte as
// Kubernetes' own code answers.
//
// Idea: a line becomes an EvalRequest, which `portcullis eval` makes of its options as well;
// evaluate_request compiles, estimates and evaluates it. Environments are kept, since requests tend to
// have the same variables. Limits: `bench` is ignored (times are never compared). Tested by
// tests/conformance, fuzz/expressions.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace portcullis {

// Answers lines one after the other. Not thread-safe: one per thread.
class CelBatch {
 public:
  CelBatch();
  ~CelBatch();

  // The answer to one line, without line break; lines of other modes go to batch/batch.h. Never fails:
  // what makes no sense is answered with `inputError`.
  std::string answer(std::string_view line);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace portcullis
