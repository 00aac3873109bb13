// See plans.h.
#include "cli/drafts/plans.h"

#include <algorithm>
#include <utility>

#include "cli/drafts/natural.h"
#include "cli/drafts/planner.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis::drafts {

const Plans kAny = {{}};

namespace {

constexpr size_t kMostPlans = 12;  // for one outcome of an expression
constexpr size_t kMostWants = 64;  // of a plan

// The value of a want that has a relation to another one. `other`: the object (JSON) at the other root.
std::string value_of(const Want& want, const Edited& edited, const std::string& other) {
  const bool same_root = want.from[0] == want.path[0];
  const bool known = same_root || want.from[0] == kObjectRoot || want.from[0] == kOldRoot;
  const Path path(want.from.begin() + 1, want.from.end());
  const std::string there = same_root ? edited.json_at(path) : known ? Edited(other).json_at(path) : "";
  const std::string value = there.empty() ? there : related_to(there, want.relation);
  return value.empty() ? want.json : value;
}

// Gives the path of a want its value. False if that cannot be.
bool apply(Edited& object, const Want& want, std::string value, const ObjectKind& kind, bool more_keys) {
  if (!want.from.empty()) {
    const auto fits = fitting(kind, want.path, value);
    if (!fits) return true;
    value = *fits;
  }
  Path path(want.path.begin() + 1, want.path.end());
  const bool there = object.has(path);
  if (want.there && there) return true;
  // What is looped over in a map are its keys; the values are those of a member, which may have to be made.
  const Path above(want.path.begin(), want.path.end() - 1);
  if (path.back() == kKey) {
    const auto key = text_in(value);
    if (!key) return true;
    value = natural_item(kind, above);
    path.back() = *key;
    if (!more_keys) object.set(Path(path.begin(), path.end() - 1), "{}");
  } else if (path.back() == kElement && is_map(kind, above) && !there) {
    path.back() = "x";
  }
  if (!value.empty()) add_steps(object, Path(path.begin(), path.end() - 1), kind);
  if (object.set(path, value)) return true;
  // What an earlier want put in the way yields.
  for (size_t length = path.size() - 1; length > 0; length--) {
    const Path blocking(path.begin(), path.begin() + static_cast<ptrdiff_t>(length));
    if (object.set(blocking, "") && object.set(path, value)) return true;
  }
  return false;
}

}  // namespace

void append(Plan& plan, const Plan& more) {
  if (plan.size() + more.size() <= kMostWants) plan.insert(plan.end(), more.begin(), more.end());
}
Plan with(Plan plan, Path path, std::string json, bool there) {
  append(plan, {{std::move(path), std::move(json), there}});
  return plan;
}
void add_all(Plans& plans, const Plans& more) {
  for (const Plan& p : more) {
    if (plans.size() < kMostPlans) plans.push_back(p);
  }
}
Plans either(const Plans& a, const Plans& b) {
  Plans out;
  for (size_t i = 0; i < std::max(a.size(), b.size()); i++) {
    if (i < a.size()) add_all(out, {a[i]});
    if (i < b.size()) add_all(out, {b[i]});
  }
  return out;
}
Plans both(const Plans& a, const Plans& b) {
  Plans out;
  for (size_t sum = 0; sum + 1 < a.size() + b.size(); sum++) {
    for (size_t i = 0; i <= sum && i < a.size(); i++) {
      if (sum - i >= b.size() || out.size() >= kMostPlans) continue;
      out.push_back(a[i]);
      append(out.back(), b[sum - i]);
    }
  }
  return out;
}

Plans Planner::run(std::string_view rule, const Path& self, bool outcome) {
  escaped_ = true;
  for (const auto& [name, root] : {std::pair("self", kObjectRoot), {"oldSelf", kOldRoot}}) {
    Path path = {std::string(root)};
    path.insert(path.end(), self.begin(), self.end());
    scope_[name] = {.constant = {}, .refs = {{.path = std::move(path), .needs = {}}}};
  }
  return wanted(rule, outcome);
}

Plans Planner::run(const InputObject& policy) {
  const std::span<const Value> conditions = list_at(policy.value, "spec.matchConditions"),
                               validations = list_at(policy.value, "spec.validations");
  most_steps_ += kStepsOfValidation * validations.size();
  for (const Value& v : list_at(policy.value, "spec.variables"))
    variables_[std::string(text_member(v, "name"))] = trees_.parse(text_member(v, "expression"));
  Plans matching = kAny;
  for (const Value& v : conditions) matching = both(matching, wanted(text_member(v, "expression"), true));
  Plans out = matching, passing = matching;
  for (const Value& v : validations) passing = both(passing, wanted(text_member(v, "expression"), true));
  out.insert(out.end(), passing.begin(), passing.end());
  // Of all validations the first plans come first, since what is tried has a bound.
  std::vector<Plans> of_each;
  for (const Value& v : validations) {
    const Plans failing = wanted(text_member(v, "expression"), false);
    Plans& plans = of_each.emplace_back();
    for (const Plans& base : {matching, passing}) {
      for (const Plan& plan : both(base, failing)) plans.push_back(plan);
    }
    for (const Plan& plan : wanted(text_member(v, "expression"), true)) plans.push_back(plan);
  }
  for (size_t i = 0, most = 1; i < most; i++) {
    for (const Plans& plans : of_each) {
      most = std::max(most, plans.size());
      if (i < plans.size()) out.push_back(plans[i]);
    }
  }
  for (const Value& v : list_at(policy.value, "spec.mutations")) {
    for (std::string_view member : {"applyConfiguration", "jsonPatch"}) {
      const Value* patch = find_member(v, member);
      const Expr* root = patch == nullptr ? nullptr : trees_.parse(text_member(*patch, "expression"));
      if (root == nullptr) continue;
      for (const Plan& looked_for : tests_in(*root, 0)) {
        for (const Plan& plan : both(matching, {looked_for})) out.push_back(plan);
      }
    }
  }
  // Requests that do not match: those that a mutating policy leaves as they are.
  for (const Value& v : conditions) {
    for (const Plan& plan : wanted(text_member(v, "expression"), false)) out.push_back(plan);
  }
  return out;
}

