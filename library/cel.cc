// Expressions of the public face: see portcullis/cel.h.
#include <portcullis/cel.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "admission/expressions/environment.h"
#include "admission/functions/libraries.h"
#include "grammar/ascii.h"
#include "grammar/escape.h"
#include "grammar/parse.h"
#include "interpreter/cel.h"
#include "interpreter/functions/call.h"
#include "interpreter/functions/libraries.h"
#include "library/authorizer.h"
#include "library/bridge.h"
#include "library/make.h"
#include "typecheck/environment.h"
#include "typecheck/estimate.h"
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

Arena& arena_of(void* context) { return static_cast<CallContext*>(context)->arena(); }

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
Value FunctionCall::bytes(std::string_view text) { return make_bytes(arena_of(context_), text); }
Value FunctionCall::list(std::span<const Value> items) { return make_list(arena_of(context_), items); }
Value FunctionCall::map(std::span<const MapItem> entries) { return make_map(arena_of(context_), entries); }
Value FunctionCall::optional(std::optional<Value> value) { return make_optional(arena_of(context_), value); }

Environment Environment::kubernetes() { return handle(stored_environment()); }

Environment Environment::policy() {
  static const std::shared_ptr<const portcullis::Environment> made = [] {
    portcullis::EnvironmentBuilder builder(stored_environment());
    add_policy_variables(builder, {.params = true, .authorizer = true});
    return *builder.build();
  }();
  return handle(made);
}

namespace {

constexpr const char* kUnwritable = "an expression cannot write this name";

// Whether an expression can write the name: identifiers with dots between them.
bool can_be_written(std::string_view name) {
  bool first = true;
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find('.', at), name.size());
    const std::string_view part = name.substr(at, end - at);
    at = end + 1;
    if (part.empty() || is_digit(part[0])) return false;
    if (!std::ranges::all_of(part, [](char c) { return is_alphanumeric(c) || c == '_'; })) return false;
    // After a dot, words that CEL reserves for the future are names of fields.
    const bool literal = part == "in" || part == "true" || part == "false" || part == "null";
    if (first ? is_reserved_word(part) : literal) return false;
    first = false;
  }
  return true;
}

// Calls `found` with each type in `type` that has a name of its own.
template <class Found>
void each_named(const Type* type, Found found) {
  if (type->is(TypeKind::Struct) || type->is(TypeKind::Opaque)) found(type);
  for (const Type* part : type->params()) each_named(part, found);
}

// Whether `type` has the kind, the name and as many parameters as `known`.
bool is_alike(const Type* type, const Type* known) {
  return type->kind() == known->kind() && type->name() == known->name() &&
         type->params().size() == known->params().size();
}

// Whether the libraries of an environment know this named type; `own` functions, which use it, do not count.
bool knows_type(const portcullis::Environment& environment, const Type* type, const OwnFunctions& own) {
  // `list` without parameters is none, whatever else has this name.
  const Type* registered = environment.find_type_name(type->name());
  if (registered != nullptr) return is_alike(type, registered);
  if (type->is(TypeKind::Struct) && environment.knows_struct(type->name())) return true;
  TypePool pool;
  bool known = false;
  auto look = [&](const Type* used) { each_named(used, [&](const Type* t) { known |= is_alike(type, t); }); };
  for (const auto& use : environment.libraries()) {
    if (std::ranges::any_of(own, [&](const auto& f) { return &f->library == use.library; })) continue;
    for (const portcullis::Function& row : use.library->functions) {
      auto parsed = parse_signature(row.signature, pool);
      if (!parsed.ok()) continue;
      look(parsed->result);
      for (const Type* argument : parsed->args) look(argument);
    }
  }
  return known;
}

// What is wrong with a type of a variable or function, whatever the environment; empty: nothing.
std::string mistake_in(const Type* type) {
  if (type->is(TypeKind::Error)) return "no value has the type error";
  if (type->is(TypeKind::Wrapper)) {
    const Type* held = type->param(0);
    const bool primitive = held->is(TypeKind::Bool) || held->is(TypeKind::Int) || held->is(TypeKind::Uint) ||
                           held->is(TypeKind::Double) || held->is(TypeKind::String) ||
                           held->is(TypeKind::Bytes);
    if (!primitive) return "there is no wrapper of " + format_type(held);
  }
  for (const Type* part : type->params()) {
    if (std::string mistake = mistake_in(part); !mistake.empty()) return mistake;
  }
  return {};
}

