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
// An Environment or Program is an immutable handle: copies share it, also between threads. An Evaluation
// belongs to one thread at a time. What was moved from may only be destroyed or assigned to.
// A thread that compiles, evaluates or reviews needs a stack of 4 MiB: JSON nests up to 10,000 deep, and functions that
// compare or print values recurse. What is nested deeper ends with the error "evaluation is nested too deep".
// Tested by library/cel_test.cc and tests/client.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <portcullis/authorizer.h>
#include <portcullis/result.h>
#include <portcullis/value.h>

namespace portcullis::v1 {

// The variables and functions that expressions may use.
class Environment {
 public:
  // The libraries of Kubernetes 1.37 for stored policies; no variables.
  static Environment kubernetes();
  // The same with the variables of a policy: object, oldObject, request, namespaceObject, params, authorizer
  // and authorizer.requestResource. An Evaluation sets them with `set`, the last two with `set_authorizer`.
  static Environment policy();

  struct State;
  explicit Environment(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  const State& state() const { return *state_; }  // for Portcullis itself

 private:
  std::shared_ptr<const State> state_;
};

// The view that a function of the embedder has of its call: it makes values that live as long as the result.
class FunctionCall {
 public:
  // A CEL error with a copy of `message`, to return if the function fails.
  Value error(std::string_view message);
  // As those of Memory.
  Value text(std::string_view text);
  Value bytes(std::string_view text);
  Value list(std::span<const Value> items);
  Value map(std::span<const MapItem> entries);
  Value optional(std::optional<Value> value);

  explicit FunctionCall(void* context) : context_(context) {}  // for Portcullis itself

 private:
  void* context_;
};
// Receives arguments of the types in its signature, a method's receiver first. Returns a value of the result
// type or an error. A text in the result must come from `call` or from an argument, or live as long as the program; so
// must its lists and maps. Must throw nothing but std::bad_alloc, which fails the evaluation as Limits::max_memory
// does. All evaluating threads call it.
using Function = std::function<Value(FunctionCall& call, std::span<const Value> arguments)>;

// Makes environments. A call with a mistake changes nothing; build() then returns an error, now and later.
class EnvironmentBuilder {
 public:
  // Starts with the names of the basic types and nothing else.
  EnvironmentBuilder();
  // Starts with everything in `base`.
  explicit EnvironmentBuilder(const Environment& base);
  ~EnvironmentBuilder();
  EnvironmentBuilder(EnvironmentBuilder&&) noexcept;
  EnvironmentBuilder& operator=(EnvironmentBuilder&&) noexcept;

  // Adds a library of CEL, in the given version or the newest one: "stdlib", "strings", "lists", "sets",
  // "math", "encoders", "regex", "bindings", "optional", "two-var-comprehensions". Versions are those of cel-go, from
  // 0. A library that is there already, or in the base, stays as it is, whatever its version, as in cel-go. Kubernetes'
  // environments have stdlib, strings 2, lists 3, sets, optional and two-var-comprehensions.
  EnvironmentBuilder& library(std::string_view name, std::optional<uint8_t> version = {});
  // Declares a variable. The name consists of identifiers of CEL, with dots between them. A type is one of
  //   bool int uint double string bytes timestamp duration null_type type dyn
  //   list(T) map(K, V) optional_type(T), at most 1,000 deep
  //   wrapper(P), a P from bool to bytes or null; type(T), the type T itself; null and any, as null_type and dyn
  // or a name that a library of the environment uses: kubernetes.Quantity, kubernetes.Semver, kubernetes.URL, net.IP,
  // net.CIDR and others, always with what stands before the dot. Names of well-known messages of google.protobuf mean
  // the types that CEL gives them: google.protobuf.Struct is map(string, dyn). `dyn` is any type. A value of another
  // type is neither converted nor refused when it is set: what an expression does with it fails, or has a result of
  // another type. No expression that reads a variable of type `type` or `type(T)` compiles, as in cel-go, which takes
  // its name for that of a type ("reference to undefined type: a"): these two are of use within other types and in
  // functions.
  EnvironmentBuilder& variable(std::string_view name, std::string_view type = "dyn");
  // Adds a function, "shop.discount(double, int) -> double", or a method, "string.shout() -> string"; operators cannot
  // be added. Types are those of variables, and capital letters stand for any type: "first(list(T)) -> T". Every
  // evaluation calls the function, even if its arguments are constants; a call costs 1.
  // A function may have several signatures, also beside those of libraries, if no call fits two of them: the call f([])
  // fits f(list(int)) and f(list(string)). Two sorts cannot be added: more signatures of size, matches and other
  // functions of which cel-go has one implementation, and a function with the name and number of arguments of a macro
  // (`has`, a method `all`), since nothing would call it.
  EnvironmentBuilder& function(std::string_view signature, Function function);
  // Sets the namespace in which names are looked up first: in "shop", `price` may mean shop.price. Identifiers with
  // dots between them, or empty.
  EnvironmentBuilder& container(std::string_view name);

