// See costs.h.
#include "cli/costs.h"

#include <algorithm>
#include <tuple>

#include "admission/engine/stage.h"
#include "admission/expressions/expression.h"
#include "typecheck/estimate.h"

namespace portcullis {
namespace {

using Part = ReviewTrace::Part;

// What Kubernetes says of an evaluation that takes more than kPerCallCostLimit.
constexpr std::string_view kCancelled = "operation cancelled: actual cost limit exceeded";

// The lists of expressions of a policy, in the order in which they are compiled.
struct ListRow {
  std::string_view list, field, suffix;  // suffix: of the label, where a list has several expressions
  std::optional<Part> part;
};
constexpr ListRow kLists[] = {
    {"matchConditions", "expression", "", Part::MatchCondition},
    {"variables", "expression", "", std::nullopt},
    {"validations", "expression", "", Part::Validation},
    {"validations", "messageExpression", " message", Part::Message},
    {"auditAnnotations", "valueExpression", "", Part::Annotation},
    {"mutations", "applyConfiguration.expression", " apply", std::nullopt},
    {"mutations", "jsonPatch.expression", " patch", std::nullopt},
};

class Costs {
 public:
  Costs(const InputObject& object, KubernetesVersion version, PolicyCosts& out)
      : object_(object), version_(version), out_(out) {
    const Value* spec = find_member(object.value, "spec");
    declared_.params = spec != nullptr && find_member(*spec, "paramKind") != nullptr;
    declared_.authorizer = true;
  }

  void policy() {
    for (const ListRow& row : kLists) {
      // Of expressions that belong to one entry, the second stands behind the first.
      if (row.part == Part::Message) continue;
      list("spec.", row);
    }
  }
  void webhooks() {
    const Value* hooks = find_member(object_.value, "webhooks");
    size_t count = hooks != nullptr && hooks->is(Kind::List) ? hooks->as_list().size() : 0;
    for (size_t i = 0; i < count; i++)
      list("webhooks[" + std::to_string(i) + "].", {"matchConditions", "expression", "", {}});
  }

 private:
  void list(const std::string& parent, const ListRow& row) {
    const Value* list = find_path(object_.value, parent + std::string(row.list));
    if (list == nullptr || !list->is(Kind::List)) return;
    for (size_t i = 0; i < list->as_list().size(); i++) {
      std::string entry = parent + std::string(row.list) + "[" + std::to_string(i) + "]";
      expression(entry, row, list->as_list()[i], static_cast<int>(i));
      if (row.part == Part::Validation) expression(entry, kLists[3], list->as_list()[i], static_cast<int>(i));
    }
  }

  void expression(const std::string& entry, const ListRow& row, const Value& value, int index) {
    const Value* text = find_path(value, row.field);
    if (text == nullptr || !text->is(Kind::String)) return;
    ExpressionCost cost;
    cost.path = entry + "." + std::string(row.field);
    // Behind "spec.", with the name of a variable, condition or annotation.
    cost.label = entry.substr(entry.starts_with("spec.") ? 5 : 0);
    std::string_view name = text_member(value, row.list == "auditAnnotations" ? "key" : "name");
    if (!name.empty()) cost.label += " " + std::string(name);
    cost.label += row.suffix;
    cost.position = object_.locate(cost.path, true);
    cost.part = row.part;
    cost.index = index;
    estimate_of(row, *text, value, cost);
    out_.expressions.push_back(std::move(cost));
  }

  void estimate_of(const ListRow& row, const Value& text, const Value& value, ExpressionCost& cost) {
    bool condition = row.list == "matchConditions";
    PolicyVariables declared = declared_;
    declared.authorizer = row.part != Part::Message;
    declared.patch_types = row.list == "mutations";
    PolicyCompiler& compiler = condition ? plain_ : composed_;
    CompiledExpression compiled =
        row.list == "variables"
            ? compiler.variable(text_member(value, "name"), text.as_text(), declared, {false, version_})
            : compiler.compile(text.as_text(), {}, declared, {false, version_});
    if (compiled.expression == nullptr) return;
    CostEstimate range = estimate(compiled.expression->ast(), compiled.expression->environment());
    cost.estimated = true;
    cost.min = range.min;
    cost.max = range.max;
  }

