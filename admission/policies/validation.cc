#include "admission/policies/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "admission/builtin/access.h"
#include "admission/expressions/expression.h"
#include "admission/scalars/names.h"
#include "grammar/ascii.h"
#include "interpreter/formats/text.h"
#include "interpreter/values/json.h"

namespace portcullis {

bool ValidExpressions::contains(const Key& key) const { return keys_.contains(key); }

void ValidExpressions::add(Key key) {
  if (keys_.size() == kMost) keys_.clear();
  keys_.insert(std::move(key));
}

namespace {

constexpr size_t kMaxMatchConditions = 64;
constexpr size_t kMaxAuditAnnotations = 20;
// In bytes. Results are truncated at 10 kB; an expression that concatenates gives more than its own length.
constexpr size_t kMaxValueExpression = 5 * 1024;
constexpr std::string_view kStaticSuffix = ".static.k8s.io";

// --- expressions -------------------------------------------------------------------------------------------

// Whether `name` is a CEL identifier and no reserved word.
bool is_identifier(std::string_view name) {
  auto letter = [](char c) { return c == '_' || is_letter(c); };
  if (name.empty() || !letter(name[0])) return false;
  if (!std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || is_digit(c); })) return false;
  return !one_of(name, {"true",     "false",   "null",      "in",       "as",  "break",  "const",
                        "continue", "else",    "for",       "function", "if",  "import", "let",
                        "loop",     "package", "namespace", "return",   "var", "void",   "while"});
}

// Compiles the expressions of one policy or webhook.
class Expressions {
 public:
  // `params`: the policy has a paramKind. `composed`: `variables` is declared.
  Expressions(bool params, bool composed, const ConditionOptions& options, FieldErrors& errors)
      : params_(params),
        composed_(composed),
        before_(options.before),
        setting_(options.setting),
        compiler_(composed, nullptr, setting_.parses),
        errors_(errors) {}

  // Compiles the expression at `place` and reports its errors. `name`: of a variable, which it declares.
  void compile(const ExpressionPlace& place, std::string_view text, const std::string& path,
               std::string_view name = {}) {
    std::string_view compiled_text = place.trimmed ? trim_space(text) : text;
    // Upstream trims match conditions first, and shows patches in the compiled form.
    std::string_view written = place.role == ExpressionRole::MatchCondition ? compiled_text : text;
    std::string_view shown = place.patch_types ? compiled_text : written;
    bool stored = before_.has(place.earlier, written);
    ExpressionVersion version{.stored = stored, .version = setting_.version};
    PolicyVariables declared = place.declared(params_);
    // A callback must see every expression, and variables need their types, so neither is skipped.
    const bool may_be_known = setting_.valid != nullptr && !setting_.told &&
                              place.role != ExpressionRole::Variable &&
                              compiled_text.find("variables") == compiled_text.npos;
    ValidExpressions::Key key;
    if (may_be_known) {
      const Environment* base = new_environment(setting_.version).get();
      key = {&place, params_, composed_, stored, base, std::string(compiled_text)};
      if (setting_.valid->contains(key)) return;
    }
    CompiledExpression compiled = place.role == ExpressionRole::Variable
                                      ? compiler_.variable(name, compiled_text, declared, version)
                                      : compiler_.compile(compiled_text, place.results, declared, version);
    if (setting_.told) setting_.told(path, compiled);
    if (compiled.error.empty()) {
      if (may_be_known) setting_.valid->add(std::move(key));
      return;
    }
    if (compiled.internal) return errors_.internal(path, compiled.error);
    errors_.invalid(path, shown, compiled.error);
  }

  void variables(const Data& list, const std::string& path) {
    for (size_t i = 0; i < list.size(); i++) variable(list.items[i], index(path, i));
  }

  void validation(const Data& v, const std::string& path) {
    std::string_view expression = v["expression"].text;
    if (trim_space(expression).empty()) {
      errors_.required(child(path, "expression"), "expression is not specified");
    } else {
      compile(place_of(ExpressionRole::Validation), expression, child(path, "expression"));
    }
    message_expression(v["messageExpression"].text, child(path, "messageExpression"));
    message(v["message"].text, child(path, "message"));
    const Data& reason = v["reason"];
    if (reason.set && !one_of(reason.text, {"Forbidden", "Invalid", "RequestEntityTooLarge"})) {
      errors_.not_supported(child(path, "reason"), reason.text,
                            {"Forbidden", "Invalid", "RequestEntityTooLarge"});
    }
  }

