#include "admission/typing/request_facts.h"

#include <algorithm>
#include <utility>

#include "admission/expressions/environment.h"
#include "admission/expressions/variable_fields.h"

namespace portcullis {
namespace {

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

}  // namespace

RequestFacts::RequestFacts(std::string kind, uint8_t operations, WhyWrong why_wrong,
                           const std::vector<PlacedExpression>& variables)
    : kind_(std::move(kind)), why_wrong_(std::move(why_wrong)), all_variables_(variables) {
  for (Operation o : kAllOperations) {
    if ((operations & operation_bit(o)) != 0) decided_.push_back({o});
  }
}

void RequestFacts::add_condition(const PlacedExpression& condition, const Environment& environment,
                                 SharedParses& parses) {
  conditions_.emplace_back(condition, environment, parses);
}

const Checked& RequestFacts::add_variable(const PlacedExpression& variable, const Environment& environment,
                                          SharedParses& parses) {
  return variables_.emplace_back(variable, environment, parses).checked;
}

// What is known of the expression in requests of each operation in which the policy evaluates it.
std::vector<KindFacts> RequestFacts::of(const PlacedExpression& site, const Checked& checked) {
  std::vector<KindFacts> out;
  if (checked.ast().root == nullptr || checked.diagnostics().empty()) return out;
  const std::set<ExprId> missing = missing_in(checked);
  for (Decided& d : decided_) {
    decide(d);
    const bool left_out = std::ranges::any_of(
        d.false_conditions, [&](const PlacedExpression* c) { return c->path != site.path; });
    if (!left_out) add_facts(*checked.ast().root, site, d.operation, missing, d.values, out.emplace_back());
  }
  return out;
}

// Adds what the variables and conditions say that are checked since.
void RequestFacts::decide(Decided& d) {
  for (; d.variables < variables_.size(); d.variables++) {
    Deciding& variable = variables_[d.variables];
    if (Known value = value_of(variable, d)) d.values.insert_or_assign(variable.site->name, *value);
  }
  for (; d.conditions < conditions_.size(); d.conditions++) {
    Deciding& condition = conditions_[d.conditions];
    if (value_of(condition, d) == Known(Literal(false))) d.false_conditions.insert(condition.site);
  }
}

RequestFacts::Known RequestFacts::value_of(Deciding& e, const Decided& d) {
  if (e.checked.ast().root == nullptr) return {};
  if (!e.missing) e.missing = missing_in(e.checked);
  KindFacts facts;
  add_facts(*e.checked.ast().root, *e.site, d.operation, *e.missing, d.values, facts);
  return known_value(*e.checked.ast().root, facts);
}

// The nodes has() of fields that the kind does not have.
std::set<ExprId> RequestFacts::missing_in(const Checked& checked) const {
  std::set<ExprId> missing;
  for (const Diagnostic& d : checked.diagnostics().items()) {
    const Expr* node = find_node(checked.ast().root, d.id);
    if (node != nullptr && node->test_only && why_wrong_(d, *node).empty()) missing.insert(d.id);
  }
  return missing;
}

void RequestFacts::add_facts(const Expr& e, const PlacedExpression& site, Operation operation,
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
    if (of_request || (is_object(*of) && is_there(of, site, operation))) out[e.id] = kind_;
  }
  if (missing.contains(e.id) && is_there(root_of(e), site, operation)) out[e.id] = false;
  for_each_child(e, [&](const Expr& child) { add_facts(child, site, operation, missing, values, out); });
}

// Whether the object with this name is not null in requests of the operation. Other names may hold the object that is
// null if the expression or a variable names it.
bool RequestFacts::is_there(const Expr* root, const PlacedExpression& site, Operation operation) const {
  const std::string_view null = null_object(operation);
  if (null.empty()) return true;
  if (root != nullptr && (root->name == "object" || root->name == "oldObject")) return root->name != null;
  const auto names = [&](const PlacedExpression& e) { return e.text.find(null) != e.text.npos; };
  return !names(site) && std::ranges::none_of(all_variables_, names);
}

}  // namespace portcullis
