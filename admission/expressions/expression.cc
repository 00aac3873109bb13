#include "admission/expressions/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "interpreter/compile_shared.h"

namespace portcullis {
namespace {

TypePool& pool() {
  static TypePool made;
  return made;
}

std::shared_ptr<const Environment> base_environment(ExpressionVersion version) {
  return version.stored ? stored_environment() : new_environment(version.version);
}

// An environment with the variables of a policy. Never fails, because these declarations never conflict.
std::shared_ptr<const Environment> build_environment(PolicyVariables declared, ExpressionVersion version,
                                                     bool composed,
                                                     std::shared_ptr<const TypeProvider> fields) {
  EnvironmentBuilder builder(base_environment(version));
  add_policy_variables(builder, declared);
  if (composed) {
    builder.provider(std::move(fields));
    builder.variable("variables", variables_type());
  }
  auto built = builder.build();
  return built.ok() ? *built : nullptr;
}

std::tuple<bool, bool, bool, std::shared_ptr<const Environment>> key_of(PolicyVariables d,
                                                                        ExpressionVersion v) {
  return {d.params, d.authorizer, d.patch_types, base_environment(v)};
}

// Environments that do not depend on a policy, each built once.
std::shared_ptr<const Environment> common_environment(PolicyVariables declared, ExpressionVersion version,
                                                      bool composed) {
  static std::mutex mutex;
  static std::map<std::pair<bool, decltype(key_of(declared, version))>, std::shared_ptr<const Environment>>
      made;
  std::lock_guard lock(mutex);
  auto& slot = made[{composed, key_of(declared, version)}];
  if (slot == nullptr)
    slot = build_environment(declared, version, composed, std::make_shared<VariableFields>());
  return slot;
}

}  // namespace

std::string_view ProgramStore::keep(std::string_view text) {
  auto found = kept_.find(text);
  return found != kept_.end() ? *found : *kept_.insert(texts_->copy(text)).first;
}

void ProgramStore::forget() {
  kept_ = {};
  programs_ = {};
  failures_ = {};
}

CompiledExpression ProgramStore::find(const Environment& environment, std::string_view text) const {
  CompiledExpression out;
  if (auto programs = programs_.find(&environment); programs != programs_.end()) {
    if (auto made = programs->second.find(text); made != programs->second.end()) {
      out.program = made->second.program;
      out.output = made->second.output;
      return out;
    }
  }
  auto failure = failures_.find({&environment, text});
  return failure != failures_.end() ? failure->second : out;
}

void ProgramStore::add(const Environment& environment, std::string_view text,
                       const CompiledExpression& made) {
  if (made.error.empty())
    programs_[&environment].emplace(keep(text), Made{made.program, made.output});
  else
    failures_.emplace(std::pair(&environment, keep(text)), made);
}

PolicyCompiler::PolicyCompiler(bool composed, ProgramStore* store, SharedParses* parses)
    : composed_(composed), store_(store), parses_(parses) {}
PolicyCompiler::~PolicyCompiler() = default;

std::shared_ptr<const Environment> PolicyCompiler::environment(bool own, PolicyVariables declared,
                                                               ExpressionVersion version) {
  if (!own) return common_environment(declared, version, composed_);
  auto& slot = environments_[key_of(declared, version)];
  if (slot == nullptr) slot = build_environment(declared, version, composed_, fields_);
  return slot;
}

CompiledExpression PolicyCompiler::build(std::string_view text,
                                         std::shared_ptr<const Environment> environment) {
  CompiledExpression out;
  auto expression = compile_shared(text, std::move(environment), parses_);
  if (!expression.ok()) {
    out.error = "compilation failed: " + expression.error().text;
    return out;
  }
  ProgramOptions options;
  if (store_ != nullptr) options.paths = store_->paths_;
  out.output = (*expression)->output_type();
  if (store_ != nullptr) {
    out.output = store_->types_.copy(out.output);
  } else {
    out.expression = *expression;
  }
  auto program = make_program(*expression, options);
  if (program.ok()) {
    out.program = *program;
  } else {
    out.error = "program instantiation failed: " + program.error().text;
    out.internal = true;
  }
  return out;
}

CompiledExpression PolicyCompiler::compile(std::string_view text, std::span<const Type* const> results,
                                           PolicyVariables declared, ExpressionVersion version) {
  // An expression that does not mention `variables` does not depend on their declarations.
  bool own = fields_ != nullptr && text.find("variables") != std::string_view::npos;
  auto env = environment(own, declared, version);
  CompiledExpression out;
  if (own || store_ == nullptr) {
    out = build(text, env);
  } else {
    out = store_->find(*env, text);
    if (out.program == nullptr && out.error.empty()) store_->add(*env, text, out = build(text, env));
  }
  if (out.output == nullptr) return out;
  bool fits = results.empty() || std::any_of(results.begin(), results.end(), [&](const Type* t) {
                return t->is(TypeKind::Any) || same_type(t, out.output);
              });
  if (fits) return out;
  std::string wanted;
  for (const Type* t : results) wanted += (wanted.empty() ? "" : " ") + type_string(t);
  std::string got = type_string(out.output);
  // The result type is checked before the program is made.
  out.program = nullptr;
  out.internal = false;
  out.error = results.size() == 1 ? fmt::format("must evaluate to {} but got {}", wanted, got)
                                  : fmt::format("must evaluate to one of [{}] but got {}", wanted, got);
  return out;
}

CompiledExpression PolicyCompiler::variable(std::string_view name, std::string_view text,
                                            PolicyVariables declared, ExpressionVersion version) {
  CompiledExpression out = compile(text, {}, declared, version);
  if (fields_ == nullptr) fields_ = std::make_shared<VariableFields>();
  bool typed = out.error.empty() && out.output != nullptr;
  fields_->add(name, typed ? out.output : nullptr);
  return out;
}

const Type* apply_configuration_type() {
  static const Type* const made = pool().structure("Object");
  return made;
}
const Type* json_patch_list_type() {
  static const Type* const made = pool().list(pool().structure("JSONPatch"));
  return made;
}

}  // namespace portcullis
