#include "admission/typing/typecheck.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "admission/expressions/expression_places.h"
#include "admission/expressions/variable_fields.h"
#include "admission/objects/request.h"
#include "admission/scalars/group_version.h"
#include "admission/scalars/spelling.h"
#include "admission/typing/checked_kinds.h"
#include "admission/typing/false_alarms.h"
#include "admission/typing/guards.h"
#include "grammar/shared_parses.h"
#include "typecheck/check.h"

namespace portcullis {
namespace {

// Suffixes of the type names of `object` and `params`. Kubernetes appends nanoseconds, so that no expression
// can name the type. These bytes, which UTF-8 does not have, stand in no expression either, and are not shown.
constexpr char kObjectMark = '\xfe', kParamsMark = '\xff';

std::string without_marks(std::string text) {
  std::erase_if(text, [](char c) { return c == kObjectMark || c == kParamsMark; });
  return text;
}

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
  bool authorizer = true;
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
  if (d.authorizer) builder.variable("authorizer", builder.types().structure(kAuthorizerType));
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

// An expression, parsed and checked for one kind.
class Checked {
 public:
  Checked(std::string_view text, const Environment& environment, SharedParses& parses) : source_(text) {
    Parsed parsed = parses.copy(source_, environment.parse_options());
    diagnostics_ = std::move(parsed.diagnostics);
    if (!diagnostics_.empty()) return;
    ast_ = std::move(parsed.ast);
    diagnostics_ = check(ast_, environment, annotations_);
    if (diagnostics_.empty()) output_ = ast_.root->type;
  }

  const Type* output() const { return output_; }  // null if there are diagnostics
  const Diagnostics& diagnostics() const { return diagnostics_; }
  std::string rendered() const { return without_marks(render(source_, diagnostics_)); }
  const Ast& ast() const { return ast_; }
  Position position(const Diagnostic& d) const {
    if (d.offset < 0) return {};
    Location l = source_.location(d.offset);
    return {l.line, l.column + 1};
  }