// Whether a value can be of both types. Empty lists, maps and optionals are of all types of their sort.
bool may_be_both(const Type* a, const Type* b) {
  if (a->is_dyn() || b->is_dyn() || a->is(TypeKind::Param) || b->is(TypeKind::Param)) return true;
  const bool nullable = a->is(TypeKind::Wrapper) || a->is(TypeKind::Null);
  if (nullable && (b->is(TypeKind::Wrapper) || b->is(TypeKind::Null))) return true;
  return a->base_kind() == b->base_kind() && a->name() == b->name();
}

// Whether a call can fit both overloads.
bool overlap(const Overload& a, const Overload& b) {
  return a.member == b.member && std::ranges::equal(a.args, b.args, may_be_both);
}

// Whether an expression can call the overload: a macro of the same name and number of arguments comes first.
bool can_be_called(const portcullis::Environment& environment, std::string_view name,
                   const Overload& overload) {
  std::string call = overload.member ? "a." : "";
  call.append(name).append("(");
  const size_t count = overload.args.size() - (overload.member ? 1 : 0);
  for (size_t i = 0; i < count; i++) call += i == 0 ? "a" : ", a";
  const Source source(call + ")");
  const Parsed parsed = parse(source, environment.parse_options());
  return parsed.ok() && parsed.ast.root->is_call(name.substr(name.rfind('.') + 1), count);
}

}  // namespace

struct EnvironmentBuilder::State {
  portcullis::EnvironmentBuilder builder;
  OwnFunctions functions = {};
  std::set<const Library*> libraries = {};  // of CEL, those of the base included
  std::string error = {};                   // the first error
  // The named types in functions and variables, each with the function or variable.
  std::vector<std::pair<std::string, const Type*>> named = {};

  void fail(std::string text) {
    if (error.empty()) error = std::move(text);
  }
  // Whether `what` may have the type, as far as this is known before build().
  bool takes(const std::string& what, const Type* type) {
    const std::string mistake = mistake_in(type);
    if (!mistake.empty()) fail(what + ": " + mistake);
    each_named(type, [&](const Type* t) { named.emplace_back(what, t); });
    return mistake.empty();
  }
  // The first mistake of own functions and types in the environment that was made; empty: there is none.
  std::string mistake(const portcullis::Environment& made) const;
};

EnvironmentBuilder::EnvironmentBuilder() : state_(std::make_unique<State>()) {}
EnvironmentBuilder::EnvironmentBuilder(const Environment& base)
    : state_(new State{portcullis::EnvironmentBuilder(base.state().environment), base.state().functions}) {
  for (const auto& use : base.state().environment->libraries()) state_->libraries.insert(use.library);
}
EnvironmentBuilder::~EnvironmentBuilder() = default;
EnvironmentBuilder::EnvironmentBuilder(EnvironmentBuilder&&) noexcept = default;
EnvironmentBuilder& EnvironmentBuilder::operator=(EnvironmentBuilder&&) noexcept = default;

EnvironmentBuilder& EnvironmentBuilder::library(std::string_view name, std::optional<uint8_t> version) {
  const Library* found = find_standard_library(name);
  if (found == nullptr) {
    state_->fail("there is no library " + std::string(name));
  } else if (version && *version > found->latest) {
    state_->fail("library " + std::string(name) + ": there is no version " + std::to_string(*version) +
                 ", the newest is " + std::to_string(found->latest));
  } else if (state_->libraries.insert(found).second) {
    state_->builder.library(*found, version.value_or(found->latest));
  }
  return *this;
}

EnvironmentBuilder& EnvironmentBuilder::variable(std::string_view name, std::string_view type) {
  auto parsed = parse_type(type, state_->builder.types());
  const std::string what = "variable " + std::string(name);
  if (!parsed.ok()) return state_->fail(what + ": " + parsed.error().text), *this;
  if (!can_be_written(name)) return state_->fail(what + ": " + kUnwritable), *this;
  if ((*parsed)->is_open()) return state_->fail(what + ": only functions have type parameters"), *this;
  if (state_->takes(what, *parsed)) state_->builder.variable(name, *parsed);
  return *this;
}