  void annotation(const Data& a, std::string_view policy, const std::string& path) {
    std::string_view key = a["key"].text, expression = a["valueExpression"].text;
    if (policy.empty()) {
      errors_.invalid(child(path, "key"), key, "requires metadata.name be non-empty");
    } else {
      validate_qualified_name(fmt::format("{}/{}", policy, key), child(path, "key"), errors_);
    }
    std::string at = child(path, "valueExpression");
    std::string_view trimmed = trim_space(expression);
    if (trimmed.empty()) return errors_.required(at, "valueExpression is not specified");
    if (trimmed.size() > kMaxValueExpression)
      return errors_.required(at, "must not exceed 5120 bytes in length");
    compile(place_of(ExpressionRole::Annotation), expression, at);
  }

  void mutation(const Data& m, const std::string& path) {
    std::string_view type = m.field_text("patchType");
    if (type.empty()) return errors_.required(child(path, "patchType"));
    if (!one_of(type, {"ApplyConfiguration", "JSONPatch"})) {
      return errors_.not_supported(child(path, "patchType"), type, {"ApplyConfiguration", "JSONPatch"});
    }
    bool apply = type == "ApplyConfiguration";
    std::string_view field = apply ? "applyConfiguration" : "jsonPatch",
                     other = apply ? "jsonPatch" : "applyConfiguration";
    if (!m[field].set) {
      errors_.required(child(path, field), fmt::format("must be specified when patchType is {}", type));
    } else {
      patch(place_of(apply ? ExpressionRole::ApplyConfiguration : ExpressionRole::JsonPatch),
            m[field]["expression"].text, child(child(path, field), "expression"));
    }
    if (m[other].set) {
      errors_.invalid(child(path, other), fmt::format("{{{}}}", other),
                      fmt::format("must not be specified when patchType is {}", type));
    }
  }

 private:
  void variable(const Data& v, const std::string& path) {
    std::string_view name = v["name"].text, expression = v["expression"].text;
    if (trim_space(name).empty()) {
      errors_.required(child(path, "name"), "name is not specified");
    } else if (!is_identifier(name)) {
      errors_.invalid(child(path, "name"), name, "must be a valid CEL identifier");
    }
    if (trim_space(expression).empty())
      return errors_.required(child(path, "expression"), "expression is not specified");
    compile(place_of(ExpressionRole::Variable), expression, child(path, "expression"), name);
  }
  void message_expression(std::string_view expression, const std::string& path) {
    if (expression.empty()) return;
    if (trim_space(expression).empty())
      return errors_.invalid(path, expression, "must be non-empty if specified");
    compile(place_of(ExpressionRole::Message), expression, path);
  }
  void message(std::string_view message, const std::string& path) {
    std::string_view trimmed = trim_space(message);
    if (!message.empty() && trimmed.empty()) {
      errors_.invalid(path, message, "must be non-empty if specified");
    } else if (trimmed.find_first_of("\n\r") != std::string_view::npos) {
      errors_.invalid(path, message, "must not contain line breaks");
    }
  }
  void patch(const ExpressionPlace& place, std::string_view expression, const std::string& path) {
    if (trim_space(expression).empty()) return errors_.required(path);
    compile(place, expression, path);
  }

  bool params_, composed_;
  const Preexisting& before_;
  const ExpressionSetting& setting_;
  PolicyCompiler compiler_;
  FieldErrors& errors_;
};

// --- kinds -------------------------------------------------------------------------------------------------

void validate_failure_policy(const Data& policy, const std::string& path, FieldErrors& errors) {
  if (!policy.set) {
    errors.required(path);
  } else if (!one_of(policy.text, {"Fail", "Ignore"})) {
    errors.not_supported(path, policy.text, {"Fail", "Ignore"});
  }
}

// Checks what both sorts of policies have before their variables.
void validate_policy_head(const Data& spec, ConditionOptions options, bool mutating, FieldErrors& errors) {
  validate_failure_policy(spec["failurePolicy"], "spec.failurePolicy", errors);
  if (spec["paramKind"].set) {
    options.params = true;
    validate_param_kind(spec["paramKind"], "spec.paramKind", errors);
  }
  const Data& match = spec["matchConstraints"];
  if (!match.set) {
    errors.required("spec.matchConstraints");
  } else {
    validate_match_resources(match, "spec.matchConstraints", errors);
    if (match["resourceRules"].size() == 0) errors.required("spec.matchConstraints.resourceRules");
    if (mutating) validate_mutating_operations(match, "spec.matchConstraints", errors);
  }
  if (!options.ignore)
    validate_match_conditions(spec["matchConditions"], options, "spec.matchConditions", errors);
}

