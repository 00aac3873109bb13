// The front door of the expression engine: compile once, evaluate from many threads.
//
//   auto expression = compile("object.spec.replicas <= 5", environment);   // Expression: parsed and checked
//   auto program = make_program(*expression);                              // Program: bytecode, immutable
//   Context context;                                                       // one per thread, reused
//   Activation activation((*program)->paths());                            // one per thread, reused
//   activation.set("object", object);
//   Outcome outcome = evaluate(**program, activation, context, {.cost_limit = 1'000'000});
//
// Environments (variables, libraries, options) are built with typecheck/environment.h. Errors of expressions
// are values of kind Error; host failures are Results; nothing throws. Programs and expressions are immutable
// and may be shared by threads; a Context and an Activation belong to one thread at a time.
//
// Files of this folder in reading order:
// - what values are: value.h arena.h builder.h map.h equal.h compare.h print.h; of schemas and Go structs:
//   list_types.h go_values.h native.h structs.h wellknown.h wire.h; JSON: json.h
// - numbers, texts, times as Go has them: number.h text.h duration.h timestamp.h zone.h netip.h format.h
//   pdqsort.h
// - what functions see: call.h dispatch.h cost.h regex.h elements.h, functions/
// - checked tree to bytecode: paths.h plan.h opcodes.def bytecode.h lower.h verify.h disasm.h
// - running it: activation.h access.h aggregate.h vm.h
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

// A parsed and, unless asked otherwise, checked expression with all that its nodes refer to.
class Expression {
 public:
  virtual ~Expression() = default;
  virtual std::string_view text() const = 0;
  virtual const Ast& ast() const = 0;
  virtual bool checked() const = 0;
  // Type of the result; dyn when not checked.
  virtual const Type* output_type() const = 0;
  virtual const std::shared_ptr<const Environment>& environment() const = 0;
};
using ExpressionPtr = std::shared_ptr<const Expression>;

struct CompileOptions {
  bool check = true;   // false: only parse (cel-spec's disable_check)
  bool macros = true;  // false: macros stay calls
};

// Parses and checks `text`. On failure the error's text is all that cel-go displays ("ERROR: <input>:1:3:
// ..."), several issues joined by line breaks, and its position that of the first. `environment` must outlive
// the result; it is only read, so it may be shared by threads.
Result<ExpressionPtr> compile(std::string_view text, std::shared_ptr<const Environment> environment,
                              CompileOptions options = {});

struct ProgramOptions {
  // Constant folding as cel-go's OptOptimize. Absent: as the environment says.
  std::optional<bool> fold;
  // Paths and variable numbers are shared with all programs made with the same table, which makes them share
  // the values of absolute paths during a request. Absent: the program gets its own. Making programs changes
  // the table: not while others evaluate with it.
  std::shared_ptr<PathTable> paths;
  // Keep the outcome in the activation, so that a second evaluation with the same variables costs nothing in
  // time (and the same in CEL cost). Ignored for programs that call late-bound functions.
  bool memoize = false;
};

// Bytecode, ready to run. Immutable. Does without the expression that it is made of, which is many times its size.
class Program {
 public:
  Program(std::shared_ptr<const Environment> environment, std::unique_ptr<const Code> code,
          std::shared_ptr<PathTable> paths);
  ~Program();

  // What the expression was compiled in.
  const std::shared_ptr<const Environment>& environment() const { return environment_; }
  // The table that activations for this program are made with.
  const std::shared_ptr<PathTable>& paths() const { return paths_; }
  const Code& code() const { return *code_; }
  // Numbers (PathTable::variable) of the variables that it reads.
  const std::vector<uint32_t>& reads() const;
  std::string disassemble() const;

 private:
  std::shared_ptr<const Environment> environment_;
  std::unique_ptr<const Code> code_;
  std::shared_ptr<PathTable> paths_;
};
using ProgramPtr = std::shared_ptr<const Program>;

// Builds the program. Fails with cel-go's text where that fails ("invalid timestamp ...": folding of a
// constant conversion, a bad constant regex, `reference to undefined type`); Kubernetes puts "program
// instantiation failed: " in front.
Result<ProgramPtr> make_program(const ExpressionPtr& expression, ProgramOptions options = {});

struct Limits {
  static constexpr uint64_t kNoCostLimit = ~uint64_t{0};
  // Iterations of comprehensions between two looks at `interrupt` and `deadline`
  // (Kubernetes' CheckFrequency).
  static constexpr uint32_t kCheckFrequency = 100;

  // Bounds of ours, see below: far above what Kubernetes answers within its own timeouts, but for lists that
  // are added to themselves over and over, which cel-go does not copy.
  static constexpr size_t kMaxMemory = size_t{1} << 30;
  static constexpr uint64_t kMaxSteps = 1'000'000'000;

  uint64_t cost_limit = kNoCostLimit;  // exceeding it gives "operation cancelled: actual cost limit exceeded"
  const std::atomic<bool>* interrupt = nullptr;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  const void* host = nullptr;  // for late-bound functions: CallContext::host
  // Bytes that the context's arena may hold, and values that may be compared. An evaluation that wants more is
  // cancelled with the error "evaluation exceeds its bounds of memory or steps"; its cost is then cost_limit and
  // one more, or 0 without one.
  size_t max_memory = kMaxMemory;
  uint64_t max_steps = kMaxSteps;
};

struct Outcome {
  Value value;  // may be of kind Error; lives in the context's arena, the activation's values or the program
  uint64_t cost = 0;       // also with an error
  bool cancelled = false;  // by the cost limit, the interrupt or the deadline; then `value` is the error
};

// What a thread needs to evaluate: memory. Reusable; what was once needed stays, up to Arena::kKept.
class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Where results and intermediate values live.
  Arena& arena();
  // Forgets all values made so far. Also drop what activations hold of them (Activation::clear).
  void reset();

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// Evaluates. `activation` must be made with program.paths(). May be called again from within an opaque
// value's `find` or a lazy variable while it runs, with the same context and activation.
Outcome evaluate(const Program& program, Activation& activation, Context& context, const Limits& limits = {});

// Value of each subexpression, for --explain: evaluates like `evaluate`, and calls `watch` with each
// node that was evaluated and its value, in order of evaluation. Nodes that were skipped by
// short-circuiting are not reported.
class Watch {
 public:
  virtual ~Watch() = default;
  virtual void on_value(ExprId node, const Value& value) = 0;
};
Outcome explain(const Expression& expression, Activation& activation, Context& context, Watch& watch,
                const Limits& limits = {});

}  // namespace portcullis