EnvironmentBuilder& EnvironmentBuilder::function(std::string_view signature, Function function) {
  auto parsed = parse_signature(signature, state_->builder.types());
  const std::string what = "function " + std::string(signature);
  if (!parsed.ok()) return state_->fail(what + ": " + parsed.error().text), *this;
  if (!function) return state_->fail(what + ": there is nothing to call"), *this;
  if (!can_be_written(parsed->name)) return state_->fail(what + ": " + kUnwritable), *this;
  if (!state_->takes(what, parsed->result)) return *this;
  for (const Type* argument : parsed->args) {
    if (!state_->takes(what, argument)) return *this;
  }
  // Rows of one id would replace each other.
  for (const auto& other : state_->functions) {
    if (other->text == signature) return state_->fail(what + ": it is there already"), *this;
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
  if (!name.empty() && !can_be_written(name))
    return state_->fail("container " + std::string(name) + ": " + kUnwritable), *this;
  state_->builder.container(name);
  return *this;
}

std::string EnvironmentBuilder::State::mistake(const portcullis::Environment& made) const {
  TypePool pool;
  for (const auto& own : functions) {
    const std::string name(parse_signature(own->text, pool)->name), what = "function " + own->text + ": ";
    const FunctionGroup& group = *made.find_function(name);
    // As in cel-go, whose one implementation of such a function serves all its overloads.
    if (group.singleton.kinds != 0)
      return what + "singleton function incompatible with specialized overloads: " + name;
    const auto is_own = [&](const Overload* o) { return o->row == own.get(); };
    const Overload& overload = **std::ranges::find_if(group.overloads, is_own);
    if (!can_be_called(made, name, overload)) return what + "a macro of this name takes its calls";
    for (const Overload* other : group.overloads) {
      if (other != &overload && overlap(*other, overload))
        return what + "a call can also fit " + std::string(other->row->signature);
    }
  }
  for (const auto& [what, type] : named) {
    if (!knows_type(made, type, functions)) return what + ": there is no type " + format_type(type);
  }
  return {};
}

Result<Environment> EnvironmentBuilder::build() {
  if (!state_->error.empty()) return Error{state_->error};
  auto built = state_->builder.build();
  if (!built.ok()) return outer(built.error());
  state_->builder = portcullis::EnvironmentBuilder(*built);  // for what is added after this
  state_->fail(state_->mistake(**built));
  if (!state_->error.empty()) return Error{state_->error};
  return handle(*built, state_->functions);
}

struct Program::State {
  Environment environment;  // keeps its functions alive
  ProgramPtr program;
  std::string text, type;
};

const std::string& Program::text() const { return state_->text; }
const std::string& Program::type() const { return state_->type; }

Program::Estimate Program::estimate(std::span<const Size> sizes) const {
  const auto& environment = state_->environment.state().environment;
  auto expression = portcullis::compile(state_->text, environment);
  if (!expression.ok()) return {0, UINT64_MAX};  // it was compiled before
  std::map<std::string, uint64_t, std::less<>> largest;
  for (const Size& s : sizes) largest.insert_or_assign(std::string(s.path), s.largest);
  const SizeHints hints(std::move(largest));
  const CostEstimate cost = portcullis::estimate((*expression)->ast(), *environment, &hints);
  return {cost.min, cost.max};
}

Result<Program> compile(std::string_view text, const Environment& environment) {
  auto expression = portcullis::compile(text, environment.state().environment);
  if (!expression.ok()) return outer(expression.error());
  auto program = make_program(*expression);
  if (!program.ok()) return outer(program.error());
  return Program(std::make_shared<const Program::State>(
      Program::State{environment, *program, std::string(text), type_string((*expression)->output_type())}));
}

struct Evaluation::State {
  explicit State(const Program& p) : kept(p), program(p.state().program), activation(program->paths()) {}

  Program kept;
  ProgramPtr program;
  Context context;
  Activation activation;
  std::vector<std::pair<uint32_t, portcullis::Value>> variables;  // as set by the caller
  AskedAuthorizer authorizer;
  Arena authorized{1024};  // the values of `authorizer`, of the user
  portcullis::UserInfo user;
  std::vector<portcullis::UserInfo::Extra> extra;
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

void Evaluation::set_authorizer(const Authorizer& authorizer, const UserInfo& user,
                                const Resource& resource) {
  State& s = *state_;
  if (is_nameless(user)) {
    static constexpr ErrorValue kRefused{kNameless};
    for (std::string_view name : {"authorizer", "authorizer.requestResource"})
      set(name, outer(portcullis::Value::error(&kRefused)));
    return;
  }
  s.authorizer.target = &authorizer;
  s.user = user_of(user, s.extra);
  s.authorized.reset();
  set("authorizer", outer(authorizer_value(s.authorized, &s.authorizer, s.user)));
  set("authorizer.requestResource",
      outer(resource_check_value(s.authorized, &s.authorizer, s.user,
                                 {resource.group, resource.resource, resource.subresource,
                                  resource.namespace_name, resource.name})));
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
  bounds.max_memory = limits.max_memory;
  bounds.max_steps = limits.max_steps;
  portcullis::Outcome made = evaluate(*s.program, s.activation, s.context, bounds);
  s.outcome = {outer(made.value), made.cost, made.cancelled};
  return s.outcome;
}

}  // namespace portcullis::v1