void validate_policy(const Data& object, const ConditionOptions& options, FieldErrors& errors) {
  const Data& spec = object["spec"];
  validate_policy_head(spec, options, false, errors);
  const Data &validations = spec["validations"], &annotations = spec["auditAnnotations"];
  Expressions expressions(spec["paramKind"].set, spec["variables"].size() > 0, options, errors);
  expressions.variables(spec["variables"], "spec.variables");
  if (validations.size() == 0 && annotations.size() == 0) {
    constexpr std::string_view kNone = "validations or auditAnnotations must contain at least one item";
    errors.required("spec.validations", kNone);
    errors.required("spec.auditAnnotations", kNone);
    return;
  }
  for (size_t i = 0; i < validations.size(); i++)
    expressions.validation(validations.items[i], index("spec.validations", i));
  if (annotations.size() > kMaxAuditAnnotations) {
    std::string json;  // of Go's internal struct, which has no JSON names
    for (const Data& a : annotations.items) {
      json += fmt::format("{}{{\"Key\":{},\"ValueExpression\":{}}}", json.empty() ? "[" : ",",
                          quote_json(a["key"].text, JsonEscape::Go),
                          quote_json(a["valueExpression"].text, JsonEscape::Go));
    }
    errors.invalid_json("spec.auditAnnotations", json + "]",
                        fmt::format("must not have more than {} auditAnnotations", kMaxAuditAnnotations));
  }
  std::set<std::string_view> keys;
  for (size_t i = 0; i < annotations.size(); i++) {
    std::string at = index("spec.auditAnnotations", i);
    const Data& a = annotations.items[i];
    expressions.annotation(a, object["metadata"].field_text("name"), at);
    if (!keys.insert(a["key"].text).second) errors.duplicate(child(at, "key"), a["key"].text);
  }
}

void validate_mutating_policy(const Data& object, const ConditionOptions& options, FieldErrors& errors) {
  const Data& spec = object["spec"];
  validate_policy_head(spec, options, true, errors);
  Expressions expressions(spec["paramKind"].set, true, options, errors);
  expressions.variables(spec["variables"], "spec.variables");
  const Data& mutations = spec["mutations"];
  if (mutations.size() == 0) errors.required("spec.mutations", "mutations must contain at least one item");
  for (size_t i = 0; i < mutations.size(); i++)
    expressions.mutation(mutations.items[i], index("spec.mutations", i));
  std::string_view reinvocation = spec.field_text("reinvocationPolicy");
  if (reinvocation.empty()) {
    errors.required("spec.reinvocationPolicy");
  } else if (!one_of(reinvocation, {"IfNeeded", "Never"})) {
    errors.not_supported("spec.reinvocationPolicy", reinvocation, {"IfNeeded", "Never"});
  }
}

void validate_actions(const Data& actions, const std::string& path, FieldErrors& errors) {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < actions.size(); i++) {
    std::string_view action = actions.items[i].text;
    if (!one_of(action, {"Audit", "Deny", "Warn"}))
      errors.not_supported(index(path, i), action, {"Audit", "Deny", "Warn"});
    if (!seen.insert(action).second) errors.duplicate_named(index(path, i), action);
  }
  if (seen.contains("Deny") && seen.contains("Warn")) {
    errors.invalid_json(
        path, strings_json(actions),
        "must not contain both Deny and Warn (repeating the same validation failure information in the API "
        "response and headers serves no purpose)");
  }
  if (seen.empty()) errors.required(path, "at least one validation action is required");
}

void validate_binding(const Data& object, bool mutating, FieldErrors& errors) {
  const Data& spec = object["spec"];
  std::string_view policy = spec.field_text("policyName");
  if (policy.empty()) {
    errors.required("spec.policyName");
  } else {
    for (const std::string& message : names::dns1123_subdomain(policy))
      errors.invalid("spec.policyName", policy, message);
  }
  validate_param_ref(spec["paramRef"], "spec.paramRef", errors);
  validate_match_resources(spec["matchResources"], "spec.matchResources", errors);
  if (mutating) {
    validate_mutating_operations(spec["matchResources"], "spec.matchResources", errors);
  } else {
    validate_actions(spec["validationActions"], "spec.validationActions", errors);
  }
}

// A rule declared in the API types replaces the handwritten error of the same meaning; its error comes last
// and without detail. Only these two rules are in force (beta in 1.37). They ignore unchanged fields.
void declarative_binding_rules(const Data& spec, const Data* old, FieldErrors& errors) {
  for (std::string_view field : {"policyName", "validationActions"}) {
    if (!spec[field].text.empty() || spec[field].size() > 0) continue;
    if (old != nullptr && semantic_equal(spec[field], (*old)[field])) continue;
    std::string path = child("spec", field);
    std::erase_if(errors.list,
                  [&](const FieldError& e) { return e.field == path && e.type == "FieldValueRequired"; });
    errors.required(path);
  }
}

// The registry passes its list through an aggregate, which drops repeated messages.
void drop_repeated(FieldErrors& errors) {
  std::set<std::string> seen;
  std::erase_if(errors.list, [&](const FieldError& e) { return !seen.insert(e.message).second; });
}

