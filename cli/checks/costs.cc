// See costs.h.
#include "cli/checks/costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "admission/engine/stage.h"
#include "admission/expressions/expression.h"
#include "admission/expressions/expression_places.h"
#include "typecheck/estimate.h"

namespace portcullis {
namespace {

using TracePart = ReviewTrace::Part;

// The part of a review that evaluates the expression; nothing for variables, and for expressions that reviews
// do not evaluate.
std::optional<TracePart> part_of(ExpressionRole role) {
  switch (role) {
    case ExpressionRole::MatchCondition: return TracePart::MatchCondition;
    case ExpressionRole::Validation: return TracePart::Validation;
    case ExpressionRole::Message: return TracePart::Message;
    case ExpressionRole::Annotation: return TracePart::Annotation;
    case ExpressionRole::ApplyConfiguration:
    case ExpressionRole::JsonPatch: return TracePart::Mutation;
    default: return std::nullopt;
  }
}

ExpressionEstimate estimate_of(const CompiledExpression& compiled) {
  if (compiled.expression == nullptr) return {};
  CostEstimate range = estimate(compiled.expression->ast(), *compiled.expression->environment());
  return {true, range.min, range.max};
}

}  // namespace

bool is_unbounded(uint64_t cost) {
  constexpr uint64_t kMaxShown = 1'000'000'000'000'000;
  return cost > kMaxShown;
}

std::string cost_text(uint64_t cost) { return is_unbounded(cost) ? "unbounded" : std::to_string(cost); }

std::string share_text(uint64_t cost, uint64_t limit) {
  double percent = 100.0 * static_cast<double>(cost) / static_cast<double>(limit);
  if (percent < 0.01 && cost > 0) return "<0.01%";
  if (is_unbounded(cost)) return "unbounded";
  return percent < 1000 ? fmt::format("{:.2f}%", percent) : fmt::format("{:.1f}x", percent / 100);
}

std::string label_of(const PlacedExpression& e) {
  std::string_view entry = std::string_view(e.path).substr(0, e.path.size() - e.place->field.size() - 1);
  std::string label(entry.substr(entry.starts_with("spec.") ? 5 : 0));
  if (!e.name.empty()) label.append(" ").append(e.name);
  switch (e.place->role) {
    case ExpressionRole::Message: return label + " message";
    case ExpressionRole::ApplyConfiguration: return label + " apply";
    case ExpressionRole::JsonPatch: return label + " patch";
    default: return label;
  }
}

std::string rule_place(std::string_view path) {
  constexpr std::string_view kRoot = "openAPIV3Schema", kProperty = ".properties[", kItems = ".items",
                             kValues = ".additionalProperties";
  size_t root = path.find(kRoot);
  std::string_view rest = root == path.npos ? path : path.substr(root + kRoot.size());
  std::string out;
  while (!rest.empty()) {
    if (rest.starts_with(kProperty)) {
      size_t end = std::min(rest.find(']'), rest.size() - 1);
      out.append(out.empty() ? "" : ".").append(rest.substr(kProperty.size(), end - kProperty.size()));
      rest.remove_prefix(end + 1);
    } else if (rest.starts_with(kItems)) {
      out += "[]";
      rest.remove_prefix(kItems.size());
    } else if (rest.starts_with(kValues)) {
      out += "{}";
      rest.remove_prefix(kValues.size());
    } else {
      break;
    }
  }
  return out;
}

std::string rule_label(std::string_view path, bool message) {
  std::string out = rule_place(path);
  if (out.empty()) out = "root";
  out.append(" rule").append(path.substr(std::min(path.rfind('['), path.size())));
  return message ? out + " message" : out;
}

void KnownEstimates::add(const InputObject& object, const std::string& path,
                         const CompiledExpression& compiled) {
  known_[{&object, path}] = estimate_of(compiled);
}

const ExpressionEstimate* KnownEstimates::find(const InputObject& object, const std::string& path) const {
  auto found = known_.find({&object, path});
  return found == known_.end() ? nullptr : &found->second;
}

PolicyCosts static_costs(const InputObject& policy, KubernetesVersion version, const KnownEstimates& known,
                         SharedParses& parses) {
  PolicyCosts out;
  out.object = &policy;
  std::vector<PlacedExpression> expressions = expressions_of(policy.value);
  // Each variable is declared for later expressions, so one unknown estimate requires compiling all.
  const bool all_known = std::ranges::all_of(
      expressions, [&](const PlacedExpression& e) { return known.find(policy, e.path) != nullptr; });
  const bool params = param_kind(policy) != nullptr;
  const ExpressionVersion fresh{false, version};
  PolicyCompiler plain(false, nullptr, &parses), composed(true, nullptr, &parses);
  auto compile = [&](const PlacedExpression& e) {
    PolicyVariables declared = e.place->declared(params);
    if (e.place->role == ExpressionRole::Variable) return composed.variable(e.name, e.text, declared, fresh);
    return (e.place->variables ? composed : plain).compile(e.text, {}, declared, fresh);
  };
  for (const PlacedExpression& e : expressions) {
    ExpressionCost cost;
    static_cast<ExpressionEstimate&>(cost) =
        all_known ? *known.find(policy, e.path) : estimate_of(compile(e));
    cost.path = e.path;
    cost.label = label_of(e);
    cost.position = policy.locate(e.path, true);
    if (e.webhook < 0) cost.part = part_of(e.place->role);
    cost.index = static_cast<int>(e.index);
    out.expressions.push_back(std::move(cost));
  }
  return out;
}

bool same_measure(const PolicyCosts& a, const PolicyCosts& b) {
  auto sums = [](const PolicyCosts& c) {
    return std::tuple(c.evaluations, c.conditions, c.validations, c.annotations, c.mutation);
  };
  return sums(a) == sums(b) && std::ranges::equal(a.expressions, b.expressions, {}, &ExpressionCost::measured,
                                                  &ExpressionCost::measured);
}

void add_cost_problems(const PolicyCosts& costs, std::vector<PolicyProblem>& out) {
  auto add = [&](std::string path, const InputObject& on, std::string_view than, uint64_t limit,
                 std::string_view then) {
    std::string text = path + ": ";
    text.append(than).append(" of ").append(std::to_string(limit)).append(" on ").append(on.kind);
    text.append(" ").append(on.name).append(" (").append(on.file->name).append("), ").append(then);
    Position at = costs.object->locate(path, true);
    out.push_back({costs.object, Severity::Warning, std::move(path), std::move(text), at});
    out.back().ours = true;
  };
  for (const ExpressionCost& c : costs.expressions) {
    if (c.cancelled_on != nullptr)
      add(c.path, *c.cancelled_on, "costs more than the limit", kPerCallCostLimit, "which cancels it");
  }
  auto over = [&](const char* path, const InputObject* on, uint64_t budget) {
    if (on != nullptr)
      add(path, *on, "cost more than the budget", budget, "so later expressions are not evaluated");
  };
  over("spec.matchConditions", costs.conditions_over, kMatchConditionsCostBudget);
  over("spec.validations", costs.validations_over, kPolicyCostBudget);
  over("spec.auditAnnotations", costs.annotations_over, kPolicyCostBudget);
}

CostTrace::CostTrace(std::vector<PolicyCosts>& costs) {
  for (PolicyCosts& c : costs) {
    if (role_of(*c.object) == Role::Policy)
      policies_.try_emplace({is_mutating(*c.object), c.object->name}, &c);
  }
}

void CostTrace::evaluated(const Evaluated& e, Replay&) {
  if (policy_ == nullptr || policy_->object->name != e.policy ||
      is_mutating(*policy_->object) != e.mutating || param_ != e.param) {
    finish();
    auto found = policies_.find({e.mutating, e.policy});
    if (found == policies_.end()) return;
    policy_ = found->second;
    param_ = e.param;
  }
  if (e.part == TracePart::Mutation) {
    policy_->mutation = std::max(policy_->mutation, e.cost);
  } else {
    uint64_t& sum = e.part == TracePart::MatchCondition ? conditions_
                    : e.part == TracePart::Annotation   ? annotations_
                                                        : validations_;
    sum += e.cost;
  }
  for (ExpressionCost& cost : policy_->expressions) {
    if (cost.part != e.part || cost.index != e.index) continue;
    cost.measured = std::max(cost.measured.value_or(0), e.cost);
    // The error of an expression contains the error of a variable that it reads.
    if (cost.cancelled_on == nullptr && e.error.find(Limits::kCostLimitText) != e.error.npos)
      cost.cancelled_on = manifest_;
  }
}

void CostTrace::finish() {
  if (policy_ != nullptr) {
    policy_->evaluations++;
    policy_->conditions = std::max(policy_->conditions, conditions_);
    policy_->validations = std::max(policy_->validations, validations_);
    policy_->annotations = std::max(policy_->annotations, annotations_);
    auto look = [&](uint64_t sum, uint64_t budget, const InputObject*& over) {
      if (over == nullptr && sum > budget) over = manifest_;
    };
    look(conditions_, kMatchConditionsCostBudget, policy_->conditions_over);
    look(validations_, kPolicyCostBudget, policy_->validations_over);
    look(annotations_, kPolicyCostBudget, policy_->annotations_over);
  }
  policy_ = nullptr;
  conditions_ = validations_ = annotations_ = 0;
}

}  // namespace portcullis