  const InputObject& object_;
  KubernetesVersion version_;
  PolicyCosts& out_;
  PolicyVariables declared_;
  PolicyCompiler plain_{false}, composed_{true};
};

}  // namespace

PolicyCosts static_costs(const InputObject& policy, KubernetesVersion version) {
  PolicyCosts out;
  out.object = &policy;
  Costs costs(policy, version, out);
  policy.kind.ends_with("WebhookConfiguration") ? costs.webhooks() : costs.policy();
  return out;
}

bool same_measure(const PolicyCosts& a, const PolicyCosts& b) {
  auto sums = [](const PolicyCosts& c) {
    return std::tuple(c.evaluations, c.conditions, c.validations, c.annotations);
  };
  return sums(a) == sums(b) && std::ranges::equal(a.expressions, b.expressions, {}, &ExpressionCost::measured,
                                                  &ExpressionCost::measured);
}

void add_cost_problems(const PolicyCosts& costs, std::vector<PolicyProblem>& out) {
  auto add = [&](std::string path, const InputObject& on, std::string_view than, int64_t limit,
                 std::string_view then) {
    std::string text = path + ": ";
    text.append(than).append(" of ").append(std::to_string(limit)).append(" on ").append(on.kind);
    text.append(" ").append(on.name).append(" (").append(on.file->name).append("), ").append(then);
    Position at = costs.object->locate(path, true);
    out.push_back({costs.object, Severity::Warning, std::move(path), std::move(text), at});
  };
  for (const ExpressionCost& c : costs.expressions) {
    if (c.cancelled_on != nullptr)
      add(c.path, *c.cancelled_on, "costs more than the limit", static_cast<int64_t>(kPerCallCostLimit),
          "which cancels it");
  }
  auto over = [&](const char* path, const InputObject* on, int64_t budget) {
    if (on != nullptr)
      add(path, *on, "cost more than the budget", budget, "so what is behind it is not evaluated");
  };
  over("spec.matchConditions", costs.conditions_over, kMatchConditionBudget);
  over("spec.validations", costs.validations_over, kPolicyBudget);
  over("spec.auditAnnotations", costs.annotations_over, kPolicyBudget);
}

void CostTrace::evaluated(const Evaluated& e, Replay&) {
  if (policy_ == nullptr || policy_->object->name != e.policy || param_ != e.param) {
    finish();
    auto found = std::find_if(costs_.begin(), costs_.end(),
                              [&](const PolicyCosts& c) { return c.object->name == e.policy; });
    if (found == costs_.end()) return;
    policy_ = &*found;
    param_ = e.param;
  }
  uint64_t& sum = e.part == Part::MatchCondition ? conditions_
                  : e.part == Part::Annotation   ? annotations_
                                                 : validations_;
  sum += e.cost;
  for (ExpressionCost& cost : policy_->expressions) {
    if (cost.part != e.part || cost.index != e.index) continue;
    cost.measured = std::max(cost.measured.value_or(0), e.cost);
    // An error of a variable stands within that of the expression that reads it.
    if (cost.cancelled_on == nullptr && e.error.find(kCancelled) != e.error.npos)
      cost.cancelled_on = manifest_;
  }
}

void CostTrace::finish() {
  if (policy_ != nullptr) {
    policy_->evaluations++;
    policy_->conditions = std::max(policy_->conditions, conditions_);
    policy_->validations = std::max(policy_->validations, validations_);
    policy_->annotations = std::max(policy_->annotations, annotations_);
    auto look = [&](uint64_t sum, int64_t budget, const InputObject*& over) {
      if (over == nullptr && sum > static_cast<uint64_t>(budget)) over = manifest_;
    };
    look(conditions_, kMatchConditionBudget, policy_->conditions_over);
    look(validations_, kPolicyBudget, policy_->validations_over);
    look(annotations_, kPolicyBudget, policy_->annotations_over);
  }
  policy_ = nullptr;
  conditions_ = validations_ = annotations_ = 0;
}

}  // namespace portcullis
