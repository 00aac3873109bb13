// Expressions of the public face: see portcullis/cel.h.
#include <portcullis/cel.h>

#include <utility>
#include <vector>

#include "admission/expressions/environment.h"
#include "interpreter/cel.h"
#include "interpreter/functions/call.h"
#include "interpreter/functions/libraries.h"
#include "library/bridge.h"
#include "typecheck/environment.h"
#include "typecheck/signature.h"

namespace portcullis::v1 {

namespace {

// A function of the embedder: its row, and a library with only this row.
struct OwnFunction : portcullis::Function {
  std::string text;  // the signature of the row refers to it
  v1::Function body;
  Library library;
};
using OwnFunctions = std::vector<std::shared_ptr<const OwnFunction>>;

// Calls the embedder's function; the callable of all these rows.
portcullis::Value call_own(CallContext& context, const portcullis::Value* arguments, size_t count) {
  constexpr size_t kFew = 8;
  Value few[kFew];
  std::vector<Value> many(count > kFew ? count : 0);
  Value* held = count > kFew ? many.data() : few;
  for (size_t i = 0; i < count; i++) held[i] = outer(arguments[i]);
  FunctionCall call(&context);
  return inner(static_cast<const OwnFunction*>(context.called)->body(call, {held, count}));
}

}  // namespace

struct Environment::State {
  std::shared_ptr<const portcullis::Environment> environment;
  OwnFunctions functions = {};  // the environment refers to them
};

namespace {

Environment handle(std::shared_ptr<const portcullis::Environment> environment, OwnFunctions functions = {}) {
  return Environment(std::make_shared<const Environment::State>(
      Environment::State{std::move(environment), std::move(functions)}));
}

}  // namespace

Value FunctionCall::error(std::string_view message) {
  return outer(static_cast<CallContext*>(context_)->error(message));
}
Value FunctionCall::text(std::string_view text) {
  return outer(static_cast<CallContext*>(context_)->text(text));
}
Value FunctionCall::list(std::span<const Value> items) {
  auto* copies = static_cast<CallContext*>(context_)->arena().array<portcullis::Value>(items.size());
  for (size_t i = 0; i < items.size(); i++) copies[i] = inner(items[i]);
  return outer(portcullis::Value::list(copies, items.size()));
}

Environment Environment::kubernetes() { return handle(stored_environment()); }

Environment Environment::policy() {
  static const std::shared_ptr<const portcullis::Environment> made = [] {
    portcullis::EnvironmentBuilder builder(stored_environment());
    add_policy_variables(builder, {.params = true, .authorizer = true});
    return *builder.build();
  }();
  return handle(made);
}

struct EnvironmentBuilder::State {
  portcullis::EnvironmentBuilder builder;
  OwnFunctions functions = {};
  std::string error = {};  // the first error

  void fail(std::string text) {
    if (error.empty()) error = std::move(text);
  }
};

EnvironmentBuilder::EnvironmentBuilder() : state_(std::make_unique<State>()) {}
EnvironmentBuilder::EnvironmentBuilder(const Environment& base)
    : state_(new State{portcullis::EnvironmentBuilder(base.state().environment), base.state().functions}) {}
EnvironmentBuilder::~EnvironmentBuilder() = default;
EnvironmentBuilder::EnvironmentBuilder(EnvironmentBuilder&&) noexcept = default;
EnvironmentBuilder& EnvironmentBuilder::operator=(EnvironmentBuilder&&) noexcept = default;

EnvironmentBuilder& EnvironmentBuilder::library(std::string_view name, std::optional<uint8_t> version) {
  const Library* found = find_standard_library(name);
  if (found == nullptr) {
    state_->fail("there is no library " + std::string(name));
  } else if (version) {
    state_->builder.library(*found, *version);
  } else {
    state_->builder.library(*found);
  }
  return *this;
}

EnvironmentBuilder& EnvironmentBuilder::variable(std::string_view name, std::string_view type) {
  auto parsed = parse_type(type, state_->builder.types());
  if (parsed.ok()) {
    state_->builder.variable(name, *parsed);
  } else {
    state_->fail("variable " + std::string(name) + ": " + parsed.error().text);
  }
  return *this;
}

EnvironmentBuilder& EnvironmentBuilder::function(std::string_view signature, Function function) {
  auto parsed = parse_signature(signature, state_->builder.types());
  if (!parsed.ok() || !function) {
    state_->fail("function " + std::string(signature) + ": " +
                 (parsed.ok() ? "there is nothing to call" : parsed.error().text));
    return *this;
  }
  auto own = std::make_shared<OwnFunction>();
  own->text = signature;
  own->body = std::move(function);
  own->id = own->signature = own->text;
  own->call = call_own;
  own->flags = kLateBound;
  own->library.name = own->text;
  own->library.functions = {static_cast<const portcullis::Function*>(own.get()), 1};
  state_->builder.library(own->library);
  state_->functions.push_back(std::move(own));
  return *this;
}

EnvironmentBuilder& EnvironmentBuilder::container(std::string_view name) {
  state_->builder.container(name);
  return *this;
}

Result<Environment> EnvironmentBuilder::build() {
  if (!state_->error.empty()) return Error{state_->error};
  auto built = state_->builder.build();
  if (!built.ok()) return outer(built.error());
  return handle(*built, state_->functions);
}

struct Program::State {
  Environment environment;  // keeps its functions alive
  ProgramPtr program;
  std::string text, type;
};

const std::string& Program::text() const { return state_->text; }
const std::string& Program::type() const { return state_->type; }

Result<Program> compile(std::string_view text, const Environment& environment) {
  auto expression = portcullis::compile(text, environment.state().environment);
  if (!expression.ok()) return outer(expression.error());
  auto program = make_program(*expression);
  if (!program.ok()) return outer(program.error());
  return Program(std::make_shared<const Program::State>(
      Program::State{environment, *program, std::string(text), format_type((*expression)->output_type())}));
}

struct Evaluation::State {
  explicit State(const Program& p) : kept(p), program(p.state().program), activation(program->paths()) {}

  Program kept;
  ProgramPtr program;
  Context context;
  Activation activation;
  std::vector<std::pair<uint32_t, portcullis::Value>> variables;  // as set by the caller
  Outcome outcome;
};

Evaluation::Evaluation(const Program& program) : state_(std::make_unique<State>(program)) {}
Evaluation::~Evaluation() = default;
Evaluation::Evaluation(Evaluation&&) noexcept = default;
Evaluation& Evaluation::operator=(Evaluation&&) noexcept = default;

void Evaluation::set(std::string_view name, const Value& value) {
  uint32_t number = state_->program->paths()->find_variable(name);
  for (auto& [known, held] : state_->variables) {
    if (known == number) return void(held = inner(value));
  }
  state_->variables.emplace_back(number, inner(value));
}

void Evaluation::clear() { state_->variables.clear(); }

const Outcome& Evaluation::run(const Limits& limits) {
  State& s = *state_;
  // Values that the activation holds since the last run are freed with it.
  s.activation.clear();
  s.context.reset();
  for (const auto& [number, value] : s.variables) s.activation.set(number, value);
  portcullis::Limits bounds;
  bounds.cost_limit = limits.cost_limit;
  bounds.interrupt = limits.interrupt;
  bounds.deadline = limits.deadline;
  portcullis::Outcome made = evaluate(*s.program, s.activation, s.context, bounds);
  s.outcome = {outer(made.value), made.cost, made.cancelled};
  return s.outcome;
}

}  // namespace portcullis::v1
