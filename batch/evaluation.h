// EvalRequest: one expression with all that its answer depends on, and how it is answered.
//
// Idea: mode `cel` of the batch protocol reads one off a line, `portcullis eval` makes one of its options;
// both are answered by the same Evaluator, so that what a person sees is what is compared with Kubernetes.
// Source of behaviour: apiserver pkg/admission/plugin/cel (environment, limits), cel-go.
// Tested by tests/conformance, fuzz/expressions, tests/cli.py.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/authorization/authorizer.h"
#include "grammar/result.h"
#include "interpreter/cel.h"
#include "interpreter/values/value.h"

namespace portcullis {

// Which libraries are in force (the protocol's `env`).
enum class EvalEnvironment : uint8_t {
  Stored,     // what the admission plugins use
  New,        // what new expressions get at `version`
  Libraries,  // that of the cost tests of Kubernetes' libraries: nothing folded, literals may mix types
};

struct EvalRequest {
  std::string expression;
  std::map<std::string, std::string> types;           // name -> type, in the notation of the protocol
  std::vector<std::pair<std::string, Value>> plain;   // values as plain JSON, converted to the declared type
  std::vector<std::pair<std::string, Value>> tagged;  // values as tagged JSON
  EvalEnvironment environment = EvalEnvironment::Stored;
  std::string version;  // compatibility version; empty: the default of the API server
  std::string container;
  bool patch_types = false;
  bool check_only = false;
  // Refuse plain values that are not of the declared type; Kubernetes would take them as they are.
  bool match_types = false;
  std::optional<uint64_t> cost_limit;  // default: Kubernetes' limit per call
  std::map<std::string, uint64_t, std::less<>> size_hints;
  Value authz, user_info;                  // as in the protocol; null: nothing
  const Authorizer* authorizer = nullptr;  // in place of `authz`, asked about `user` in place of `user_info`
  UserInfo user;
};

struct EvalAnswer {
  std::string compile_error;  // all of cel-go's display
  std::optional<Value> value;
  std::string eval_error;
  bool failed = false;  // eval_error holds (it may be an empty text)
  std::optional<uint64_t> cost;
  std::optional<std::pair<uint64_t, uint64_t>> estimate;
  std::string output_type;
};

// Answers requests one after the other and keeps their environments. One per thread.
class Evaluator {
 public:
  Evaluator();
  ~Evaluator();

  // An Error is what the protocol calls an input error: an unknown type, a value that does not fit. Values of
  // the answer live in `arena` or until the next call.
  Result<EvalAnswer> answer(const EvalRequest& request, Arena& arena);

  // With `watch`, every subexpression that is evaluated is reported; `expression` is set
  // to what was compiled.
  Result<EvalAnswer> explain(const EvalRequest& request, Arena& arena, Watch& watch,
                             ExpressionPtr* expression);

 private:
  struct State;
  Result<EvalAnswer> run(const EvalRequest& request, Arena& arena, Watch* watch, ExpressionPtr* expression);
  std::unique_ptr<State> state_;
};

// The members of an answer as the protocol writes them, as one JSON object (cel.cc).
std::string answer_json(const EvalAnswer& answer);

}  // namespace portcullis
