// See failure_place.h.
#include "cli/reports/failure_place.h"

#include <algorithm>

#include "admission/expressions/expression_places.h"

namespace portcullis {
namespace {

using TracePart = ReviewTrace::Part;

std::string expression_path(ExpressionRole role, int index) {
  return expression_path(role, static_cast<size_t>(index));
}

// Copies what the trace has about an expression of the policy.
void take_place(ReviewFailure& f, const TracedFailure& traced, const InputObject& policy) {
  f.blame = traced.blame;
  f.subject = traced.subject;
  f.values = traced.values;
  for (const ExplainedExpression& v : traced.variables)
    f.variables.push_back(placed(v, policy, variable_path(policy, v.name)));
}

UnusedMessage unused_message(const TracedFailure& traced, const InputObject& policy) {
  UnusedMessage out;
  static_cast<ExplainedExpression&>(out) =
      placed(traced, policy, expression_path(ExpressionRole::Message, traced.index));
  out.why = traced.error;
  for (const ExplainedExpression& v : traced.variables)
    out.variables.push_back(placed(v, policy, variable_path(policy, v.name)));
  return out;
}

// The message expression that exhausted the budget.
UnusedMessage exhausted_message(int index, const InputObject& policy) {
  UnusedMessage out;
  std::string path = expression_path(ExpressionRole::Message, index);
  const Value* text = find_path(policy.value, path);
  if (text == nullptr || !text->is(Kind::String)) return out;
  out.text = text->as_text();
  out.blame = 0;
  out.position = policy.locate_in(path, out.text, out.blame);
  out.why = "the cost budget of the policy runs out in it";
  return out;
}

void place_conditions(ReviewFailure& f, const InputObject& policy, const FailureTrace& trace) {
  for (const TracedFailure& t : trace.failures()) {
    if (t.part != TracePart::MatchCondition || t.mutating != f.mutating || t.policy != f.policy ||
        t.param != f.param || t.error.empty())
      continue;
    ExplainedExpression condition = placed(t, policy, condition_path(t.index));
    condition.name = condition_name(policy, t.index);
    if (f.conditions.empty()) f.position = condition.position;
    f.conditions.push_back(std::move(condition));
  }
}

}  // namespace

ExplainedExpression placed(ExplainedExpression expression, const InputObject& object,
                           const std::string& path) {
  expression.position = object.locate_in(path, expression.text, expression.blame);
  return expression;
}

std::string variable_path(const InputObject& policy, std::string_view name) {
  std::span<const Value> variables = list_at(policy.value, "spec.variables");
  size_t found = variables.size();
  for (size_t i = 0; i < variables.size(); i++) {  // the later of two with one name counts
    if (text_member(variables[i], "name") == name) found = i;
  }
  return found == variables.size() ? "spec.variables" : expression_path(ExpressionRole::Variable, found);
}

std::string condition_path(int index) { return expression_path(ExpressionRole::MatchCondition, index); }

std::string condition_name(const InputObject& policy, int index) {
  std::span<const Value> conditions = list_at(policy.value, "spec.matchConditions");
  size_t i = static_cast<size_t>(index);
  return i < conditions.size() ? std::string(text_member(conditions[i], "name")) : std::string();
}

void place_failure(ReviewFailure& f, const ValidationOutcome& o, const ReviewCluster& cluster,
                   const FailureTrace& trace) {
  const InputObject* object = o.of_binding ? cluster.binding(o.binding) : cluster.policy(o.policy);
  if (object == nullptr) return;
  f.policy_file = object->file->name;
  if (o.validation >= 0) {
    f.position = object->locate(expression_path(ExpressionRole::Validation, o.validation));
    if (const TracedFailure* t = trace.find(TracePart::Validation, o.policy, o.param, o.validation))
      take_place(f, *t, *object);
    const TracedFailure* t = trace.find(TracePart::Message, o.policy, o.param, o.validation);
    if (t != nullptr && o.kind == ValidationOutcome::Kind::Failed)  // not if the common budget is exhausted
      f.unused_message = unused_message(*t, *object);
    if (o.item >= 0) f.unused_message = exhausted_message(o.item, *object);
  } else if (o.item >= 0) {
    const TracedFailure* t = trace.find(TracePart::Annotation, o.policy, o.param, o.item);
    if (t != nullptr) take_place(f, *t, *object);
    f.position =
        object->locate_in(expression_path(ExpressionRole::Annotation, o.item), f.expression, f.blame);
  } else {
    if (o.field == "spec.matchConditions") place_conditions(f, *object, trace);
    if (!f.conditions.empty()) return;
    f.position = object->locate(o.field);
    f.source = object->file->text;
  }
}

std::optional<ReviewFailure> rule_failure(const CustomOutcome& outcome, const CustomOutcome::Error& error,
                                          const FailureTrace& trace) {
  if (!error.rule) return std::nullopt;
  const InputObject& definition = *outcome.by->object;
  const crd::FailedRule& rule = outcome.rules[*error.rule];
  ReviewFailure f;
  f.definition = definition.name;
  f.rule = outcome.version + "/" + rule.path;
  f.expression = rule.text;
  f.message = error.error->message;
  f.denied = true;
  f.error = rule.error;
  f.policy_file = definition.file->name;
  if (const TracedRule* traced = trace.rule(*error.rule)) {
    f.blame = traced->blame;
    f.values = traced->values;
  }
  f.position = definition.locate_in(error.rule_path, f.expression, f.blame);
  return f;
}

void add_evaluated(ReviewResult& result, const ValidationOutcome& o) {
  if (o.validation < 0) return;
  result.evaluated.push_back(
      {o.policy, o.expression, o.validation, o.kind == ValidationOutcome::Kind::Passed, o.cost});
}

std::string mutation_path(const MutationOutcome& o) {
  return expression_path(o.json_patch ? ExpressionRole::JsonPatch : ExpressionRole::ApplyConfiguration,
                         std::max(o.mutation, 0));
}

void place_failure(ReviewFailure& f, const MutationOutcome& o, const ReviewCluster& cluster,
                   const FailureTrace& trace) {
  const InputObject* object =
      o.of_binding ? cluster.binding(o.binding, true) : cluster.policy(o.policy, true);
  if (object == nullptr) return;
  f.policy_file = object->file->name;
  if (o.mutation >= 0) {
    const TracedFailure* t = trace.find(TracePart::Mutation, o.policy, o.param, o.mutation, true);
    if (t != nullptr) take_place(f, *t, *object);
    f.position = object->locate_in(mutation_path(o), f.expression, f.blame);
    return;
  }
  if (o.field == "spec.matchConditions") place_conditions(f, *object, trace);
  if (!f.conditions.empty()) return;
  f.position = object->locate(o.field);
  f.source = object->file->text;
}

}  // namespace portcullis
