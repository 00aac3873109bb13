// Compiles the rules of a schema: see rules.h. Each rule is checked with the types of its place
// (decl_type.h). The checked tree shows whether it uses oldSelf or the whole object.
#include "admission/crd/field_path.h"
#include "admission/crd/rules.h"
#include "interpreter/formats/text.h"
#include "typecheck/check.h"
#include "typecheck/estimate.h"

namespace portcullis::crd {
namespace {

constexpr std::string_view kSelf = "self", kOldSelf = "oldSelf";
constexpr std::string_view kRootType = "selfType";

bool refers_to(const Expr& e, std::string_view name) {
  bool found = e.reference != nullptr && e.reference->name == name;
  for_each_child(e, [&](const Expr& child) { found = found || refers_to(child, name); });
  return found;
}

struct Compiled {
  std::string error;
  ExpressionPtr expression;
  ProgramPtr program;
  uint64_t max_cost = 0;
};

// One sort of expression: `type` is its required result type, the texts are upstream's for each failure.
struct Words {
  TypeKind type;
  std::string_view compilation, wrong_type, instantiation;
};
constexpr Words kRuleWords = {TypeKind::Bool,
                              "compilation failed: ", "cel expression must evaluate to a bool",
                              "program instantiation failed: "};
constexpr Words kMessageWords = {
    TypeKind::String, "messageExpression compilation failed: ", "messageExpression must evaluate to a string",
    "messageExpression instantiation failed: "};

Compiled compile_one(std::string_view text, const std::shared_ptr<const Environment>& environment,
                     const SizeEstimator& sizes, const Words& words) {
  Result<ExpressionPtr> expression = compile(text, environment);
  if (!expression.ok()) return {std::string(words.compilation) + expression.error().text};
  if (!(*expression)->output_type()->is(words.type)) return {std::string(words.wrong_type)};
  Result<ProgramPtr> program = make_program(*expression);
  if (!program.ok()) return {std::string(words.instantiation) + program.error().text};
  return {{}, *expression, *program, estimate((*expression)->ast(), *environment, &sizes).max};
}

std::shared_ptr<const Environment> node_environment(const RuleEnvironment& environment,
                                                    const std::shared_ptr<const DeclTypes>& types,
                                                    bool optional_old_self) {
  EnvironmentBuilder builder(environment.base);
  const Type* self = types->root()->type;
  builder.provider(types).variable(kSelf, self);
  if (environment.old_self)
    builder.variable(kOldSelf, optional_old_self ? builder.types().optional(self) : self);
  auto built = builder.build();
  return built.ok() ? *built : nullptr;
}

}  // namespace

RuleEnvironment stored_rules() { return {.base = stored_environment()}; }

RuleEnvironment new_rules(KubernetesVersion version) {
  constexpr KubernetesVersion kOldSelfSince{1, 24}, kKeywordsSince{1, 31};
  return {new_environment(version), version >= kKeywordsSince, version >= kOldSelfSince, {}};
}

const RuleMemo::Kept* RuleMemo::find(const Environment& environment, const std::string& path) const {
  std::lock_guard lock(mutex_);
  const auto found = places_.find({&environment, path});
  return found == places_.end() ? nullptr : &found->second;
}

void RuleMemo::keep(const Environment& environment, const std::string& path, Kept kept) {
  std::lock_guard lock(mutex_);
  places_.try_emplace({&environment, path}, std::move(kept));
}

namespace {

// Compiles rules of one place.
class RuleCompiler {
 public:
  RuleCompiler(const RulePlace& place, const RuleEnvironment& environment)
      : schema_(*place.schema),
        type_(*place.type),
        environment_(environment),
        types_(std::make_shared<const DeclTypes>(type_, kRootType, environment.keywords)),
        plain_(node_environment(environment, types_, false)),
        optional_(node_environment(environment, types_, true)),
        sizes_(type_) {}

  // `number`: of the rule in its list.
  CompiledRule compile(const RuleText& rule, size_t number) const {
    CompiledRule made;
    if (trim_space(rule.rule).empty()) return made;
    const auto& scope = rule.optional_old_self.value_or(false) ? optional_ : plain_;
    Compiled compiled = compile_one(rule.rule, scope, sizes_, kRuleWords);
    if (compiled.expression != nullptr)
      made.uses_old_self = refers_to(*compiled.expression->ast().root, kOldSelf);
    made.error = std::move(compiled.error);
    tell(number, false, compiled);
    if (!made.error.empty()) return made;
    made.program = std::move(compiled.program);
    made.max_cost = compiled.max_cost;
    made.max_cardinality = max_cardinality(type_);
    if (!rule.message_expression.empty()) {
      Compiled message = compile_one(rule.message_expression, scope, sizes_, kMessageWords);
      made.message_error = std::move(message.error);
      tell(number, true, message);
      if (!made.message_error.empty()) return made;
      made.message = std::move(message.program);
      made.message_max_cost = message.max_cost;
    }
    if (rule.field_path.empty()) return made;
    if (Result<FieldPath> path = valid_field_path(rule.field_path, schema_); path.ok())
      made.field_path = path->text;
    return made;
  }

 private:
  void tell(size_t number, bool message, const Compiled& compiled) const {
    if (environment_.told && compiled.expression != nullptr)
      environment_.told(number, message, compiled.expression, sizes_);
  }

  const Schema& schema_;
  const DeclType& type_;
  const RuleEnvironment& environment_;
  const std::shared_ptr<const DeclTypes> types_;
  const std::shared_ptr<const Environment> plain_, optional_;
  const DeclSizes sizes_;
};

}  // namespace

CompiledRules compile_rules(const RulePlace& place, const std::vector<RuleText>& rules,
                            const RuleEnvironment& environment) {
  CompiledRules out;
  if (rules.empty()) return out;
  if (place.type == nullptr) {
    out.error = "failed to convert to declType for CEL validation rules";
    return out;
  }
  const RuleMemo::Kept* known =
      environment.memo == nullptr ? nullptr : environment.memo->find(*environment.base, place.path);
  std::optional<RuleCompiler> compiler;
  for (size_t i = 0; i < rules.size(); i++) {
    if (known != nullptr && i < known->texts.size() && known->texts[i] == rules[i]) {
      out.rules.push_back(known->compiled.rules[i]);
      continue;
    }
    if (!compiler) compiler.emplace(place, environment);
    out.rules.push_back(compiler->compile(rules[i], i));
  }
  if (environment.memo != nullptr && known == nullptr)
    environment.memo->keep(*environment.base, place.path, {rules, out, place.types});
  return out;
}

}  // namespace portcullis::crd