  // The environment, or an error that names the call with a mistake. The builder may be used again: the next
  // environment has what this one has, and what is added to it.
  Result<Environment> build();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A compiled expression.
class Program {
 public:
  const std::string& text() const;
  // The type of the result as Kubernetes writes it: "bool", "list(string)", "dyn", "google.protobuf.Timestamp",
  // "null_type".
  const std::string& type() const;
  // The least and the most that an evaluation costs, as far as that is known before it. `sizes` are the largest sizes
  // of inputs by path, "order.items" and "order.items.@items.name" (also "@keys", "@values"). Without them an input has
  // any size, and a cost that depends on it has no bound (UINT64_MAX). Checks the text again: as slow as compile().
  struct Size {
    std::string_view path;
    uint64_t largest = 0;
  };
  struct Estimate {
    uint64_t min = 0, max = 0;
  };
  Estimate estimate(std::span<const Size> sizes = {}) const;

  struct State;
  explicit Program(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  const State& state() const { return *state_; }  // for Portcullis itself

 private:
  std::shared_ptr<const State> state_;
};

// Parses, checks and compiles an expression. The text of an error is all that cel-go prints, "ERROR:
// <input>:1:3: undeclared reference to 'x' ...", one after the other if there are several; its place is that
// of the first.
Result<Program> compile(std::string_view text, const Environment& environment);

// Bounds of one evaluation. Exceeding one ends it with an error, and Outcome::cancelled is set.
struct Limits {
  // In units of Kubernetes' cost. The error is "operation cancelled: actual cost limit exceeded".
  uint64_t cost_limit = UINT64_MAX;
  // Ends the evaluation with the error "operation interrupted" once it is true; another thread may set it. It is read
  // before the evaluation begins, after each 100 iterations of its macros, before a computed regular expression is
  // compiled (which takes up to half a second), and after each 1,000 values that its functions compare; if it ends
  // there, the cost is cost_limit + 1, or 0 without a cost limit. Functions that compare nothing run to their end, in a
  // time in proportion to the size of their arguments. May be null; must outlive the evaluation.
  const std::atomic<bool>* interrupt = nullptr;
  // The same once this time has passed.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  // The bytes that the evaluation may hold (at least 8 MiB are allowed, besides what earlier runs took), and the number
  // of values that it may compare. Without them a short expression could take all memory, or run for hours. The error
  // is "evaluation exceeds its bounds of memory or steps"; the cost is then cost_limit + 1, or 0 without a cost limit.
  // A computed regular expression has 16 MiB of its own beside this, and each Evaluation or Context (admission.h) keeps
  // some of them, up to 64 MiB.
  size_t max_memory = size_t{1} << 30;
  uint64_t max_steps = 1'000'000'000;
};

struct Outcome {
  Value value;             // of kind Error if the expression failed; valid until the next run()
  uint64_t cost = 0;       // in units of Kubernetes' cost; also set after an error
  bool cancelled = false;  // by one of the Limits; then `value` is its error
};

// The variables of a program and the memory to evaluate it.
class Evaluation {
 public:
  // Keeps the program alive.
  explicit Evaluation(const Program& program);
  ~Evaluation();
  Evaluation(Evaluation&&) noexcept;
  Evaluation& operator=(Evaluation&&) noexcept;

  // Sets a variable, until it is set again. What the value refers to must outlive its use. To read a variable that is
  // an Error, or that is not set ("no such attribute(s): x"), is a CEL error. A name that the program does not read is
  // ignored.
  void set(std::string_view name, const Value& value);
  // Sets the variables `authorizer` and `authorizer.requestResource` of Environment::policy(): who answers checks, for
  // whom, and the resource of the request. All of it, with what it refers to, must outlive its use. With a user that
  // has groups, uid or extra but no username, both are CEL errors.
  struct Resource {
    std::string_view group, resource, subresource, namespace_name, name;
  };
  void set_authorizer(const Authorizer& authorizer, const UserInfo& user, const Resource& resource = {});
  // Unsets all variables.
  void clear();
  // Evaluates the program. Values of the previous run become invalid. Takes no memory from the heap once it
  // is warm, except for the texts of some errors, sort() and validate() of formats.
  const Outcome& run(const Limits& limits = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace portcullis::v1
