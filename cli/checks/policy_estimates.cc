// See policy_estimates.h.
#include "cli/checks/policy_estimates.h"

#include <algorithm>
#include <set>

#include "admission/expressions/expression.h"
#include "cli/checks/assumed_sizes.h"
#include "cli/checks/costs.h"

namespace portcullis {
namespace {

void collect_variables(const Expr& e, std::vector<std::string>& out) {
  bool read = e.kind == ExprKind::Select && e.target != nullptr && e.target->kind == ExprKind::Ident &&
              e.target->name == "variables";
  if (read && std::ranges::find(out, e.name) == out.end()) out.push_back(e.name);
  for_each_child(e, [&](const Expr& child) { collect_variables(child, out); });
}

// The sums of a budget: its expressions, and each variable that they read once.
class Budgets {
 public:
  explicit Budgets(const PolicyEstimates& found, const std::vector<PolicyText>& texts)
      : found_(found), texts_(texts) {}

  std::vector<CostBudget> run() {
    using enum ExpressionBudget;
    add("validations", Validations, kPolicyCostBudget);
    add("audit annotations", Annotations, kPolicyCostBudget);
    add("match conditions", MatchConditions, kMatchConditionsCostBudget);
    for (size_t i = 0; i < texts_.size(); i++) {
      if (texts_[i].place->budget != Mutation) continue;
      begin(texts_[i].label, kPolicyCostBudget);
      charge(i);
    }
    std::erase_if(out_, [](const CostBudget& b) { return b.worst == 0; });
    return std::move(out_);
  }

 private:
  void begin(std::string label, uint64_t limit) {
    out_.push_back({std::move(label), 0, limit});
    read_.clear();
  }

  void add(std::string_view label, ExpressionBudget budget, uint64_t limit) {
    std::set<int> hooks;
    for (const PolicyText& t : texts_) {
      if (t.place->budget == budget) hooks.insert(t.webhook);
    }
    for (int hook : hooks) {
      begin((hook < 0 ? "" : "webhooks[" + std::to_string(hook) + "] ") + std::string(label), limit);
      for (size_t i = 0; i < texts_.size(); i++) {
        if (texts_[i].place->budget == budget && texts_[i].webhook == hook) charge(i);
      }
    }
  }

  void charge(size_t i) {
    CostBudget& budget = out_.back();
    const WorstCost& cost = found_.expressions[i];
    budget.worst = saturating_add(budget.worst, cost.max);
    budget.known &= cost.max != kUnbounded;
    for (const SizeTaken& s : cost.sizes) budget.known &= s.from != SizeTaken::From::Request;
    if (found_.compiled[i] == nullptr) return;
    for (const std::string& name : variables_read(found_.compiled[i]->ast().root)) {
      if (!read_.insert(name).second) continue;
      for (size_t v = 0; v < texts_.size(); v++) {
        if (texts_[v].place->role == ExpressionRole::Variable && texts_[v].name == name) charge(v);
      }
    }
  }

  const PolicyEstimates& found_;
  const std::vector<PolicyText>& texts_;
  std::vector<CostBudget> out_;
  std::set<std::string> read_;  // variables that the budget has paid for
};

class Estimates {
 public:
  Estimates(const InputObject& policy, const Assumptions& assumed, SharedParses& parses, bool details)
      : policy_(policy),
        details_(details),
        params_(param_kind(policy) != nullptr),
        plain_(false, nullptr, &parses),
        composed_(true, nullptr, &parses),
        known_(assumed) {}

  PolicyEstimates run(const std::vector<PolicyText>& texts) {
    for (const PolicyText& t : texts) add(t);
    out_.budgets = Budgets(out_, texts).run();
    return std::move(out_);
  }

 private:
  void add(const PolicyText& t) {
    constexpr ExpressionVersion kFresh{.stored = false, .version = {}};
    const bool variable = t.place->role == ExpressionRole::Variable;
    const PolicyVariables declared = t.place->declared(params_);
    CompiledExpression compiled =
        variable
            ? composed_.variable(t.name, t.text, declared, kFresh)
            : (t.place->variables ? composed_ : plain_).compile(t.text, t.place->results, declared, kFresh);
    WorstCost cost{.path = t.path, .label = t.label, .position = policy_.locate(t.path, true)};
    cost.limit = kPerCallCostLimit;
    cost.error = compiled.error;
    EstimateParts& parts = out_.parts.emplace_back();
    if (compiled.expression != nullptr)
      estimate_one(*compiled.expression, variable ? t.name : "", cost, parts);
    out_.expressions.push_back(std::move(cost));
    out_.compiled.push_back(std::move(compiled.expression));
  }

