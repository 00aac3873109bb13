// EvalRequest: one expression with everything that its answer depends on; Evaluator answers it.
//
// Idea: mode `cel` of the batch protocol reads a request from a line, `portcullis eval` makes one from its
// options. The same Evaluator answers both, so people see what is compared with Kubernetes.
// Source of behaviour: apiserver pkg/admission/plugin/cel (environment, limits), cel-go.
// Tested by tests/conformance, fuzz/expressions, tests/cli.py.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "admission/authorization/authorizer.h"
#include "grammar/result.h"
#include "interpreter/cel.h"
#include "interpreter/values/value.h"

namespace portcullis {

// The libraries in force (`env` of the protocol).
enum class EvalEnvironment : uint8_t {
  Stored,     // those of the admission plugins
  New,        // those of new expressions at `version`
  Libraries,  // those of the cost tests of Kubernetes' libraries: nothing is folded, literals may mix types
};

struct EvalRequest {
  std::string expression;
  std::map<std::string, std::string> types;           // name -> type, in the notation of the protocol
  std::vector<std::pair<std::string, Value>> plain;   // values as plain JSON, converted to the declared type
  std::vector<std::pair<std::string, Value>> tagged;  // values as tagged JSON
  EvalEnvironment environment = EvalEnvironment::Stored;
  std::string version;  // compatibility version; empty: the API server's default
  std::string container;
  bool patch_types = false;
  bool check_only = false;
  // Whether to refuse plain values that do not have the declared type; Kubernetes would accept them.
  bool match_types = false;
  std::optional<uint64_t> cost_limit;  // default: Kubernetes' limit per call
  std::map<std::string, uint64_t, std::less<>> size_hints;
  Value authz, user_info;                  // as in the protocol; null: absent
  const Authorizer* authorizer = nullptr;  // replaces `authz`; then `user` replaces `user_info`
  UserInfo user;
};

struct EvalAnswer {
  std::string compile_error;  // the whole display of cel-go
  std::optional<Value> value;
  std::string eval_error;
  bool failed = false;  // `eval_error` is valid (it may be empty)
  std::optional<uint64_t> cost;
  std::optional<std::pair<uint64_t, uint64_t>> estimate;
  std::string output_type;
};

// Answers requests and keeps their environments. Each thread has its own.
class Evaluator {
 public:
  Evaluator();
  ~Evaluator();

  // Fails with what the protocol calls an input error: an unknown type, a value that does not fit. Values of
  // the answer live in `arena` or until the next call.
  Result<EvalAnswer> answer(const EvalRequest& request, Arena& arena);

  // The same; also reports every evaluated subexpression to `watch`, and sets `expression` to the compiled
  // one.
  Result<EvalAnswer> explain(const EvalRequest& request, Arena& arena, Watch& watch,
                             ExpressionPtr* expression);

 private:
  struct State;
  Result<EvalAnswer> run(const EvalRequest& request, Arena& arena, Watch* watch, ExpressionPtr* expression);
  std::unique_ptr<State> state_;
};

// An answer as the protocol writes it: one JSON object (cel.cc).
std::string answer_json(const EvalAnswer& answer);

}  // namespace portcullis
