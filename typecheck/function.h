// Function: the one row in which everything about an overload stands, and Library: a table of rows.
//
// Idea: a function is written once, in the table of its domain (interpreter/functions/*.cc,
// admission/functions/*.cc). From the rows alone derive: the checker's overloads and its "no matching
// overload" candidates, the compiler's index, the call, the meter, the static estimate, docs/functions.md,
// `portcullis functions`, the fuzz dictionary, and the test that runs every example. Value and the call
// context are only forward-declared here, so that typecheck never includes interpreter.
// Tested by tests/examples.cc (every row has doc and example; every example runs).
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

// Runs an overload. `args[0]` is the receiver of a member call. Arguments are neither errors nor unknowns and
// have the runtime kinds of the signature. A failure is returned as a value of kind Error.
using Call = Value (*)(CallContext& context, const Value* args, size_t count);

// Run-time cost of a call that produced `result` (arguments may be errors: those have size 1).
using ActualCost = uint64_t (*)(const Value* args, size_t count, const Value& result);
// Static cost of a call without that of its arguments.
using StaticCost = CallEstimate (*)(EstimateCall& call);

struct Cost {
  ActualCost actual = nullptr;    // null: 1
  StaticCost estimate = nullptr;  // null: {1, 1}
  std::string_view text = "1";    // for docs: "receiver/10 rounded up"
};

// How free a row is to be treated by optimisations and by the dispatcher.
enum FunctionFlags : uint16_t {
  kPureFunction = 0,
  kLateBound = 1,  // result depends on more than the arguments (authorizer): never folded, never shared
  // Cost comes before an environment's cost-by-name table (cel-go: registered overload trackers).
  kCostRegistered = 2,
  kSelfChecked = 4,     // the callable looks at the kinds of its arguments itself
  kUnguarded = 8,       // cel-go: type guards disabled; arguments that do not fit are not named in the error
  kStopsAtErrors = 16,  // of two arguments, and yet planned for any number: the first error is the result
  kFixedBySecond = 32,  // the cost may depend on the second argument alone
  // The second argument is a pattern, compiled when it is a constant: always, or where constants are folded.
  kPattern = 64,
  kPatternIfFolded = 128,
};

// What runs without a callable, since it looks at errors, at containers or at types: by the machine, the last
// three as the compiler plans them.
enum class Builtin : uint8_t { None, Not, NotStrictlyFalse, In, Size, Type, Dyn, Or, OrValue, Block };

// A function that is a singleton in cel-go: one implementation looks at its operands, whatever overload the checker
// chose.
struct Singleton {
  uint32_t kinds = 0;  // bits of the kinds that its first operand may have (call.h); 0: it is no singleton
  Call otherwise = nullptr;  // for operands that fit no overload; null: "no such overload"
};

struct Function {
  std::string_view id;         // overload id of cel-go, "starts_with_string"
  std::string_view signature;  // "string.startsWith(string) -> bool", "size(list(A)) -> int"; see signature.h
  Call call = nullptr;         // null: `builtin`, or planned by the compiler (&&, ||, ?:, ==, index, ...)
  Cost cost = {};
  uint16_t flags = kPureFunction;
  uint8_t since = 0;               // library version that brought it
  uint8_t until = 255;             // first library version without it
  std::string_view doc = {};       // one line
  std::string_view examples = {};  // lines "expr  // => value" in the notation of tests/language
  // Of the function, whichever of its rows says it.
  Builtin builtin = Builtin::None;
  Singleton singleton = {};
};

enum LibraryFlags : uint8_t {
  kPlainLibrary = 0,
  kOptionalSyntax = 1,  // turns on a.?b, a[?b], [?a], {?k: v} in the parser
};

// A named table of rows and macros; an environment is a list of {library, version}.
struct Library {
  std::string_view name;  // "strings"; kubernetes: "kubernetes.quantity"
  uint8_t latest = 0;     // newest version
  std::span<const Function> functions = {};
  std::span<const Macro> macros = {};
  std::string_view doc = {};
  std::span<const Validator> validators = {};
  // Type names that are identifiers ("net.IP", "optional_type(dyn)").
  std::span<const std::string_view> types = {};
  uint8_t flags = kPlainLibrary;
};

}  // namespace portcullis
