// Dispatch: finds the overload to run from a function name and the values of its arguments, with cel-go's "no
// such overload" texts.
//
// Idea: cel-go has two sorts of functions. A *singleton* (operators, size, type, dyn, matches, list sort) has
// one implementation that examines its operands, whichever overload the checker chose; it fails with "no such
// overload" or, if the first operand has the wrong kind, with "no such overload: <function>". Any other
// function compares the arguments with the signature of the chosen overload, or else with each signature in
// order, and runs the first that fits; it fails with "no such overload: <function>(<types>)". A CallSite
// holds what is known when the program is made.
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

// Whether the first argument that is an error ends the call, because cel-go plans it as evalVarArgs.
bool stops_at_errors(const Overload* overload, const FunctionGroup* group, size_t count);

// The values that a parameter accepts at run time (cel-go: IsAssignableRuntimeType, which looks only at the
// first element of a container).
struct Parameter {
  static constexpr uint8_t kAnyKind = 0xff;
  uint8_t kind = kAnyKind;
  bool deep = false;  // the type has element types or a name to compare
  const Type* type = nullptr;
};

struct Candidate {
  const Function* row = nullptr;
  uint32_t first_kinds = ~0u;  // bits of the kinds that its first parameter accepts
  std::vector<Parameter> parameters;
};

// What a call costs beyond its arguments.
struct CallCost {
  ActualCost registered = nullptr;  // comes before `named`
  const NamedCost* named = nullptr;
  ActualCost actual = nullptr;  // null: 1
  bool is_fixed = false;        // the cost is known when the program is made
  uint64_t fixed = 0;
  bool comes_first = false;  // some overload is kSlow
  bool constant_one() const { return !registered && !named && !actual && !is_fixed; }
};

struct CallSite {
  std::string_view function;
  std::string_view overload_id;  // empty if several fit
  ExprId id = 0;
  uint32_t count = 0;
  Builtin builtin = Builtin::None;
  bool singleton = false;
  // False for functions with kUnguarded.
  bool guarded = true;
  bool varargs = false;
  uint32_t kinds = 0;        // singleton: bits of the kinds allowed for its first operand
  Call otherwise = nullptr;  // singleton: runs if the operands fit no overload
  // The implementation to run without further checks if the arguments have exactly these kinds (0xff: any).
  Call fast_call = nullptr;
  uint8_t fast_kinds[4] = {};
  const Regex* regex = nullptr;
  CallCost cost;
  std::vector<Candidate> candidates;  // tried in order; a checked call has just one, unless it is a singleton
};

// What is known of a call when its program is made. `overload`: the one that the checker chose. Null: the
// overloads of `group` for `count` arguments are tried in order (a null `group` has none).
CallSite make_call_site(std::string_view function, const Overload* overload, const FunctionGroup* group,
                        size_t count, const Environment& environment);

// Computes the cost of the call now, if it depends only on the second argument, which is a constant.
void fix_cost(CallSite& site, const Value& second);

// Runs a call. No argument may be an error or unknown.
Value dispatch(const CallSite& site, CallContext& context, const Value* args);

// The cost of a call, from its arguments, which may be errors, and its result. With an empty text as the result it is
// the least cost for these arguments, since all costs that depend on a result grow with its size.
uint64_t call_cost(const CallSite& site, const Value* args, const Value& result);

// `element in container`.
Value run_in(CallContext& context, const Value& element, const Value& container);

}  // namespace portcullis
