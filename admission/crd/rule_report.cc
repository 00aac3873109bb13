// The errors and costs of a definition's rules, as the API server computes them when the definition is
// written.

#include <fmt/format.h>

#include <algorithm>

#include "admission/crd/definition.h"
#include "admission/crd/rule_costs.h"
#include "admission/crd/schema_validation.h"
#include "grammar/quote.h"
#include "interpreter/formats/text.h"
#include "interpreter/values/json.h"
#include "typecheck/cost.h"

namespace portcullis::crd {
namespace {

std::string too_expensive(std::string_view what, uint64_t cost, uint64_t limit) {
  double factor = static_cast<double>(cost) / static_cast<double>(limit);
  std::string shown = factor > 100   ? "more than 100x"
                      : factor < 1.5 ? fmt::format("{:f}x", factor)
                                     : fmt::format("{:.1f}x", factor);
  return fmt::format(
      "{} exceeds budget by factor of {} (try simplifying the rule, or adding maxItems, maxProperties, and "
      "maxLength where arrays, "
      "maps, and strings are declared)",
      what, shown);
}

// A rule as the API server's messages show it: its own struct as JSON.
std::string shown_rule(const RuleText& r) {
  auto text = [](std::string_view s) { return quote_json(s, JsonEscape::Go); };
  return fmt::format(
      R"({{"Rule":{},"Message":{},"MessageExpression":{},"Reason":{},"FieldPath":{},"OptionalOldSelf":{}}})",
      text(r.rule), text(r.message), text(r.message_expression), r.reason ? text(*r.reason) : "null",
      text(r.field_path), r.optional_old_self ? (*r.optional_old_self ? "true" : "false") : "null");
}

// All errors of a rule, by the field of the rule.
std::vector<std::pair<std::string_view, std::string>> errors_of(const RuleCost& r) {
  std::vector<std::pair<std::string_view, std::string>> out;
  if (trim_space(r.text->rule).empty()) return out;
  if (r.whole > kRuleCostLimit)
    out.emplace_back("rule", "Forbidden: " + too_expensive("estimated rule cost", r.whole, kRuleCostLimit));
  auto invalid = [&](const std::string& error) {
    return fmt::format("Invalid value: {}: {}", shown_rule(*r.text), error);
  };
  if (!r.compiled.error.empty()) out.emplace_back("rule", invalid(r.compiled.error));
  if (!r.compiled.message_error.empty())
    out.emplace_back("messageExpression", invalid(r.compiled.message_error));
  if (r.compiled.message_max_cost > kRuleCostLimit) {
    out.emplace_back("messageExpression",
                     "Forbidden: " + too_expensive("estimated messageExpression cost",
                                                   r.compiled.message_max_cost, kRuleCostLimit));
  }
  if (r.compiled.uses_old_self && !r.uncorrelated.empty()) {
    out.emplace_back("rule",
                     fmt::format("Invalid value: {}: oldSelf cannot be used on the uncorrelatable portion "
                                 "of the schema within {}",
                                 quote(r.text->rule), r.uncorrelated));
  } else if (!r.compiled.uses_old_self && r.text->optional_old_self) {
    out.emplace_back("optionalOldSelf",
                     fmt::format("Invalid value: {}: may not be set if oldSelf is not used in rule",
                                 *r.text->optional_old_self));
  }
  return out;
}

void report_errors(const FieldErrors& errors, std::vector<RuleReport>& out) {
  for (const FieldError& e : errors.list)
    out.push_back({.path = e.field,
                   .error = e.message.substr(std::min(e.message.size(), e.field.size() + 2)),
                   .type = e.type});
}

// If the sum of all costs is too high, reports the most expensive expressions, as many as upstream.
void report_total(std::vector<std::pair<uint64_t, std::string>> costs, const std::string& path,
                  std::vector<RuleReport>& out) {
  constexpr size_t kNamed = 4;
  constexpr uint64_t kWorthNaming = kDefinitionCostLimit / 100;
  uint64_t total = 0;
  for (const auto& [cost, at] : costs) total = saturating_add(total, cost);
  if (total <= kDefinitionCostLimit) return;
  std::stable_sort(costs.begin(), costs.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  costs.resize(std::min(costs.size(), kNamed));
  for (const auto& [cost, at] : costs) {
    if (cost < kWorthNaming) break;
    out.push_back({at,
                   {},
                   "Forbidden: contributed to estimated rule cost total exceeding cost limit for entire "
                   "OpenAPIv3 schema",
                   0,
                   0,
                   {}});
  }
  std::string what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
  out.push_back({path,
                 {},
                 "Forbidden: " + too_expensive(what, total, kDefinitionCostLimit),
                 0,
                 static_cast<double>(total),
                 {}});
}

}  // namespace

void report_refused(const Schema& schema, const std::string& path, std::vector<RuleReport>& out) {
  FieldErrors extensions;
  check_extensions(schema, path, extensions);
  report_errors(extensions, out);
}

void report_schema(const SchemaPtr& schema, const std::string& path, std::vector<RuleReport>& out,
                   RuleMemo* memo) {
  FieldErrors structural, extensions;
  check_structural(schema, path, structural, memo);
  check_extensions(*schema, path, extensions);
  report_errors(structural, out);
  report_errors(extensions, out);
  if (!structural.list.empty()) return;
  RuleEnvironment environment = new_rules(KubernetesVersion{});
  environment.memo = memo;
  RuleCosts costs = rule_costs(schema, path, environment);
  // Upstream skips the rules of a schema with errors in itself or below.
  constexpr std::string_view kRules = ".x-kubernetes-validations";
  auto is_skipped = [&](const std::string& at) {
    const std::string below = at.substr(0, at.rfind(kRules)) + ".";
    return std::ranges::any_of(extensions.list,
                               [&](const FieldError& e) { return e.field.starts_with(below); });
  };
  for (const auto& [at, error] : costs.failures) {
    if (!is_skipped(at)) out.push_back({at, {}, error, 0, 0, {}});
  }
  std::vector<std::pair<uint64_t, std::string>> shares;
  for (const RuleCost& r : costs.rules) {
    if (trim_space(r.text->rule).empty()) continue;
    out.push_back({.path = r.path,
                   .rule = r.text->rule,
                   .cost = r.compiled.max_cost,
                   .whole_cost = static_cast<double>(r.whole),
                   .compiles = r.compiled.error.empty()});
    if (const uint64_t cost = r.compiled.message_max_cost; cost > kRuleCostLimit)
      out.push_back({.path = r.path + ".messageExpression",
                     .rule = r.text->message_expression,
                     .cost = cost,
                     .whole_cost = static_cast<double>(cost)});
    if (is_skipped(r.path)) continue;
    for (const auto& [field, error] : errors_of(r)) {
      RuleReport made{r.path + "." + std::string(field), {}, error, 0, static_cast<double>(r.whole), {}};
      made.costly = error.starts_with("Forbidden: estimated");
      out.push_back(std::move(made));
    }
    shares.emplace_back(r.whole, r.path + ".rule");
    if (r.compiled.message != nullptr)
      shares.emplace_back(r.compiled.message_max_cost, r.path + ".messageExpression");
  }
  report_total(std::move(shares), path, out);
}

}  // namespace portcullis::crd
