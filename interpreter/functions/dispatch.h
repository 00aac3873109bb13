// Dispatch: from a function name and runtime values to the overload that runs, with cel-go's "no
// such overload" texts.
//
// Idea: cel-go has two sorts of functions. *Singletons* (operators, size, type, dyn, matches, list sort) have
// one implementation that looks at its operands, whatever overload the checker chose, and fail with "no such
// overload" or, where the first operand cannot do it at all, "no such overload: <function>". All others run
// the chosen overload after comparing the arguments with its signature, or the first that fits, and fail with
// "no such overload: <function>(<types>)". A CallSite holds what is known of that when the program is built.
// Source: cel-go common/decls/decls.go (Bindings), common/stdlib/standard.go, interpreter/interpretable.go.
// Tested by interpreter/run/cel_test.cc, tests/conformance (interpreter).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "interpreter/functions/call.h"
#include "interpreter/values/value.h"
#include "typecheck/environment.h"

namespace portcullis {

// Whether cel-go plans the call so that it stops at the first argument that is an error (evalVarArgs).
bool stops_at_errors(const Overload* overload, const FunctionGroup* group, size_t count);

// What a parameter accepts at run time (cel-go: IsAssignableRuntimeType, which looks at the
// first element only).
struct Parameter {
  static constexpr uint8_t kAnyKind = 0xff;
  uint8_t kind = kAnyKind;
  bool deep = false;  // has element types or a name to compare
  const Type* type = nullptr;
};

struct Candidate {
  const Function* row = nullptr;
  std::vector<Parameter> parameters;
};

// How a call is charged beyond its arguments.
struct CallCost {
  ActualCost registered = nullptr;  // comes first
  const NamedCost* named = nullptr;
  ActualCost actual = nullptr;  // null: 1
  bool is_fixed = false;        // known when the program was built
  uint64_t fixed = 0;
  bool constant_one() const { return !registered && !named && !actual && !is_fixed; }
};

struct CallSite {
  std::string_view function;
  std::string_view overload_id;  // empty if several fit
  ExprId id = 0;
  uint32_t count = 0;
  Builtin builtin = Builtin::None;
  bool singleton = false;
  // False: kUnguarded.
  bool guarded = true;
  bool varargs = false;
  uint32_t kinds = 0;        // singleton: bits of the kinds its first operand may have
  Call otherwise = nullptr;  // singleton: for operands that fit no overload
  // The one implementation to run if the arguments have exactly these kinds (0xff: any): no
  // further look is needed.
  Call fast_call = nullptr;
  uint8_t fast_kinds[4] = {};
  const Regex* regex = nullptr;
  CallCost cost;
  std::vector<Candidate> candidates;  // to try in order; of a checked call just one, unless it is a singleton
};

// What is known of a call when the program is built. `overload`: the one that the checker chose; null: of the
// `group` of the function (null: there is none) those for `count` arguments are tried in order.
CallSite make_call_site(std::string_view function, const Overload* overload, const FunctionGroup* group,
                        size_t count, const Environment& environment);

// Computes the cost of the call now if it depends on a constant second argument alone.
void fix_cost(CallSite& site, const Value& second);

// Runs a call whose arguments are neither errors nor unknowns.
Value dispatch(const CallSite& site, CallContext& context, const Value* args);

// Cost of a call, from its arguments (which may be errors) and its result.
uint64_t call_cost(const CallSite& site, const Value* args, const Value& result);

// `element in container`.
Value run_in(CallContext& context, const Value& element, const Value& container);

}  // namespace portcullis
