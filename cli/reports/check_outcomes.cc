// See check_outcomes.h.
#include "cli/reports/check_outcomes.h"

#include <fmt/format.h>

#include <unordered_map>

#include "admission/engine/stage.h"
#include "cli/messages/messages.h"
#include "cli/reports/excerpt.h"

namespace portcullis {
namespace {

using outcomes::Finding;
using outcomes::Item;

Finding::Level level_of(Severity severity) {
  return severity == Severity::Error     ? Finding::Level::Error
         : severity == Severity::Warning ? Finding::Level::Warning
                                         : Finding::Level::Note;
}

bool is_item(const InputObject& o) {
  Role role = role_of(o);
  return role == Role::Policy || role == Role::Binding || role == Role::Configuration ||
         role == Role::Definition;
}

// "validations[0]" of "spec.validations[0].expression"; "object" of no path.
std::string place_name(std::string_view path) {
  if (path.starts_with("spec.")) path.remove_prefix(5);
  size_t end = std::min(path.find('.'), path.size());
  if (size_t close = path.find(']'); close < end) end = close + 1;
  return path.empty() ? "object" : std::string(path.substr(0, end));
}

// A policy's rules have the names that a review gives them.
std::string problem_rule(const PolicyProblem& p) {
  const InputObject& o = *p.object;
  std::string owner(o.name.empty() ? "(no name)" : o.name);
  if (role_of(o) != Role::Policy) owner = std::string(o.kind) + " " + owner;
  return owner + "/" + place_name(p.path);
}

std::string expression_at(const PolicyProblem& p) {
  const Value* value = p.path.ends_with("xpression") ? find_path(p.object->value, p.path) : nullptr;
  return value != nullptr && value->is(Kind::String) ? std::string(value->as_text()) : std::string();
}

Finding problem_finding(const PolicyProblem& p, Position position, std::string_view text,
                        std::string_view hint, bool ours) {
  Finding f;
  f.level = level_of(p.severity);
  // What the API server does not say is advice.
  f.action = ours ? "advice" : p.severity == Severity::Error ? "error" : "warning";
  f.rule = problem_rule(p);
  f.policy = role_of(*p.object) == Role::Policy ? p.object->name : std::string_view();
  f.field = p.path;
  f.expression = expression_at(p);
  f.message = text;
  f.hint = hint;
  f.place = region_at(*p.object->file, position);
  return f;
}

outcomes::Status item_status(const Item& item) {
  using outcomes::Status;
  Status status = Status::Passed;
  for (const Finding& f : item.findings) {
    if (f.level == Finding::Level::Error) return Status::Error;
    if (f.level == Finding::Level::Warning) status = Status::Warned;
  }
  return status;
}

outcomes::Cost cost_of(const PolicyCosts& policy, const ExpressionCost& e) {
  outcomes::Cost out;
  out.policy = policy.object->name;
  out.label = e.label;
  out.bound = !e.measured;
  out.unbounded = !e.measured && is_unbounded(e.max);
  out.cost = e.measured ? *e.measured : out.unbounded ? 0 : e.max;
  out.limit = kPerCallCostLimit;
  out.place = {.file = policy.object->file->name, .start = e.position};
  return out;
}

}  // namespace

outcomes::Run check_outcomes(std::span<const InputObject> objects, std::span<const PolicyProblem> problems,
                             std::span<const PolicyCosts> costs) {
  outcomes::Run run{.command = "check", .noun = "object"};
  std::unordered_map<const InputObject*, size_t> places;
  auto item_at = [&](const InputObject& o) -> Item& {
    auto [found, added] = places.emplace(&o, run.items.size());
    if (added) run.items.push_back(item_of(o));
    return run.items[found->second];
  };
  for (const InputObject& o : objects) {
    if (is_item(o)) item_at(o);
  }
  for (const PolicyProblem& p : problems) {
    Item& item = item_at(*p.object);
    for (const PolicyProblem::Finding& f : p.findings)
      item.findings.push_back(problem_finding(p, f.position, f.text, f.hint, p.ours || f.ours));
    if (p.findings.empty()) item.findings.push_back(problem_finding(p, p.position, p.text, p.hint, p.ours));
  }
  for (Item& item : run.items) item.status = item_status(item);
  for (const PolicyCosts& c : costs) {
    for (const ExpressionCost& e : c.expressions) {
      if (e.measured || e.estimated) run.costs.push_back(cost_of(c, e));
    }
  }
  return run;
}

}  // namespace portcullis
