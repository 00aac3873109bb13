// Expressions of the public face: see portcullis/cel.h.
#include <portcullis/cel.h>

#include <utility>
#include <vector>

#include "admission/expressions/environment.h"
#include "interpreter/cel.h"
#include "interpreter/functions/libraries.h"
#include "library/bridge.h"
#include "typecheck/environment.h"
#include "typecheck/signature.h"

namespace portcullis::v1 {

struct Environment::State {
  std::shared_ptr<const portcullis::Environment> environment;
};

namespace {

Environment handle(std::shared_ptr<const portcullis::Environment> environment) {
  return Environment(std::make_shared<const Environment::State>(Environment::State{std::move(environment)}));
}

}  // namespace

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
  std::string error = {};  // the first mistake

  void fail(std::string text) {
    if (error.empty()) error = std::move(text);
  }
};

EnvironmentBuilder::EnvironmentBuilder() : state_(std::make_unique<State>()) {}
EnvironmentBuilder::EnvironmentBuilder(const Environment& base)
    : state_(new State{portcullis::EnvironmentBuilder(base.state().environment)}) {}
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

EnvironmentBuilder& EnvironmentBuilder::container(std::string_view name) {
  state_->builder.container(name);
  return *this;
}

Result<Environment> EnvironmentBuilder::build() {
  if (!state_->error.empty()) return Error{state_->error};
  auto built = state_->builder.build();
  if (!built.ok()) return outer(built.error());
  return handle(*built);
}

struct Program::State {
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
      Program::State{*program, std::string(text), format_type((*expression)->output_type())}));
}

struct Evaluation::State {
  explicit State(ProgramPtr p) : program(std::move(p)), activation(program->paths()) {}

  ProgramPtr program;
  Context context;
  Activation activation;
  std::vector<std::pair<uint32_t, portcullis::Value>> variables;  // as they were set
  Outcome outcome;
};

Evaluation::Evaluation(const Program& program) : state_(std::make_unique<State>(program.state().program)) {}
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
  // What the activation holds of the last run dies with it.
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
