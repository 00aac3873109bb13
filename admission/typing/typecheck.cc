#include "admission/typing/typecheck.h"

#include <algorithm>
#include <map>
#include <set>

#include "admission/expressions/expression_places.h"
#include "admission/expressions/variable_fields.h"
#include "admission/scalars/group_version.h"
#include "admission/scalars/spelling.h"
#include "admission/typing/checked.h"
#include "admission/typing/checked_kinds.h"
#include "admission/typing/false_alarms.h"
#include "admission/typing/request_facts.h"

namespace portcullis {
namespace {

KindId params_kind(const Data& spec) {
  const Data& kind = spec["paramKind"];
  if (!kind.set) return {};
  GroupVersion parts = split_api_version(kind["apiVersion"].text);
  if (!parts.well_formed) return {};
  return {std::string(parts.group), std::string(parts.version), std::string(kind["kind"].text)};
}

using Types = std::shared_ptr<const crd::DeclTypes>;

// `variables` with the full types of variables. To the API server (VariableFields) a variable that holds an
// object is dyn, so it does not check variables.spec.x.
class WholeVariables final : public TypeProvider {
 public:
  const Type* find_struct(std::string_view name) const override {
    return name == kVariablesType ? variables_type() : nullptr;
  }
  const Type* find_field(std::string_view structure, std::string_view field) const override {
    auto found = structure == kVariablesType ? fields_.find(field) : fields_.end();
    return found == fields_.end() ? nullptr : found->second;
  }
  // Declares or replaces `variables.name`. If `type` is null (the variable does not compile), it is dyn.
  void add(std::string_view name, const Type* type) {
    fields_[std::string(name)] = type == nullptr ? types::kDyn : pool_.copy(type);
  }

 private:
  TypePool pool_;
  std::map<std::string, const Type*, std::less<>> fields_;
};

// The declarations that an expression may use.
struct Declared {
  Types object, params;
  bool has_params = false;
  bool request_resource = false;
  std::shared_ptr<VariableFields> variables;  // null: not declared
  std::shared_ptr<WholeVariables> whole;      // if not null, declares them in place of `variables`
};

std::shared_ptr<const Environment> environment_of(const Declared& d) {
  EnvironmentBuilder builder(stored_environment());
  const TypeProvider* provider = admission_types();
  builder.provider(provider);
  builder.variable("namespaceObject", provider->find_struct(kNamespaceType));
  builder.variable("request", provider->find_struct(kRequestType));
  auto type_of = [](const Types& t) {
    return t != nullptr && t->root() != nullptr ? t->root()->type : types::kDyn;
  };
  builder.variable("object", type_of(d.object));
  builder.variable("oldObject", type_of(d.object));
  if (d.object != nullptr) builder.provider(d.object);
  if (d.has_params) {
    builder.variable("params", type_of(d.params));
    if (d.params != nullptr) builder.provider(d.params);
  }
  builder.variable("authorizer", builder.types().structure(kAuthorizerType));
  if (d.request_resource) {
    builder.variable("authorizer.requestResource", builder.types().structure(kResourceCheckType));
  }
  if (d.variables != nullptr) {
    d.whole != nullptr ? builder.provider(d.whole) : builder.provider(d.variables);
    builder.variable("variables", variables_type());
  }
  auto built = builder.build();
  return built.ok() ? *built : nullptr;
}

// The type from which the node selects a field; null if it selects none, or if the type is unknown.
const Type* selected_from(const Expr& e) {
  bool optional = e.is_call(operators::kOptSelect, 2);
  const Expr* operand = optional ? e.args[0] : e.kind == ExprKind::Select ? e.target : nullptr;
  if (operand == nullptr || operand->type == nullptr) return nullptr;
  return operand->type->is_optional() ? operand->type->param(0) : operand->type;
}

// Whether the node tests for a field: has(a.b) or a.?b.
bool asks(const Expr& e) { return e.test_only || e.is_call(operators::kOptSelect, 2); }

// Adds the nodes that select a field of the object.
void add_selections(const Expr* e, std::set<ExprId>& out) {
  if (e == nullptr) return;
  const Type* from = selected_from(*e);
  if (from != nullptr && from->is(TypeKind::Struct) && from->name().find(kObjectMark) != std::string::npos)
    out.insert(e->id);
  for_each_child(*e, [&](const Expr& child) { add_selections(&child, out); });
}

// The names of the fields of a struct.
std::vector<std::string> field_names(std::string_view structure, const Declared& d) {
  std::vector<std::string> out;
  for (const Types& types : {d.object, d.params}) {
    const crd::DeclType* type = types == nullptr ? nullptr : types->find_object(structure);
    if (type == nullptr) continue;
    for (const auto& [name, field] : type->fields) out.push_back(name);
  }
  for (const TypeField& f : admission_type_fields()) {
    if (f.structure == structure) out.emplace_back(f.field);
  }
  if (d.variables != nullptr && structure == kVariablesType) {
    for (std::string_view name : d.variables->names()) out.emplace_back(name);
  }
  return out;
}

// The most similar field or name for an undefined one.
std::string suggestion_for(const Diagnostic& problem, const Checked& checked, const Declared& d,
                           const Environment& env) {
  const Expr* node = find_node(checked.ast().root, problem.id);
  if (node == nullptr) return {};
  if (problem.message.starts_with("undefined field")) {
    const Type* t = selected_from(*node);
    if (t == nullptr) return {};
    size_t open = problem.message.find('\''), close = problem.message.rfind('\'');
    std::string_view field = std::string_view(problem.message).substr(open + 1, close - open - 1);
    return std::string(nearest(field, field_names(t->name(), d)));
  }
  if (problem.message.starts_with("undeclared reference to") && node->kind == ExprKind::Ident) {
    std::vector<std::string> names;
    for (const auto& [name, type] : env.variables()) names.emplace_back(name);
    return std::string(nearest(node->name, names));
  }
  return {};
}

class PolicyCheck {
 public:
  PolicyCheck(const Data& policy, const SchemaCatalog& catalog, TypecheckScope scope, SharedParses& parses)
      : spec_(policy["spec"]), catalog_(catalog), parses_(parses), all_(scope == TypecheckScope::Everything) {
    add_sites(policy);
  }

