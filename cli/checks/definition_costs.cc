// The largest costs of a definition's rules, and the bounds that lower them: worst_costs() of worst_costs.h.
//
// Idea: a bound is put into a copy of the schema, and the rule is compiled and estimated with it, as the API server would
// do it; so every number in an advice is that of a definition that one could write.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <ranges>

#include "admission/crd/rule_costs.h"
#include "admission/expressions/environment.h"
#include "cli/checks/assumed_sizes.h"
#include "cli/checks/costs.h"
#include "cli/checks/worst_costs.h"
#include "grammar/escape.h"
#include "grammar/parse.h"
#include "grammar/unparse.h"
#include "interpreter/formats/text.h"

namespace portcullis {
namespace {

using crd::Schema;
using crd::SchemaPtr;

// A place in a schema that may get a bound.
struct Unbounded {
  const Schema* schema = nullptr;
  std::string path;
  std::string_view keyword;  // "maxItems"
};
using Bounds = std::map<const Schema*, int64_t>;

// The keyword that would bound the values of a schema; empty if there is none, or if they have a bound.
std::string_view missing_bound(const Schema& s) {
  if (s.type == "array") return s.max_items ? "" : "maxItems";
  if (s.additional != nullptr) return s.max_properties ? "" : "maxProperties";
  bool free_text = s.type == "string" && s.enums.empty() && s.format != "date" && s.format != "date-time" &&
                   s.format != "duration";
  return (free_text || s.int_or_string) && !s.max_length ? "maxLength" : "";
}

void bound(Schema& s, int64_t n) {
  std::string_view keyword = missing_bound(s);
  (keyword == "maxItems" ? s.max_items : keyword == "maxProperties" ? s.max_properties : s.max_length) = n;
}

// A copy with bounds, and with the rules of one place only, which `change` may change.
SchemaPtr with_bounds(const SchemaPtr& given, const Schema* keep, const Bounds& bounds,
                      const std::function<void(std::vector<crd::RuleText>&)>& change = {}) {
  auto s = std::make_shared<Schema>(*given);
  s->with_meta = nullptr;
  if (given.get() != keep) s->rules.clear();
  if (given.get() == keep && change) change(s->rules);
  if (auto found = bounds.find(given.get()); found != bounds.end()) bound(*s, found->second);
  if (s->items != nullptr) s->items = with_bounds(s->items, keep, bounds, change);
  if (s->additional != nullptr) s->additional = with_bounds(s->additional, keep, bounds, change);
  for (auto& [name, property] : s->properties) property = with_bounds(property, keep, bounds, change);
  if (s->embedded_resource) {
    SchemaPtr with_meta = crd::with_object_meta(s);
    if (with_meta != s) s->with_meta = with_meta;
  }
  return s;
}

// A sum of strings as one format: 'is ' + string(x) is 'is %s'.format([x]). Empty if it is no sum with string(), or if a
// literal in it would have to be escaped.
std::string as_format(const std::string& sum) {
  const auto environment = new_environment(KubernetesVersion{});
  const Parsed parsed = parse(Source(sum), environment->parse_options());
  if (!parsed.ok() || !parsed.ast.root->is_call(operators::kAdd, 2)) return {};
  std::vector<const Expr*> operands;  // from right to left
  const Expr* left = parsed.ast.root;
  for (; left->is_call(operators::kAdd, 2); left = left->args[0]) operands.push_back(left->args[1]);
  operands.push_back(left);
  std::string pattern, arguments;
  bool converts = false;
  for (const Expr* operand : operands | std::views::reverse) {
    if (const auto* text = std::get_if<std::string>(&operand->literal);
        operand->kind == ExprKind::Literal && text != nullptr) {
      if (text->find_first_of("%'\\\n") != text->npos) return {};
      pattern += *text;
      continue;
    }
    const bool is_string = operand->target == nullptr && operand->is_call("string", 1);
    converts |= is_string;
    const Result<std::string> argument = unparse(parsed.ast, is_string ? operand->args[0] : operand);
    if (!argument.ok()) return {};
    pattern += "%s";
    arguments.append(arguments.empty() ? "" : ", ").append(*argument);
  }
  return converts ? fmt::format("'{}'.format([{}])", pattern, arguments) : std::string();
}

// Asks another estimator, and keeps what was asked.
class AskedSizes final : public SizeEstimator {
 public:
  explicit AskedSizes(const SizeEstimator& sizes) : sizes_(sizes) {}
  std::optional<SizeEstimate> estimate_size(const SizeNode& node) const override {
    std::optional<SizeEstimate> size = sizes_.estimate_size(node);
    if (!size || node.path.empty()) return size;
    std::vector<std::string> path(node.path.begin(), node.path.end());
    if (path == small) return Range{0, std::min<uint64_t>(1, size->max)};
    asked[path] = size->max;
    return size;
  }
  mutable std::map<std::vector<std::string>, uint64_t> asked;
  std::vector<std::string> small;  // a path that is taken to be of size 1