  void estimate_one(const Expression& e, const std::string& variable, WorstCost& cost, EstimateParts& parts) {
    AssumedSizes sizes(e.ast(), known_);
    CostEstimate range = estimate(e.ast(), *e.environment(), &sizes, &parts);
    cost.min = range.min;
    cost.max = cost.whole = range.max;
    if (details_) {
      cost.parts = cost_parts(e.ast(), parts);
      cost.sizes = sizes_that_matter(e, range.max, sizes);
    }
    if (variable.empty()) return;
    std::optional<PolicySizes::ValueSize> size;
    if (parts.result) size = {*parts.result, least_certain(e, *parts.result, sizes)};
    known_.add(variable, e.ast().root, size);
  }

  // A size matters if the cost falls without it. Where several allow the same cost, as those of both results of `? :`, it
  // falls only without all of them.
  static std::vector<SizeTaken> sizes_that_matter(const Expression& e, uint64_t cost, AssumedSizes& sizes) {
    constexpr size_t kMostNarrowed = 32;  // of more, all are told
    auto falls_without = [&](std::set<std::string> paths) {
      sizes.set_small(std::move(paths));
      return estimate(e.ast(), *e.environment(), &sizes).max < cost;
    };
    const SizesTaken taken = sizes.taken();
    std::vector<SizeTaken> out;
    std::set<std::string> rest;
    for (const auto& [path, size] : taken) {
      if (falls_without({path})) {
        out.push_back(size);
      } else {
        rest.insert(path);
      }
    }
    while (falls_without(rest)) {
      // The fewest of them without which it falls; rather those that nobody gave.
      std::set<std::string> few = rest;
      for (bool given : {true, false}) {
        if (rest.size() > kMostNarrowed) break;
        for (const std::string& path : rest) {
          if ((taken.at(path).from != SizeTaken::From::Request) != given) continue;
          few.erase(path);
          if (!falls_without(few)) few.insert(path);
        }
      }
      for (const std::string& path : few) {
        out.push_back(taken.at(path));
        rest.erase(path);
      }
    }
    std::ranges::stable_sort(out, std::ranges::greater(), &SizeTaken::size);
    return out;
  }

  // Of the sizes that a result depends on.
  static std::optional<SizeTaken::From> least_certain(const Expression& e, SizeEstimate result,
                                                      AssumedSizes& sizes) {
    const SizesTaken taken = sizes.taken();
    std::set<std::string> small;
    for (auto from : {SizeTaken::From::Request, SizeTaken::From::User}) {
      for (const auto& [path, one] : taken) {
        if (one.from == from) small.insert(path);
      }
      sizes.set_small(small);
      EstimateParts parts;
      estimate(e.ast(), *e.environment(), &sizes, &parts);
      if (parts.result != result) return from;
    }
    return std::nullopt;
  }

  const InputObject& policy_;
  bool details_, params_;
  PolicyCompiler plain_, composed_;
  PolicySizes known_;
  PolicyEstimates out_;
};

}  // namespace

std::vector<std::string> variables_read(const Expr* e) {
  std::vector<std::string> out;
  collect_variables(*e, out);
  return out;
}

std::vector<PolicyText> texts_of(const InputObject& policy) {
  std::vector<PolicyText> out;
  for (const PlacedExpression& e : expressions_of(policy.value)) {
    if (e.text.empty()) continue;
    out.push_back({e.place, e.webhook, e.path, label_of(e), std::string(e.name), std::string(e.text)});
  }
  return out;
}

const CostBudget* PolicyEstimates::budget(std::string_view label) const {
  auto found = std::ranges::find(budgets, label, &CostBudget::label);
  return found == budgets.end() ? nullptr : &*found;
}

PolicyEstimates estimate_policy(const InputObject& policy, const std::vector<PolicyText>& texts,
                                const Assumptions& assumed, SharedParses& parses, bool details) {
  return Estimates(policy, assumed, parses, details).run(texts);
}

}  // namespace portcullis
