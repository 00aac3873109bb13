// Function: the one row that holds everything about an overload. Library: a table of such rows.
//
// Idea: a function is written once, as a row in the table of its domain (interpreter/functions/*.cc,
// admission/functions/*.cc). Everything else derives from the rows: the checker's overloads and the
// candidates in "no matching overload", the compiler's calls, run-time cost and static estimate,
// docs/functions.md, `portcullis functions`, the fuzz dictionary, and a test that runs every example. Value
// and CallContext are only declared here, because typecheck must not include interpreter.
// Tested by tests/examples.cc (every row has documentation and an example; every example runs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "grammar/macros.h"
#include "typecheck/validate.h"

namespace portcullis {

class Value;          // interpreter/values/value.h
class CallContext;    // interpreter/functions/call.h: arena, error texts, the regex cache, the authorizer
class EstimateCall;   // typecheck/cost.h: sizes and literals of the arguments
struct CallEstimate;  // typecheck/cost.h: cost {min,max} and, where known, the size of the result

// Runs an overload. `args[0]` of a member call is the receiver. Arguments are neither errors nor unknowns,
// and have the run-time kinds of the signature. Returns a value of kind Error on failure.
using Call = Value (*)(CallContext& context, const Value* args, size_t count);

// The run-time cost of a call that returned `result`. Arguments may be errors, which have size 1.
using ActualCost = uint64_t (*)(const Value* args, size_t count, const Value& result);
// The static cost of a call, without the cost of its arguments.
using StaticCost = CallEstimate (*)(EstimateCall& call);

struct Cost {
  ActualCost actual = nullptr;    // null: 1
  StaticCost estimate = nullptr;  // null: {1, 1}
  std::string_view text = "1";    // for docs: "receiver/10 rounded up"
};

// Properties of a row that optimisations and dispatch depend on.
enum FunctionFlags : uint16_t {
  kPureFunction = 0,
  kLateBound = 1,  // the result depends on more than the arguments (authorizer): never folded, never shared
  // The row's cost comes before an environment's costs by name (cel-go: registered overload trackers).
  kCostRegistered = 2,
  kSelfChecked = 4,     // the callable checks the kinds of its arguments itself
  kUnguarded = 8,       // cel-go: type guards disabled; its errors do not name arguments that do not fit
  kStopsAtErrors = 16,  // planned like a call with more arguments than two: the first error is the result
  kFixedBySecond = 32,  // the cost may depend on the second argument alone
  // The second argument is a pattern, which the compiler compiles if it is a constant: always, or only when
  // it folds constants.
  kPattern = 64,
  kPatternIfFolded = 128,
  // May take more time than its arguments are long: not called if its cost exceeds the limit whatever the result.
  kSlow = 256,
};

// Functions without a callable, because they look at errors, containers or types. The machine runs them; Or,
// OrValue and Block are planned by the compiler.
enum class Builtin : uint8_t { None, Not, NotStrictlyFalse, In, Size, Type, Dyn, Or, OrValue, Block };

// A function that is a singleton in cel-go: one implementation examines its operands, whichever overload the
// checker chose.
struct Singleton {
  uint32_t kinds = 0;        // bits of the kinds allowed for its first operand (call.h); 0: not a singleton
  Call otherwise = nullptr;  // runs if the operands fit no overload; null: "no such overload"
};

struct Function {
  std::string_view id;         // overload id of cel-go, "starts_with_string"
  std::string_view signature;  // "string.startsWith(string) -> bool", "size(list(A)) -> int"; see signature.h
  Call call = nullptr;         // null: see `builtin`, or the compiler plans it (&&, ||, ?:, ==, index, ...)
  Cost cost = {};
  uint16_t flags = kPureFunction;
  uint8_t since = 0;               // the first library version that has it
  uint8_t until = 255;             // the first library version without it
  std::string_view doc = {};       // one line
  std::string_view examples = {};  // lines "expr  // => value" in the notation of tests/language
  // Properties of the function; any of its rows may state them.
  Builtin builtin = Builtin::None;
  Singleton singleton = {};
};

enum LibraryFlags : uint8_t {
  kPlainLibrary = 0,
  kOptionalSyntax = 1,  // turns on a.?b, a[?b], [?a], {?k: v} in the parser
};

// A named table of functions and macros. An environment is a list of {library, version}.
struct Library {
  std::string_view name;  // "strings"; Kubernetes': "kubernetes.quantity"
  uint8_t latest = 0;     // the newest version
  std::span<const Function> functions = {};
  std::span<const Macro> macros = {};
  std::string_view doc = {};
  std::span<const Validator> validators = {};
  // Type names that can be used as identifiers ("net.IP", "optional_type(dyn)").
  std::span<const std::string_view> types = {};
  uint8_t flags = kPlainLibrary;
};

}  // namespace portcullis