 private:
  const SizeEstimator& sizes_;
};

// The schema at a path from a rule's place; null if there is none.
const Schema* follow(const Schema* s, const std::vector<std::string>& path) {
  for (size_t i = 1; i < path.size() && s != nullptr; i++) {
    if (path[i] == "@items") {
      s = s->items.get();
    } else if (path[i] == "@values") {
      s = s->additional.get();
    } else if (path[i].starts_with("@")) {
      s = nullptr;
    } else {
      const Schema* property = s->property(unescape_property(path[i]).value_or(path[i]));
      s = property == nullptr && s->additional != nullptr ? s->additional.get() : property;
    }
  }
  return s;
}

// What is known of a rule's expression besides its cost.
struct Looked {
  std::vector<CostPart> parts;
  uint64_t min = 0;
  std::vector<std::pair<std::vector<std::string>, uint64_t>> sizes;  // that matter, by path
};

Looked look_at(const Expression& e, const SizeEstimator& given) {
  Looked out;
  AskedSizes sizes(given);
  EstimateParts parts;
  CostEstimate cost = estimate(e.ast(), *e.environment(), &sizes, &parts);
  out.parts = cost_parts(e.ast(), parts);
  out.min = cost.min;
  const auto asked = sizes.asked;
  for (const auto& [path, size] : asked) {
    sizes.small = path;
    if (estimate(e.ast(), *e.environment(), &sizes).max < cost.max) out.sizes.emplace_back(path, size);
  }
  return out;
}

// The schemas from the root to a place, with the path of each.
struct Step {
  const Schema* schema;
  std::string path;
};
std::vector<Step> steps_to(const SchemaPtr& root, std::string_view rule_path, std::string_view root_path) {
  std::vector<Step> out{{root.get(), ""}};
  std::string_view rest = rule_path.substr(root_path.size());
  std::string walked(root_path);
  while (out.back().schema != nullptr) {
    const Schema* s = out.back().schema;
    size_t length = 0;
    if (rest.starts_with(".properties[")) {
      length = std::min(rest.find(']') + 1, rest.size());
      s = s->property(rest.substr(12, length - 13));
    } else if (rest.starts_with(".items")) {
      length = 6;
      s = s->items.get();
    } else if (rest.starts_with(".additionalProperties")) {
      length = 21;
      s = s->additional.get();
    } else {
      break;
    }
    walked += rest.substr(0, length);
    rest.remove_prefix(length);
    out.push_back({s, rule_place(walked)});
  }
  return out;
}

class DefinitionCosts {
 public:
  explicit DefinitionCosts(const GivenDefinition& given) : given_(given) { out_.object = given.object; }

  WorstCosts run() {
    for (const auto& [path, schema] : given_.definition->schemas()) version(path, schema);
    return std::move(out_);
  }

 private:
  using Known = std::map<std::string, Looked>;