Plans Planner::wanted(std::string_view text, bool outcome) {
  const Expr* root = trees_.parse(text);
  return root == nullptr ? kAny : want(*root, outcome);
}

Plans Planner::tests_in(const Expr& e, int depth) {
  Plans out;
  if (depth > kDeepestPlan || steps_++ > most_steps_) return out;
  if (e.is_call(operators::kConditional, 3)) {
    for (bool outcome : {true, false}) {
      const Plans test = want(*e.args[0], outcome);
      add_all(out, both(test, tests_in(*e.args[outcome ? 1 : 2], depth + 1)));
      add_all(out, test);
    }
    add_all(out, tests_in(*e.args[0], depth + 1));
    return out;
  }
  if (e.kind == ExprKind::Struct && e.name == "JSONPatch") add_all(out, want_operation(e));
  if (is_loop(e)) {
    const Scope before = scope_;
    for (const Term& element : elements_of(*e.target)) {
      for (const Ref& ref : element.refs) add_all(out, {with(ref.needs, ref.path, natural(ref.path), true)});
      bind(e, element);
      for (size_t i = 1; i < e.args.size(); i++) {
        if (e.name == "filter" || e.name == "exists" || e.name == "all") add_all(out, want(*e.args[i], true));
        add_all(out, tests_in(*e.args[i], depth + 1));
      }
      scope_ = before;
    }
    add_all(out, tests_in(*e.target, depth + 1));
    return out;
  }
  if (const Expr* variable = variable_of(e); variable != nullptr && depth < kDeepestPlan) {
    const Scope before = std::exchange(scope_, {});
    out = tests_in(*variable, depth + 1);
    scope_ = before;
    return out;
  }
  for_each_child(e, [&](const Expr& child) { add_all(out, tests_in(child, depth + 1)); });
  return out;
}

Plans Planner::want_operation(const Expr& e) {
  std::string op, value;
  Path at, from;
  for (const Entry& entry : e.entries) {
    if (entry.value == nullptr) continue;
    if (entry.field == "path") at = pointed_at(*entry.value);
    if (entry.field == "from") from = pointed_at(*entry.value);
    if (entry.field != "op" && entry.field != "value") continue;
    const Term t = term(*entry.value);
    if (entry.field == "value") value = t.constant.value_or("");
    if (entry.field == "op" && t.constant) op = text_in(*t.constant).value_or("");
  }
  const Path& source = from.empty() ? at : from;
  if (source.size() < 2 || op.empty()) return {};
  if (op == "test" && !value.empty()) return {{{at, value}}};
  if (op == "replace" && !value.empty()) return {{{at, other_than(value)}}};
  if (op != "add") return {{{source, natural(source), true}}};
  const Path above(at.begin(), at.end() - 1);
  return above.size() < 2 ? Plans() : Plans{{{above, natural(above), true}}};
}

void Planner::bind(const Expr& loop, const Term& element) {
  const bool two = loop.args.size() == 3 && loop.name != "map" && loop.args[1]->kind == ExprKind::Ident;
  if (two) scope_[loop.args[0]->name] = {};
  scope_[loop.args[two ? 1 : 0]->name] = element;
}

const Expr* Planner::variable_of(const Expr& e) const {
  if (e.kind != ExprKind::Select || e.target->kind != ExprKind::Ident || e.target->name != "variables")
    return nullptr;
  auto found = variables_.find(e.name);
  return found == variables_.end() ? nullptr : found->second;
}

std::string applied(const std::string& object, const Plan& plan, std::string_view root,
                    const ObjectKind& kind, const std::string& other, bool more_keys) {
  Edited edited(object);
  for (const bool copies : {false, true}) {
    for (const Want& want : plan) {
      if (want.path[0] != root || want.path.size() < 2 || want.from.empty() == copies) continue;
      const std::string value = copies ? value_of(want, edited, other.empty() ? object : other) : want.json;
      if (!apply(edited, want, value, kind, more_keys)) return {};
    }
  }
  return edited.json();
}

bool has_keys(const Plan& plan) {
  return std::ranges::any_of(plan, [](const Want& w) { return w.path.back() == kKey; });
}

std::vector<Plan> plans_of(const InputObject& policy, const ObjectKind& kind, const std::string& param) {
  return Planner(kind, param).run(policy);
}

std::vector<Plan> plans_of_rule(std::string_view rule, const Path& self, const ObjectKind& kind,
                                bool outcome) {
  const std::string no_param;
  return Planner(kind, no_param).run(rule, self, outcome);
}

}  // namespace portcullis::drafts
