// The front door of the expression engine: compile an expression once, evaluate it from many threads.
//
//   auto expression = compile("object.spec.replicas <= 5", environment);   // Expression: parsed and checked
//   auto program = make_program(*expression);                              // Program: bytecode, immutable
//   Context context;                                                       // one per thread, reused
//   Activation activation((*program)->paths());                            // one per thread, reused
//   activation.set("object", object);
//   Outcome outcome = evaluate(**program, activation, context, {.cost_limit = 1'000'000});
//
// Environments (variables, libraries, options) are built with typecheck/environment.h. Errors of an
// evaluation are values of kind Error, errors before it are Results; nothing throws. Expressions and programs
// are immutable and threads may share them; a Context and an Activation belong to one thread at a time.
//
// The rooms of interpreter/ in reading order, with the files to begin with:
// - values/: value.h arena.h builder.h map.h nesting.h equal.h compare.h print.h; data under schemas and Go structs:
//   list_types.h go_values.h native.h structs.h; JSON: json.h; variables: paths.h activation.h
// - formats/, numbers, texts, times and addresses as in Go: number.h text.h duration.h timestamp.h zone.h
//   netip.h
// - functions/: call.h dispatch.h cost.h regex.h elements.h format.h pdqsort.h libraries.h; tables in *.cc
// - compile/, checked tree to bytecode: plan.h opcodes.def bytecode.h lower.h verify.h disasm.h wellknown.h
// - run/, bytecode to value: access.h aggregate.h vm.h
// Tested by interpreter/run/cel_test.cc, tests/language, tests/conformance.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast.h"
#include "grammar/result.h"
#include "interpreter/values/activation.h"
#include "interpreter/values/paths.h"
#include "interpreter/values/value.h"
#include "typecheck/type.h"

namespace portcullis {

class Environment;  // typecheck/environment.h
struct Code;        // interpreter/compile/bytecode.h

// A parsed and, unless asked otherwise, checked expression. Owns everything that its nodes refer to.
class Expression {
 public:
  virtual ~Expression() = default;
  virtual std::string_view text() const = 0;
  virtual const Ast& ast() const = 0;
  virtual bool checked() const = 0;
  // The type of the result; dyn if not checked.
  virtual const Type* output_type() const = 0;
  virtual const std::shared_ptr<const Environment>& environment() const = 0;
};
using ExpressionPtr = std::shared_ptr<const Expression>;

struct CompileOptions {
  bool check = true;   // false: only parse (cel-spec's disable_check)
  bool macros = true;  // false: macros are parsed as ordinary calls
};

// Parses and checks `text`. The text of an error is all that cel-go would print ("ERROR: <input>:1:3: ..."),
// several errors joined by line breaks; its position is that of the first. The result keeps `environment`,
// which is only read, so threads may share it.
Result<ExpressionPtr> compile(std::string_view text, std::shared_ptr<const Environment> environment,
                              CompileOptions options = {});

struct ProgramOptions {
  // Whether to fold constants, as cel-go's OptOptimize does. Absent: the environment decides.
  std::optional<bool> fold;
  // The table of paths and variable numbers, which also has the constants. Programs made with the same table share the
  // values of absolute paths during a request. Absent: the program gets its own. make_program() changes the table, so
  // nothing may evaluate with it meanwhile.
  std::shared_ptr<PathTable> paths;
  // Whether evaluations can tell a Watch the values of nodes: see `evaluate_watched`. Loops are then slower.
  bool watch = false;
};

// Bytecode, ready to run. Immutable. Does without the expression that it is made of, which is many times its size.
class Program {
 public:
  Program(std::shared_ptr<const Environment> environment, std::unique_ptr<const Code> code);
  ~Program();

  // What the expression was compiled in.
  const std::shared_ptr<const Environment>& environment() const { return environment_; }
  // The table that activations for this program are made with.
  const std::shared_ptr<PathTable>& paths() const;
  const Code& code() const { return *code_; }
  // The numbers (PathTable::variable) of the variables that the program reads.
  const std::vector<uint32_t>& reads() const;
  // Whether its outcome depends on variables and on nothing else, so that `evaluate_once` may keep it.
  bool depends_on_variables_only() const;
  std::string disassemble() const;