  void version(const std::string& path, const SchemaPtr& schema) {
    Known known;
    auto told = [&](const std::string& rule, bool message, const ExpressionPtr& e,
                    const SizeEstimator& sizes) { known[field_of(rule, message)] = look_at(*e, sizes); };
    const crd::RuleCosts costs = crd::rule_costs(schema, path, crd::new_rules(KubernetesVersion{}), told);
    CostBudget total{path.substr(0, path.find(".schema")) + " in all", 0, crd::kDefinitionCostLimit};
    const uint64_t worth = worth_advice(costs.rules);
    for (const crd::RuleCost& rule : costs.rules) {
      if (trim_space(rule.text->rule).empty()) continue;
      const auto steps = steps_to(schema, rule.path, path);
      add(rule, false, known, steps);
      if (rule.whole >= worth) advise(schema, path, rule, steps, out_.expressions.back());
      if (rule.compiled.error.empty() && !rule.text->message_expression.empty()) {
        add(rule, true, known, steps);
        advise_format(schema, path, rule, steps.back().schema, out_.expressions.back());
      }
      total.worst = saturating_add(total.worst, saturating_add(rule.whole, rule.compiled.message_max_cost));
    }
    if (total.worst > 0) out_.budgets.push_back(std::move(total));
  }

  // The least cost of a rule that gets advice, each of which takes some compilations of the schema.
  static uint64_t worth_advice(const std::vector<crd::RuleCost>& rules) {
    constexpr size_t kMostRules = 20;
    std::vector<uint64_t> costs;
    for (const crd::RuleCost& r : rules) costs.push_back(r.whole);
    std::ranges::sort(costs, std::ranges::greater());
    const uint64_t least = crd::kRuleCostLimit / 100;
    return costs.size() <= kMostRules ? least : std::max(least, costs[kMostRules - 1]);
  }

  static std::string field_of(const std::string& rule, bool message) {
    return rule + (message ? ".messageExpression" : ".rule");
  }

  void add(const crd::RuleCost& rule, bool message, Known& known, const std::vector<Step>& steps) {
    WorstCost cost{.path = field_of(rule.path, message), .label = rule_label(rule.path, message)};
    cost.position = given_.object->locate(document_path(cost.path), true);
    cost.error = message ? rule.compiled.message_error : rule.compiled.error;
    cost.max = message ? rule.compiled.message_max_cost : rule.compiled.max_cost;
    cost.count = message ? 1 : rule.count;
    cost.whole = message ? cost.max : rule.whole;
    cost.limit = crd::kRuleCostLimit;
    Looked& looked = known[cost.path];
    cost.min = looked.min;
    cost.parts = std::move(looked.parts);
    sizes_.clear();
    for (const auto& [path, size] : looked.sizes) add_size(path, size, steps.back(), cost);
    if (!message && cost.count > 1) add_steps(steps);
    out_.expressions.push_back(std::move(cost));
  }

  void add_size(const std::vector<std::string>& path, uint64_t size, const Step& at, WorstCost& cost) {
    const Schema* s = at.schema == nullptr ? nullptr : follow(at.schema, path);
    std::vector<std::string> rest(path.begin() + 1, path.end());
    for (std::string& name : rest) name = unescape_property(name).value_or(name);  // as the schema has it
    std::string text = path_text(rest);
    if (!at.path.empty()) text = at.path + (text.empty() || text[0] == '[' ? "" : ".") + text;
    std::string_view keyword = s == nullptr ? "" : missing_bound(*s);
    // self and oldSelf are of one schema.
    if (std::ranges::find(cost.sizes, text, &SizeTaken::path) != cost.sizes.end()) return;
    using From = SizeTaken::From;
    cost.sizes.push_back({text, size, s == nullptr || !keyword.empty() ? From::Request : From::Schema});
    if (!keyword.empty()) add_unbounded({s, text, keyword});
  }

  // The lists and maps around a rule, for whose values it is run.
  void add_steps(const std::vector<Step>& steps) {
    for (size_t i = 0; i + 1 < steps.size(); i++) {
      const Schema* s = steps[i].schema;
      bool around = s->items.get() == steps[i + 1].schema || s->additional.get() == steps[i + 1].schema;
      std::string_view keyword = around ? missing_bound(*s) : std::string_view();
      if (!keyword.empty()) add_unbounded({s, steps[i].path, keyword});
    }
  }
  void add_unbounded(Unbounded place) {
    if (std::ranges::find(sizes_, place.schema, &Unbounded::schema) == sizes_.end())
      sizes_.push_back(std::move(place));
  }

