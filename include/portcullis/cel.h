// Expressions: compile once, evaluate from any number of threads.
//
//   EnvironmentBuilder builder(Environment::kubernetes());
//   builder.variable("order", "map(string, dyn)");
//   Result<Environment> environment = builder.build();
//   Result<Program> program = compile("order.price * 2 > 10", *environment);
//   Evaluation evaluation(*program);                                   // one a thread, used again
//   evaluation.set("order", order);
//   const Outcome& outcome = evaluation.run({.cost_limit = 1'000'000});
//   if (outcome.value.is_error()) ...                                  // an error of CEL is a value
//
// Environments and Programs are immutable handles: to copy one is to share it, between threads as well. An Evaluation
// belongs to one thread at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <portcullis/result.h>
#include <portcullis/value.h>

namespace portcullis::v1 {

// What names mean: variables and functions.
class Environment {
 public:
  // The libraries of Kubernetes 1.37, as stored policies have them; no variables.
  static Environment kubernetes();
  // The same with the variables of a policy: object, oldObject, request, namespaceObject, params, authorizer and
  // authorizer.requestResource.
  static Environment policy();

  struct State;
  explicit Environment(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  const State& state() const { return *state_; }  // for Portcullis itself

 private:
  std::shared_ptr<const State> state_;
};

// What a function of one's own may do while it is called: make values, which live as long as the result.
class FunctionCall {
 public:
  // An error of CEL with a copy of `message`: what the function returns where it has no result.
  Value error(std::string_view message);
  // As those of Memory.
  Value text(std::string_view text);
  Value list(std::span<const Value> items);

  explicit FunctionCall(void* context) : context_(context) {}  // for Portcullis itself

 private:
  void* context_;
};
// Gets arguments of the types that its signature has, receiver first, and gives a value of the result's type, or an
// error. Must not throw; called from all threads that evaluate.
using Function = std::function<Value(FunctionCall& call, std::span<const Value> arguments)>;

// Makes environments. Mistakes are told by build().
class EnvironmentBuilder {
 public:
  // Starts with nothing but the names of the basic types.
  EnvironmentBuilder();
  // Starts with all that `base` has.
  explicit EnvironmentBuilder(const Environment& base);
  ~EnvironmentBuilder();
  EnvironmentBuilder(EnvironmentBuilder&&) noexcept;
  EnvironmentBuilder& operator=(EnvironmentBuilder&&) noexcept;

  // Adds a library of CEL: "stdlib", "strings", "lists", "sets", "math", "encoders", "regex", "bindings", "optional",
  // "two-var-comprehensions", at a version of it; the newest by default.
  EnvironmentBuilder& library(std::string_view name, std::optional<uint8_t> version = {});
  // Declares a variable; the name may be dotted. Types are written as in CEL: "int", "string", "list(string)",
  // "map(string, dyn)", "timestamp", "dyn" (anything), ...
  EnvironmentBuilder& variable(std::string_view name, std::string_view type = "dyn");
  // Adds a function, "shop.discount(double, int) -> double", or a method, "string.shout() -> string". It is called
  // anew for each evaluation, whatever its arguments are, and costs 1.
  EnvironmentBuilder& function(std::string_view signature, Function function);
  // Names are looked up in this namespace first: in "shop", `price` may stand for shop.price.
  EnvironmentBuilder& container(std::string_view name);

  // The environment, or the first mistake. The builder must not be used afterwards.
  Result<Environment> build();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A compiled expression.
class Program {
 public:
  const std::string& text() const;
  // The type of its result as CEL writes it: "bool", "list(string)", "dyn".
  const std::string& type() const;

  struct State;
  explicit Program(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  const State& state() const { return *state_; }  // for Portcullis itself

 private:
  std::shared_ptr<const State> state_;
};

// Parses, checks and compiles. The error's text is all that cel-go displays, "ERROR: <input>:1:3: undeclared
// reference to 'x' ...", several mistakes in several lines; its place is that of the first.
Result<Program> compile(std::string_view text, const Environment& environment);

// Bounds of one evaluation.
struct Limits {
  // In units of Kubernetes' cost; more ends in the error "operation cancelled: actual cost limit exceeded".
  uint64_t cost_limit = UINT64_MAX;
  // Ends the evaluation soon after another thread sets it; may be null. Must outlive the evaluation.
  const std::atomic<bool>* interrupt = nullptr;
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

struct Outcome {
  Value value;             // of kind Error if the expression failed; good until the next run()
  uint64_t cost = 0;       // in units of Kubernetes' cost; also of what failed
  bool cancelled = false;  // by one of the limits
};

// The variables and the memory of evaluations of one program.
class Evaluation {
 public:
  explicit Evaluation(const Program& program);
  ~Evaluation();
  Evaluation(Evaluation&&) noexcept;
  Evaluation& operator=(Evaluation&&) noexcept;

  // Sets a variable until it is set again. What the value points to must outlive its use. A name that the program
  // does not read is ignored; one that is read and not set is an error of CEL ("no such attribute(s): x").
  void set(std::string_view name, const Value& value);
  // Unsets all variables.
  void clear();
  // Evaluates. The values of the run before are gone. Allocates nothing from the heap once it is warm.
  const Outcome& run(const Limits& limits = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace portcullis::v1