  TypeReport run() {
    report_.params = params_kind(spec_);
    has_params_ = report_.params != KindId{};
    if (has_params_) params_ = catalog_.types_of(report_.params, report_.params.kind + kParamsMark, all_);
    std::vector<std::string> warnings(sites_.size());
    for (const auto& [kind, operations] : kinds_to_check(spec_, catalog_, all_)) {
      Types object = catalog_.types_of(kind, kind.kind + kObjectMark, all_);
      if (object == nullptr) continue;
      report_.kinds.push_back(kind);
      check_kind(kind, operations, object, warnings);
    }
    find_other_kinds();
    for (size_t i = 0; i < sites_.size(); i++) {
      if (!warnings[i].empty()) report_.warnings.push_back({sites_[i].path, std::move(warnings[i])});
    }
    return std::move(report_);
  }

 private:
  // The expressions that the API server checks come first.
  void add_sites(const Data& policy) {
    for (PlacedExpression& e : expressions_of(policy)) {
      bool variable = e.place->role == ExpressionRole::Variable;
      if (e.place->role == ExpressionRole::MatchCondition) conditions_.push_back(e);
      if (!variable && !all_ && !is_server(e)) continue;
      if (e.place->role == ExpressionRole::Message && e.text.empty()) continue;
      (variable ? variables_ : sites_).push_back(std::move(e));
    }
    std::ranges::stable_partition(sites_, is_server);
  }
  // Whether the API server checks the expression.
  static bool is_server(const PlacedExpression& e) {
    return e.place->role == ExpressionRole::Validation || e.place->role == ExpressionRole::Message;
  }

  void check_kind(const KindId& kind, uint8_t operations, const Types& object,
                  std::vector<std::string>& warnings) {
    Declared declared{object, params_, has_params_};
    Declared outside = declared;  // for match conditions
    outside.request_resource = true;
    declared.variables = std::make_shared<VariableFields>();
    Declared whole = declared;
    if (all_) whole.whole = std::make_shared<WholeVariables>();
    auto environment = environment_of(declared), conditions = environment_of(outside);
    auto precise = environment_of(whole);
    if (environment == nullptr || conditions == nullptr || precise == nullptr) return;
    const auto why_wrong_here = [&](const Diagnostic& d, const Expr& node) {
      return why_wrong(d, kind, node);
    };
    RequestFacts facts(kind.kind, operations, why_wrong_here, variables_);
    for (const PlacedExpression& c : conditions_) facts.add_condition(c, *conditions, parses_);
    check_variables(kind, facts, declared, *environment, whole, *precise);
    for (size_t i = 0; i < sites_.size(); i++) {
      const PlacedExpression& site = sites_[i];
      const bool variables = site.place->variables;
      const Environment& env = variables ? *environment : *conditions;
      Checked checked(site.text, env, parses_);
      if (all_ && variables) {
        Checked more(site.text, *precise, parses_);
        add_issues(site, kind, facts, more, whole, *precise, &checked.diagnostics());
      } else {
        add_issues(site, kind, facts, checked, variables ? declared : outside, env);
      }
      if (checked.output() != nullptr || !is_server(site)) continue;
      if (!warnings[i].empty()) warnings[i] += '\n';
      warnings[i] += kind.text() + ": " + checked.rendered() + "\n";
    }
  }

