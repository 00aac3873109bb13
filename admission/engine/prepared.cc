// See prepared.h.
#include "admission/engine/prepared.h"

#include <fmt/format.h>

#include <algorithm>

#include "admission/expressions/expression_places.h"
#include "admission/scalars/group_version.h"
#include "admission/scalars/names.h"
#include "grammar/quote.h"
#include "grammar/shared_parses.h"
#include "interpreter/formats/text.h"

namespace portcullis {
namespace {

// The kind as kind_text() prints it; empty if its apiVersion is malformed.
std::string param_kind_text(const Data& kind) {
  const auto [group, version, well_formed] = split_api_version(kind.field_text("apiVersion"));
  return well_formed ? kind_text(group, version, kind.field_text("kind")) : std::string();
}

// Compiles the expressions of one policy, untrimmed. Match conditions of stored policies may use `variables`,
// so variables are compiled first.
class PolicyCompilation {
 public:
  PolicyCompilation(LoadedPolicy& out, const Data& object, std::vector<PlacedExpression> all,
                    ExpressionVersion version, ProgramStore& store, SharedParses* parses)
      : out_(out),
        spec_(object["spec"]),
        params_(spec_["paramKind"].set),
        version_(version),
        store_(store),
        compiler_(true, &store, parses) {
    std::ranges::stable_partition(
        all, [](const PlacedExpression& e) { return e.place->role == ExpressionRole::Variable; });
    for (const PlacedExpression& e : all) add(e);
    out_.mutation_count = spec_["mutations"].size();
  }

 private:
  void add(const PlacedExpression& e) {
    switch (e.place->role) {
      case ExpressionRole::Variable:
        return add_variable(out_.variables, store_.keep(e.name), store_.keep(e.text),
                            compiler_.variable(e.name, e.text, e.place->declared(params_), version_),
                            *store_.texts());
      case ExpressionRole::MatchCondition: out_.conditions.push_back(expression(e)); break;
      case ExpressionRole::Validation: validation(e); break;
      case ExpressionRole::Message:
        if (e.text.empty()) {
          out_.messages.emplace_back().absent = true;
        } else {
          out_.has_messages = true;
          out_.messages.push_back(expression(e));
        }
        break;
      case ExpressionRole::Annotation: annotation(e); break;
      case ExpressionRole::ApplyConfiguration: mutation(e, "ApplyConfiguration"); break;
      case ExpressionRole::JsonPatch: mutation(e, "JSONPatch"); break;
    }
  }
  PolicyExpression expression(const PlacedExpression& e) {
    return policy_expression(
        store_.keep(e.text),
        compiler_.compile(e.text, e.place->results, e.place->declared(params_), version_), *store_.texts());
  }
  void validation(const PlacedExpression& e) {
    out_.checks.push_back(expression(e));
    const Data& v = spec_["validations"].items[e.index];
    PolicyValidation& validation = out_.validations.emplace_back();
    validation.message = store_.keep(trim_space(v["message"].text));
    validation.reason = v["reason"].set ? store_.keep(v["reason"].text) : "Invalid";
  }
  void annotation(const PlacedExpression& e) {
    out_.annotation_values.push_back(expression(e));
    PolicyAnnotation& annotation = out_.annotations.emplace_back();
    annotation.key = store_.keep(e.name);
    const std::string key = fmt::format("{}/{}", out_.name, annotation.key);
    bool valid = std::count(key.begin(), key.end(), '/') == 1 && names::label_key(key).empty();
    if (valid) annotation.audit_key = store_.keep(key);
  }

  // Skips an expression that does not belong to the patchType of its entry.
  void mutation(const PlacedExpression& e, std::string_view type) {
    if (spec_["mutations"].items[e.index].field_text("patchType") != type) return;
    CompiledExpression compiled =
        compiler_.compile(e.text, e.place->results, e.place->declared(params_), version_);
    PolicyMutation& made = out_.mutations.emplace_back();
    made.json_patch = e.place->role == ExpressionRole::JsonPatch;
    made.expression = policy_expression(store_.keep(e.text), compiled, *store_.texts());
    // Mutations report it without "compilation error: ".
    made.expression.compile_error = store_.keep(compiled.error);
  }

  LoadedPolicy& out_;
  const Data spec_;
  bool params_;
  ExpressionVersion version_;
  ProgramStore& store_;
  PolicyCompiler compiler_;
};

}  // namespace

FailurePolicy failure_policy_of(const Data& object) {
  const Data& text = object["failurePolicy"];
  if (!text.set || text.text == "Fail") return FailurePolicy::Fail;
  return text.text == "Ignore" ? FailurePolicy::Ignore : FailurePolicy::Unknown;
}

LoadedPolicy& PreparedPolicies::add(const Data& object, bool mutating) {
  LoadedPolicy p;
  p.name = store_.texts()->copy(object["metadata"].field_text("name"));
  const Data& spec = object["spec"];
  const Data& kind = spec["paramKind"];
  p.has_param_kind = kind.set;
  if (kind.set) p.param_kind = store_.keep(param_kind_text(kind));
  p.failure_text = store_.keep(spec.field_text("failurePolicy"));
  p.failure = failure_policy_of(spec);
  p.match = rules_of(spec["matchConstraints"], true);
  p.reinvoked = spec.field_text("reinvocationPolicy") == "IfNeeded";
  const std::vector<PlacedExpression> expressions = expressions_of(object);
  PolicyCompilation(p, object, expressions, version_, store_, parses_);
  if (parses_ != nullptr) {
    for (const PlacedExpression& e : expressions) parses_->forget(e.text);
  }
  p.number = static_cast<uint32_t>(policies(mutating).size());
  return policies(mutating).emplace_back(std::move(p));
}

uint32_t PreparedPolicies::rules_of(const Data& match, bool required) {
  std::pair<bool, std::string> text{required, match.set ? go_json(match) : std::string()};
  auto [at, fresh] = rules_of_.try_emplace(std::move(text), static_cast<uint32_t>(rules_.size()));
  if (fresh) rules_.emplace_back(match, required);
  return at->second;
}

PolicyExpression policy_expression(std::string_view text, const CompiledExpression& compiled, Arena& texts) {
  PolicyExpression out;
  out.text = text;
  out.program = compiled.program;
  if (!compiled.error.empty()) out.compile_error = texts.copy("compilation error: " + compiled.error);
  return out;
}

void add_variable(std::vector<PolicyVariable>& variables, std::string_view name, std::string_view text,
                  const CompiledExpression& compiled, Arena& texts) {
  auto same = std::ranges::find(variables, name, &PolicyVariable::name);
  PolicyVariable& variable = same != variables.end() ? *same : variables.emplace_back();
  variable.name = name;
  variable.text = text;
  variable.program = compiled.program;
  variable.compile_error = {};
  if (compiled.error.empty()) return;
  variable.compile_error =
      texts.copy(fmt::format("composited variable {} fails to compile: {}", quote(name), compiled.error));
}

}  // namespace portcullis