  // The cost of all evaluations of the rule with bounds.
  static uint64_t whole_with(const SchemaPtr& root, const std::string& path, const crd::RuleCost& rule,
                             const Schema* place, const Bounds& bounds) {
    SchemaPtr changed = with_bounds(root, place, bounds);
    for (const crd::RuleCost& r : crd::rule_costs(changed, path, crd::new_rules(KubernetesVersion{})).rules) {
      if (r.path == rule.path) return r.whole;
    }
    return rule.whole;
  }

  // No bound lowers the cost of a sum with string(x), whose size is unknown to the estimate; that of one format is known.
  static void advise_format(const SchemaPtr& root, const std::string& path, const crd::RuleCost& rule,
                            const Schema* place, WorstCost& cost) {
    const std::string& text = rule.text->message_expression;
    const std::string changed = place == nullptr || !cost.exceeds() ? std::string() : as_format(text);
    if (changed.empty()) return;
    const SchemaPtr with = with_bounds(root, place, {}, [&](std::vector<crd::RuleText>& rules) {
      for (crd::RuleText& r : rules) {
        if (r.message_expression == text) r.message_expression = changed;
      }
    });
    for (const crd::RuleCost& r : crd::rule_costs(with, path, crd::new_rules(KubernetesVersion{})).rules) {
      const bool lower = r.compiled.message_error.empty() && r.compiled.message_max_cost < cost.whole;
      if (r.path == rule.path && lower)
        cost.advice.push_back(
            {"write " + changed, "in all at most", cost.whole, r.compiled.message_max_cost});
    }
  }

  void advise(const SchemaPtr& root, const std::string& path, const crd::RuleCost& rule,
              const std::vector<Step>& steps, WorstCost& cost) {
    const Schema* place = steps.back().schema;
    const size_t kMostPlaces = 6;
    std::vector<Unbounded> places(sizes_.begin(),
                                  sizes_.begin() + static_cast<long>(std::min(sizes_.size(), kMostPlaces)));
    if (place == nullptr || places.empty()) return;
    auto lowers = [&](const std::vector<Unbounded>& which) {
      Lowered best;
      for (int64_t n : {1000, 256, 100, 64, 32, 16, 10, 5}) {
        Bounds bounds;
        std::string text = "add ";
        for (const Unbounded& u : which) {
          bounds[u.schema] = u.keyword == "maxLength" ? std::max(n, kShortText) : n;
          text += fmt::format("{}{}: {} at {}", &u == which.data() ? "" : ", ", u.keyword, bounds[u.schema],
                              u.path.empty() ? "the root" : u.path);
        }
        uint64_t whole = whole_with(root, path, rule, place, bounds);
        if (whole < rule.whole) best = {n, {text, "in all at most", rule.whole, whole}};
        if (whole <= cost.limit) break;
      }
      return best;
    };
    int64_t largest = 0;  // bound that is enough alone
    for (const Unbounded& u : places) {
      Lowered alone = lowers({u});
      if (alone.bound == 0 || alone.advice.after > cost.limit) continue;
      largest = std::max(largest, alone.bound);
      cost.advice.push_back(std::move(alone.advice));
    }
    if (places.size() == 1 && !cost.advice.empty()) return;
    if (Lowered all = lowers(places); all.bound > largest) cost.advice.push_back(std::move(all.advice));
  }

  static constexpr int64_t kShortText = 63;  // as a name
  struct Lowered {
    int64_t bound = 0;  // 0: none lowers the cost
    CostAdvice advice;
  };

  const GivenDefinition& given_;
  WorstCosts out_;
  std::vector<Unbounded> sizes_;  // on which the cost of the expression added last depends
};

}  // namespace

WorstCosts worst_costs(const GivenDefinition& definition) { return DefinitionCosts(definition).run(); }

}  // namespace portcullis