// The kind's own validation; `old` is null on create.
void validate_object(const ApiKind& kind, const Data& object, const Data* old, FieldErrors& errors,
                     const ExpressionSetting& setting) {
  validate_metadata(object["metadata"], NameRule::Subdomain, errors, false, old != nullptr);
  ConditionOptions options{.setting = setting};
  if (old != nullptr) {
    const Data &now = object["spec"], &before = (*old)["spec"];
    options.ignore = semantic_equal(now["paramKind"], before["paramKind"]) &&
                     semantic_equal(now["matchConditions"], before["matchConditions"]);
    options.before = Preexisting(*old);
  }
  if (kind.kind == "ValidatingAdmissionPolicy") {
    validate_policy(object, options, errors);
  } else if (kind.kind == "MutatingAdmissionPolicy") {
    validate_mutating_policy(object, options, errors);
  } else if (kind.kind.ends_with("Binding")) {
    validate_binding(object, kind.kind.starts_with("Mutating"), errors);
  } else {
    validate_webhooks(kind, object, old, errors, setting);
  }
}

}  // namespace

Preexisting::Preexisting(const Data& object) {
  for (const PlacedExpression& e : expressions_of(object))
    texts_[static_cast<size_t>(e.place->role)].emplace(e.text);
}

void validate_match_conditions(const Data& conditions, const ConditionOptions& options,
                               const std::string& path, FieldErrors& errors) {
  if (conditions.size() > kMaxMatchConditions) errors.too_many(path, conditions.size(), kMaxMatchConditions);
  // `variables` are never declared here, although they are at run time.
  Expressions expressions(options.params, false, options, errors);
  std::set<std::string_view> seen;
  for (size_t i = 0; i < conditions.size(); i++) {
    const Data& c = conditions.items[i];
    std::string at = index(path, i);
    std::string_view name = c["name"].text;
    std::string_view expression = c["expression"].text;
    if (trim_space(expression).empty()) {
      errors.required(child(at, "expression"));
    } else {
      expressions.compile(place_of(ExpressionRole::MatchCondition), expression, child(at, "expression"));
    }
    if (name.empty()) {
      errors.required(child(at, "name"));
      continue;
    }
    validate_qualified_name(name, child(at, "name"), errors);
    if (!seen.insert(name).second) errors.duplicate(child(at, "name"), name);
  }
}

std::vector<FieldError> validate_create(const ApiKind& kind, const Data& object,
                                        const ExpressionSetting& setting) {
  FieldErrors errors;
  // The strategy of the registry first sets the generation and clears the status; validation reads neither.
  const Data& meta = object["metadata"];
  validate_object(kind, object, nullptr, errors, setting);
  std::string_view name = meta.field_text("name");
  if (name.ends_with(kStaticSuffix)) {
    errors.invalid("metadata.name", name,
                   "names ending with \".static.k8s.io\" are reserved for static manifest-based "
                   "configurations and cannot be "
                   "managed via the API");
  }
  if (errors.list.empty()) validate_metadata(meta, NameRule::PathSegment, errors, false, false);
  drop_repeated(errors);
  if (kind.kind == "ValidatingAdmissionPolicyBinding")
    declarative_binding_rules(object["spec"], nullptr, errors);
  return std::move(errors.list);
}

std::vector<FieldError> validate_update(const ApiKind& kind, const Data& object, const Data& old) {
  FieldErrors errors;
  const Data &meta = object["metadata"], &old_meta = old["metadata"];
  std::string_view part = kind.kind.ends_with("Configuration") ? "webhooks" : "spec";
  bool same = part == "spec" ? semantic_equal(object[part], old[part]) : deep_equal(object[part], old[part]);
  if (!same)
    builtin::set(builtin::as_object(meta.value), "generation",
                 Value::integer(old_meta["generation"].number + 1));
  validate_metadata(meta, NameRule::PathSegment, errors);
  validate_metadata_update(meta, old_meta, errors);
  validate_object(kind, object, &old, errors, {});
  drop_repeated(errors);
  if (kind.kind == "ValidatingAdmissionPolicyBinding") {
    const Data& before = old["spec"];
    declarative_binding_rules(object["spec"], &before, errors);
  }
  return std::move(errors.list);
}

std::vector<std::string> object_warnings(const ApiKind& kind, const Data& object, bool update) {
  std::vector<std::string> warnings;
  if (update && object["metadata"].field_text("name").ends_with(kStaticSuffix)) {
    warnings.push_back(
        "metadata.name: names ending with \".static.k8s.io\" are reserved for static manifest-based "
        "configurations and cannot be "
        "managed via the API");
  }
  if (kind.kind.ends_with("Configuration")) webhook_warnings(object, warnings);
  return warnings;
}

}  // namespace portcullis