 private:
  Source source_;
  Ast ast_;
  Annotations annotations_;
  Diagnostics diagnostics_;
  const Type* output_ = nullptr;
};

const Expr* find_node(const Expr* e, ExprId id) {
  if (e == nullptr || e->id == id) return e;
  const Expr* found = nullptr;
  for_each_child(*e, [&](const Expr& child) {
    if (found == nullptr) found = find_node(&child, id);
  });
  return found;
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

// The name from which the fields of the node are selected: object of object.spec.replicas; null if it is none.
const Expr* root_of(const Expr& e) {
  const Expr* at = &e;
  while (at->kind == ExprKind::Select) at = at->target;
  return at->kind == ExprKind::Ident ? at : nullptr;
}

// The struct of a name; empty if the node is none, or of another type.
std::string_view struct_of(const Expr& e) {
  const bool is = e.kind == ExprKind::Ident && e.type != nullptr && e.type->is(TypeKind::Struct);
  return is ? std::string_view(e.type->name()) : std::string_view();
}

bool is_variables(const Expr& e) { return struct_of(e) == kVariablesType; }
bool is_request(const Expr& e) { return struct_of(e) == kRequestType; }
bool is_object(const Expr& e) { return struct_of(e).ends_with(kObjectMark); }

// Of object and oldObject, the one that is null in all requests of the operation; empty if none is.
std::string_view null_object(Operation operation) {
  return operation == Operation::Delete ? "object" : operation == Operation::Update ? "" : "oldObject";
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
      decided_.clear();
      for (Operation o : kAllOperations) {
        if ((operations & operation_bit(o)) != 0) decided_.push_back({o});
      }
      check_kind(kind, object, warnings);
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

  void check_kind(const KindId& kind, const Types& object, std::vector<std::string>& warnings) {
    Declared declared{object, params_, has_params_};
    Declared outside = declared;  // for match conditions
    outside.request_resource = true;
    declared.variables = std::make_shared<VariableFields>();
    Declared whole = declared;
    if (all_) whole.whole = std::make_shared<WholeVariables>();
    auto environment = environment_of(declared), conditions = environment_of(outside);
    auto precise = environment_of(whole);
    if (environment == nullptr || conditions == nullptr || precise == nullptr) return;
    deciding_variables_.clear();
    deciding_conditions_.clear();
    for (const PlacedExpression& c : conditions_) deciding_conditions_.emplace_back(c, *conditions, parses_);
    check_variables(kind, declared, *environment, whole, *precise);
    for (size_t i = 0; i < sites_.size(); i++) {
      const PlacedExpression& site = sites_[i];
      const bool variables = site.place->variables;
      const Environment& env = variables ? *environment : *conditions;
      Checked checked(site.text, env, parses_);
      if (all_ && variables) {
        Checked more(site.text, *precise, parses_);
        add_issues(site, kind, more, whole, *precise, &checked.diagnostics());
      } else {
        add_issues(site, kind, checked, variables ? declared : outside, env);
      }
      if (checked.output() != nullptr || !is_server(site)) continue;
      if (!warnings[i].empty()) warnings[i] += '\n';
      warnings[i] += kind.text() + ": " + checked.rendered() + "\n";
    }
  }

  void check_variables(const KindId& kind, const Declared& declared, const Environment& environment,
                       const Declared& whole, const Environment& precise) {
    for (const PlacedExpression& variable : variables_) {
      const Checked& checked = deciding_variables_.emplace_back(variable, environment, parses_).checked;
      declared.variables->add(variable.name, checked.output());
      if (!all_) continue;
      Checked more(variable.text, precise, parses_);
      whole.whole->add(variable.name, more.output());
      add_issues(variable, kind, more, whole, precise);
    }
  }

  // `server`: the API server's diagnostics of the expression, if they differ.
  void add_issues(const PlacedExpression& site, const KindId& kind, const Checked& checked,
                  const Declared& declared, const Environment& environment,
                  const Diagnostics* server = nullptr) {
    std::set<ExprId> selections;
    add_selections(checked.ast().root, selections);
    const std::vector<KindFacts> facts = facts_of(site, kind, checked);
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

  using Known = std::optional<Literal>;
  using Values = std::map<std::string_view, Literal>;  // of variables

  // What is known of a variable or match condition for the kind.
  struct Deciding {
    Deciding(const PlacedExpression& s, const Environment& environment, SharedParses& parses)
        : site(&s), checked(s.text, environment, parses) {}

    const PlacedExpression* site;
    Checked checked;
    std::optional<std::set<ExprId>> missing = {};  // see missing_in
  };
  // What is known in requests of an operation: of the first so many variables and conditions.
  struct Decided {
    Operation operation;
    size_t variables = 0, conditions = 0;
    Values values = {};
    std::set<const PlacedExpression*> false_conditions = {};
  };

  // What is known of the expression in requests of each operation in which the policy evaluates it.
  std::vector<KindFacts> facts_of(const PlacedExpression& site, const KindId& kind, const Checked& checked) {
    std::vector<KindFacts> out;
    if (checked.ast().root == nullptr || checked.diagnostics().empty()) return out;
    const std::set<ExprId> missing = missing_in(kind, checked);
    for (Decided& d : decided_) {
      decide(kind, d);
      const bool left_out = std::ranges::any_of(
          d.false_conditions, [&](const PlacedExpression* c) { return c->path != site.path; });
      if (!left_out)
        add_facts(*checked.ast().root, site, kind, d.operation, missing, d.values, out.emplace_back());
    }
    return out;
  }

  // Adds what the variables and conditions say that are checked since.
  void decide(const KindId& kind, Decided& d) {
    for (; d.variables < deciding_variables_.size(); d.variables++) {
      Deciding& variable = deciding_variables_[d.variables];
      if (Known value = value_of(variable, kind, d)) d.values.insert_or_assign(variable.site->name, *value);
    }
    for (; d.conditions < deciding_conditions_.size(); d.conditions++) {
      Deciding& condition = deciding_conditions_[d.conditions];
      if (value_of(condition, kind, d) == Known(Literal(false))) d.false_conditions.insert(condition.site);
    }
  }

  Known value_of(Deciding& e, const KindId& kind, const Decided& d) {
    if (e.checked.ast().root == nullptr) return {};
    if (!e.missing) e.missing = missing_in(kind, e.checked);
    KindFacts facts;
    add_facts(*e.checked.ast().root, *e.site, kind, d.operation, *e.missing, d.values, facts);
    return known_value(*e.checked.ast().root, facts);
  }

  // The nodes has() of fields that the kind does not have.
  std::set<ExprId> missing_in(const KindId& kind, const Checked& checked) const {
    std::set<ExprId> missing;
    for (const Diagnostic& d : checked.diagnostics().items()) {
      const Expr* node = find_node(checked.ast().root, d.id);
      if (node != nullptr && node->test_only && why_wrong(d, kind, *node).empty()) missing.insert(d.id);
    }
    return missing;
  }

  void add_facts(const Expr& e, const PlacedExpression& site, const KindId& kind, Operation operation,
                 const std::set<ExprId>& missing, const Values& values, KindFacts& out) const {
    const Expr* of = e.kind == ExprKind::Select && !e.test_only ? e.target : nullptr;
    if (is_object(e) && e.name == null_object(operation)) out[e.id] = {};
    if (of != nullptr && e.name == "operation" && is_request(*of))
      out[e.id] = std::string(operation_name(operation));
    if (of != nullptr && is_variables(*of)) {
      if (const auto value = values.find(e.name); value != values.end()) out[e.id] = value->second;
    }
    if (of != nullptr && e.name == "kind") {
      const bool of_request = of->kind == ExprKind::Select && of->name == "kind" && is_request(*of->target);
      if (of_request || (is_object(*of) && is_there(of, site, operation))) out[e.id] = kind.kind;
    }
    if (missing.contains(e.id) && is_there(root_of(e), site, operation)) out[e.id] = false;
    for_each_child(e,
                   [&](const Expr& child) { add_facts(child, site, kind, operation, missing, values, out); });
  }

  // Whether the object with this name is not null in requests of the operation. Other names may hold the object that is
  // null if the expression or a variable names it.
  bool is_there(const Expr* root, const PlacedExpression& site, Operation operation) const {
    const std::string_view null = null_object(operation);
    if (null.empty()) return true;
    if (root != nullptr && (root->name == "object" || root->name == "oldObject")) return root->name != null;
    const auto names = [&](const PlacedExpression& e) { return e.text.find(null) != e.text.npos; };
    return !names(site) && std::ranges::none_of(variables_, names);
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
  // Of the kind that is checked: the operations of its requests, and its variables and conditions, as far as checked.
  std::vector<Decided> decided_;
  std::deque<Deciding> deciding_variables_, deciding_conditions_;
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