 private:
  std::shared_ptr<const Environment> environment_;
  std::unique_ptr<const Code> code_;
};
using ProgramPtr = std::shared_ptr<const Program>;

// Builds the program. Fails with cel-go's text where that fails ("invalid timestamp ...": folding of a
// constant conversion, a bad constant regex, `reference to undefined type`); Kubernetes puts "program
// instantiation failed: " in front.
Result<ProgramPtr> make_program(const ExpressionPtr& expression, ProgramOptions options = {});

struct Limits {
  static constexpr uint64_t kNoCostLimit = ~uint64_t{0};
  // Iterations of comprehensions between two checks of `interrupt` and `deadline` (Kubernetes' CheckFrequency). They
  // are also checked before the evaluation, and by functions that compare values (Arena::kStepsBetween).
  static constexpr uint32_t kCheckFrequency = 100;

  // Our own bounds, see below. Kubernetes runs into its timeouts far earlier, with one exception: lists added
  // to themselves again and again, which cel-go does not copy.
  static constexpr size_t kMaxMemory = size_t{1} << 30;
  static constexpr uint64_t kMaxSteps = 1'000'000'000;

  uint64_t cost_limit = kNoCostLimit;
  static constexpr std::string_view kCostLimitText = "operation cancelled: actual cost limit exceeded";
  const std::atomic<bool>* interrupt = nullptr;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  static constexpr std::string_view kInterruptedText = "operation interrupted";  // the error of either
  // The bytes that the context's arena may hold, and the number of values that may be compared. An evaluation
  // that exceeds them is cancelled with the error "evaluation exceeds its bounds of memory or steps". Its cost, and
  // that of one that is interrupted while it compares values, is then cost_limit + 1, or 0 without a cost limit.
  size_t max_memory = kMaxMemory;
  uint64_t max_steps = kMaxSteps;
};

struct Outcome {
  Value value;  // may be of kind Error; lives in the context's arena, the activation's values or the program
  uint64_t cost = 0;       // also set after an error
  bool cancelled = false;  // by cost limit, bounds, interrupt or deadline; then `value` is the error
};

// The memory with which a thread evaluates. Reusable: reset() keeps it, up to Arena::kKept.
class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // The memory of results and intermediate values.
  Arena& arena();
  // Frees all values made so far. Activations may hold some of them: call Activation::clear as well.
  void reset();

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// Evaluates `program`. `activation` must be made with program.paths(). The `find` of an opaque value may
// call evaluate() again while it runs, with the same context and activation.
Outcome evaluate(const Program& program, Activation& activation, Context& context, const Limits& limits = {});

// Like evaluate(), and keeps the outcome in the activation under the number `memo` (PathTable::new_memo). Another
// call with the same number and the same variables then takes next to no time, and has the same CEL cost. The program
// must depend on variables only, and a number belongs to one program.
Outcome evaluate_once(const Program& program, uint32_t memo, Activation& activation, Context& context,
                      const Limits& limits = {});

// Is told the nodes of an expression with their values.
class Watch {
 public:
  virtual ~Watch() = default;
  virtual void on_value(ExprId node, const Value& value) = 0;
};
// Like evaluate(), and reports subexpressions for --explain: calls `watch` with each node that was evaluated
// and its value, in order of evaluation. Nodes skipped by short-circuiting are not reported.
Outcome explain(const Expression& expression, Activation& activation, Context& context, Watch& watch,
                const Limits& limits = {});

// The same with a program that was made with ProgramOptions::watch, for many evaluations of one expression.
Outcome evaluate_watched(const Program& program, Activation& activation, Context& context, Watch& watch,
                         const Limits& limits = {});
// The nodes whose values such a program tells, in the order of its code; a node may be there twice.
std::vector<ExprId> watched_nodes(const Program& program);

}  // namespace portcullis