  void check_variables(const KindId& kind, RequestFacts& facts, const Declared& declared,
                       const Environment& environment, const Declared& whole, const Environment& precise) {
    for (const PlacedExpression& variable : variables_) {
      const Checked& checked = facts.add_variable(variable, environment, parses_);
      declared.variables->add(variable.name, checked.output());
      if (!all_) continue;
      Checked more(variable.text, precise, parses_);
      whole.whole->add(variable.name, more.output());
      add_issues(variable, kind, facts, more, whole, precise);
    }
  }

  // `server`: the API server's diagnostics of the expression, if they differ.
  void add_issues(const PlacedExpression& site, const KindId& kind, RequestFacts& request_facts,
                  const Checked& checked, const Declared& declared, const Environment& environment,
                  const Diagnostics* server = nullptr) {
    std::set<ExprId> selections;
    add_selections(checked.ast().root, selections);
    const std::vector<KindFacts> facts = request_facts.of(site, checked);
    for (const Diagnostic& d : checked.diagnostics().items()) {
      bool found = server == nullptr || std::ranges::any_of(server->items(), [&](const Diagnostic& other) {
                     return other.offset == d.offset && other.message == d.message;
                   });
      selections.erase(d.id);
      if (d.message.starts_with("undefined field")) {
        const Expr* node = find_node(checked.ast().root, d.id);
        undefined_.push_back({report_.issues.size(), d.id, node != nullptr && asks(*node)});
      }
      report_.issues.push_back({site.path,
                                kind,
                                without_marks(d.message),
                                suggestion_for(d, checked, declared, environment),
                                why_false_for(d, kind, checked, facts),
                                {},
                                checked.position(d),
                                is_server(site) && found});
    }
    for (ExprId id : selections) selected_.try_emplace({site.path, id}, kind.kind);
    const Type* output = checked.output();
    if (!all_ || output == nullptr || output->is_dyn() || site.place->results.empty()) return;
    for (const Type* t : site.place->results) {
      if (same_type(t, output)) return;
    }
    std::string wanted;
    for (const Type* t : site.place->results) wanted += (wanted.empty() ? "" : " or ") + type_string(t);
    report_.issues.push_back({site.path,
                              kind,
                              "must evaluate to " + wanted + " but got " + without_marks(type_string(output)),
                              {},
                              {},
                              {},
                              {},
                              false});
  }

  // Finds undefined fields that another kind of the policy has: such a policy must test for the field.
  void find_other_kinds() {
    for (const Undefined& u : undefined_) {
      TypeIssue& issue = report_.issues[u.issue];
      auto found = selected_.find({issue.field, u.node});
      if (found == selected_.end()) continue;
      issue.has_field = found->second;
      if (u.asked && issue.why_false.empty())
        issue.why_false = "the expression asks whether it is there, and " + found->second + " has it";
    }
  }

  std::string why_false_for(const Diagnostic& d, const KindId& kind, const Checked& checked,
                            const std::vector<KindFacts>& facts) const {
    const Expr* node = find_node(checked.ast().root, d.id);
    if (node == nullptr) return {};
    const auto guarded = [&](const KindFacts& f) { return is_guarded(*checked.ast().root, d.id, f); };
    if (std::ranges::all_of(facts, guarded))
      return "a test of object.kind or has() keeps such objects away from it";
    return why_wrong(d, kind, *node);
  }

  std::string why_wrong(const Diagnostic& d, const KindId& kind, const Expr& node) const {
    std::string object = kind.kind + kObjectMark, params = report_.params.kind + kParamsMark;
    SchemaRoot roots[] = {{object, catalog_.schema_of(kind)},
                          {params, has_params_ ? catalog_.schema_of(report_.params) : nullptr}};
    return why_false(d.message, node, roots);
  }

  const Data spec_;
  const SchemaCatalog& catalog_;
  SharedParses& parses_;
  bool all_;
  bool has_params_ = false;
  Types params_;
  std::vector<PlacedExpression> variables_, conditions_, sites_;
  struct Undefined {
    size_t issue;  // index in the report
    ExprId node;
    bool asked;  // whether the expression tests for the field
  };
  std::vector<Undefined> undefined_;
  std::map<std::pair<std::string, ExprId>, std::string>
      selected_;  // by place and node: a kind that has the field
  TypeReport report_;
};

}  // namespace

TypeReport typecheck_policy(const Decoded& policy, const SchemaCatalog& catalog, TypecheckScope scope,
                            SharedParses* parses) {
  TypeReport failed;
  failed.error = !policy.error.empty() ? policy.error : policy.unsupported;
  if (failed.error.empty() && (policy.kind == nullptr || policy.kind->kind != "ValidatingAdmissionPolicy")) {
    failed.error = "policy is no ValidatingAdmissionPolicy";
  }
  if (!failed.error.empty()) return failed;
  SharedParses own;  // parses each expression once for all kinds
  return PolicyCheck(policy.data, catalog, scope, parses == nullptr ? own : *parses).run();
}

}  // namespace portcullis
