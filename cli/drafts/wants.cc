// Planner: what has to hold for an outcome.
#include <algorithm>
#include <tuple>
#include <utility>

#include "cli/drafts/constants.h"
#include "cli/drafts/natural.h"
#include "cli/drafts/planner.h"
#include "cli/drafts/sample.h"
#include "cli/drafts/smallest.h"
#include "interpreter/values/json.h"

namespace portcullis::drafts {
namespace {

constexpr int64_t kLongestMade = 254;  // of a text that is made for its size
constexpr int64_t kMostItems = 64;     // of a list or map that is made for its size

// Whether the value is a bool that plans can bring about.
bool is_test(const Expr& e) {
  static constexpr std::string_view kTests[] = {
      operators::kLogicalNot, operators::kIn, "has",      "hasValue", "all",    "exists",
      "exists_one",           "startsWith",   "endsWith", "contains", "matches"};
  return is_logical(e) || relation_of(e) ||
         (e.kind == ExprKind::Call && std::ranges::count(kTests, e.name) > 0);
}

// Whether a loop over bools keeps or counts those that are true: x, x == true.
bool looks_for_true(const Expr& loop) {
  const Expr& test = *loop.args.back();
  const Expr& kept = test.is_call(operators::kEquals, 2) ? *test.args[0] : test;
  const bool* b = &kept != &test && test.args[1]->kind == ExprKind::Literal
                      ? std::get_if<bool>(&test.args[1]->literal)
                      : nullptr;
  return loop.args.size() == 2 && loop.target->kind == ExprKind::List && kept.kind == ExprKind::Ident &&
         kept.name == loop.args[0]->name && (&kept == &test || (b != nullptr && *b));
}

// Adds the conditions that a number counts: (a ? 1 : 0) + (b ? 1 : 0), [a, b].filter(x, x).size(). False if it is
// another number.
bool add_counted(const Expr& e, std::vector<const Expr*>& out) {
  if (e.is_call(operators::kAdd, 2)) return add_counted(*e.args[0], out) && add_counted(*e.args[1], out);
  const auto is_number = [](const Expr& of, int64_t number) {
    const int64_t* n = of.kind == ExprKind::Literal ? std::get_if<int64_t>(&of.literal) : nullptr;
    return n != nullptr && *n == number;
  };
  if (e.is_call(operators::kConditional, 3) && is_number(*e.args[1], 1) && is_number(*e.args[2], 0)) {
    out.push_back(e.args[0]);
    return true;
  }
  if (e.kind != ExprKind::Call || e.name != "size") return false;
  const Expr* list = e.target != nullptr ? e.target : e.args.empty() ? nullptr : e.args[0];
  if (list == nullptr || !is_loop(*list) || list->name != "filter" || !looks_for_true(*list)) return false;
  out.insert(out.end(), list->target->args.begin(), list->target->args.end());
  return true;
}

}  // namespace

Plans Planner::want(const Expr& e, bool outcome) {
  Deeper deeper(*this);
  if (!deeper.may_go_on()) return kAny;
  if (const bool* b = e.kind == ExprKind::Literal ? std::get_if<bool>(&e.literal) : nullptr)
    return *b == outcome ? kAny : Plans();
  if (const Expr* variable = variable_of(e)) {
    const Scope before = std::exchange(scope_, {});
    Plans out = want(*variable, outcome);
    scope_ = before;
    return out;
  }
  if (e.kind == ExprKind::Call) {
    if (e.is_call(operators::kLogicalNot, 1)) return want(*e.args[0], !outcome);
    if (is_logical(e)) {
      const bool conjunction = e.name == operators::kLogicalAnd;
      const Plans first = want(*e.args[0], outcome), second = want(*e.args[1], outcome);
      if (conjunction == outcome) return both(first, second);
      // The second operand decides only where the first one does not, which often is a guard.
      return either(first, both(want(*e.args[0], !outcome), second));
    }
    if (e.is_call(operators::kConditional, 3))
      return either(both(want(*e.args[0], true), want(*e.args[1], outcome)),
                    both(want(*e.args[0], false), want(*e.args[2], outcome)));
    if (is_loop(e) && (e.name == "exists_one" || e.name == "existsOne") && looks_for_true(e))
      return want_count({e.target->args.begin(), e.target->args.end()},
                        outcome ? Relation::Equals : Relation::NotEquals, 1);
    if (auto plans = want_valid(e, outcome)) return *plans;
    if (is_loop(e) && e.name != "filter" && e.name != "map") return want_loop(e, outcome);
    if (const auto relation = relation_of(e)) return want_relation(e, *relation, outcome);
    if (e.is_call(operators::kIn, 2)) return want_in(e, outcome);
    if (e.is_call("has", 1) && e.target == nullptr) return want_there(term(*e.args[0]), outcome);
    if (e.name == "hasValue" && e.target != nullptr) return want_there(term(*e.target), outcome);
    if (e.name == "bind" && e.target != nullptr && e.args.size() == 3) {
      const Scope before = scope_;
      scope_[e.args[0]->name] = term(*e.args[1]);
      Plans out = want(*e.args[2], outcome);
      scope_ = before;
      return out;
    }
    if (e.target != nullptr && e.args.size() == 1) {
      if (e.name == "orValue") return want_default(e, outcome);
      if (auto plans = want_text(e, outcome)) return *plans;
      if (auto plans = want_order(e, outcome)) return *plans;
    }
  }
  const Term t = term(e);
  if (t.constant) return *t.constant == (outcome ? "true" : "false") ? kAny : Plans();
  Plans out = set(t, {outcome ? "true" : "false"});
  if (!outcome) add_all(out, set(t, {""}));
  return out.empty() ? kAny : out;
}

Plans Planner::want_default(const Expr& e, bool outcome) {
  if (e.target->kind == ExprKind::Call && e.target->name == "optMap" && e.target->args.size() == 2) {
    const Scope before = scope_;
    scope_[e.target->args[0]->name] = term(*e.target->target);
    Plans out = both(want_there(scope_[e.target->args[0]->name], true), want(*e.target->args[1], outcome));
    scope_ = before;
    if (const Term t = term(*e.args[0]); t.constant == (outcome ? "true" : "false"))
      out = either(want_there(term(*e.target->target), false), out);
    return out;
  }
  const Term t = term(*e.target);
  Plans out = set(t, {outcome ? "true" : "false"});
  if (const Term other = term(*e.args[0]); other.constant == (outcome ? "true" : "false"))
    add_all(out, set(t, {""}));
  return out.empty() ? kAny : out;
}

Plans Planner::set(const Term& t, const std::vector<std::string>& values) const {
  Plans out;
  for (const Ref& ref : t.refs) {
    for (const std::string& value : values) {
      const auto fits = ref.path.size() > 1 ? fitting(kind_, ref.path, value) : std::nullopt;
      if (fits) add_all(out, {with(ref.needs, ref.path, *fits)});
    }
  }
  return out;
}

Plans Planner::want_there(const Term& t, bool outcome) const {
  if (t.constant || t.absent) return outcome == !t.absent ? kAny : Plans();
  if (t.refs.empty()) return kAny;
  Plans out;
  for (const Ref& ref : t.refs) {
    if (outcome) add_all(out, {with(ref.needs, ref.path, natural(ref.path), true)});
    if (outcome || ref.path.size() < 2) continue;
    const Plan without = with(ref.needs, ref.path, "");
    add_all(out, {without});
    // Another member, where an object without any gets one by default: volumes are emptyDir.
    if (Path beside = beside_of(kind_, ref.path); !beside.empty())
      add_all(out, {with(without, beside, natural(beside), true)});
  }
  return out;
}

Plans Planner::want_loop(const Expr& e, bool outcome) {
  const Scope before = scope_;
  const bool all = e.name == "all";
  const std::vector<Term> elements = elements_of(*e.target);
  Plans out, every = kAny;
  for (const Term& element : elements) {
    bind(e, element);
    Plans one = want(*e.args.back(), outcome);
    scope_ = before;
    // An element of a list is there only if something says so: kAny would leave the list empty.
    Plans there;
    for (const Ref& ref : element.refs) add_all(there, {with(ref.needs, ref.path, natural(ref.path), true)});
    if (!element.constant) one = both(there, one);
    every = both(every, one);
    out = either(out, one);
  }
  if (all != outcome) return elements.empty() ? kAny : out;
  const Term range = term(*e.target);
  if (range.constant) return every;
  // Nothing holds for all, and for none, of no elements.
  Plans none;
  for (const Ref& ref : range.refs) {
    if (!ref.elements) add_all(none, {{{ref.path, ""}}});
  }
  return elements.empty() ? kAny : either(every, none);
}

Plans Planner::want_in(const Expr& e, bool outcome) {
  const Term key = term(*e.args[0]), list = term(*e.args[1]);
  if (list.constant) {
    const std::vector<std::string> items = items_in(*list.constant);
    if (key.constant) return (std::ranges::count(items, *key.constant) > 0) == outcome ? kAny : Plans();
    if (key.refs.empty()) return kAny;
    if (outcome) return set(key, items);
    return set(key, {items.empty() ? R"("x")" : other_than(items[0])});
  }
  if (list.refs.empty()) return kAny;
  const auto name = key.constant ? text_in(*key.constant) : std::nullopt;
  const std::string value = key.constant ? *key.constant : R"("x")";
  Plans out;
  for (const Ref& ref : list.refs) {
    Path element = ref.path, member = ref.path;
    if (!ref.elements) element.emplace_back(kElement);
    member.push_back(name ? *name : "x");
    const bool map = !ref.elements && natural(ref.path).starts_with('{');
    const bool maybe_map = map || (!ref.elements && natural(ref.path).starts_with('"'));
    const bool maybe_list = ref.elements || !map;
    Plan base = ref.needs;
    if (!key.constant) {
      for (const Ref& k : key.refs) append(base, with(k.needs, k.path, value));
    }
    if (outcome) {
      if (maybe_map) add_all(out, {with(base, member, natural(member), true)});
      if (maybe_list) add_all(out, {with(base, element, value)});
    } else {
      if (maybe_list) add_all(out, {with(base, element, other_than(value))});
      if (maybe_map) {
        Path other = ref.path;  // an empty map may be as if it were absent
        other.push_back(member.back() + "x");
        const Plan without = with(base, member, "");
        add_all(out, {without, with(without, other, natural(other), true)});
      }
      if (!ref.elements) add_all(out, {with(base, ref.path, "")});
    }
  }
  return out;
}

Plans Planner::want_relation(const Expr& e, Relation relation, bool outcome) {
  if (!outcome) relation = negated(relation);
  const bool equality = relation == Relation::Equals || relation == Relation::NotEquals;
  for (size_t i = 0; equality && i < 2; i++) {
    const Expr& flag = *e.args[i];
    const bool* b = flag.kind == ExprKind::Literal ? std::get_if<bool>(&flag.literal) : nullptr;
    if (b != nullptr) return want(*e.args[1 - i], (relation == Relation::Equals) == *b);
  }
  if (equality && is_test(*e.args[0]) && is_test(*e.args[1])) {
    Plans out;
    for (const bool first : {true, false}) {
      const bool second = first == (relation == Relation::Equals);
      out = either(out, both(want(*e.args[0], first), want(*e.args[1], second)));
    }
    return out;
  }
  for (size_t i = 0; i < 2; i++) {
    std::vector<const Expr*> counted;
    const auto number = term(*e.args[1 - i]).constant;
    if (number && number_in(*number) && add_counted(*e.args[i], counted))
      return want_count(counted, i == 0 ? relation : turned(relation), *number_in(*number));
  }
  // a.compareTo(b) < 0
  for (size_t i = 0; i < 2; i++) {
    const Expr& call = *e.args[i];
    if (call.kind != ExprKind::Call || call.name != "compareTo" || call.target == nullptr ||
        call.args.size() != 1)
      continue;
    return related(term(*call.target), i == 0 ? relation : turned(relation), term(*call.args[0]));
  }
  return related(term(*e.args[0]), relation, term(*e.args[1]));
}

Plans Planner::related(const Term& a, Relation relation, const Term& b) {
  if (a.constant && !b.constant) return related(b, turned(relation), a);
  if (a.constant && b.constant) {
    if (relation == Relation::Equals) return *a.constant == *b.constant ? kAny : Plans();
    if (relation == Relation::NotEquals) return *a.constant != *b.constant ? kAny : Plans();
    return kAny;
  }
  if (a.refs.empty() || (!b.constant && b.refs.empty())) return kAny;
  if (!b.constant) return related_places(a, relation, b);
  if (a.size) return sized(a, relation, number_in(*b.constant).value_or(0));
  if (*b.constant == "null" || *b.constant == "{}" || *b.constant == "[]")
    return want_there(a, relation != Relation::Equals);
  if (relation == Relation::Equals) return set(a, {*b.constant});
  if (relation == Relation::NotEquals) {
    Plans out = set(a, {other_than(*b.constant)});
    if (out.empty()) return kAny;  // it never is
    add_all(out, set(a, {""}));
    return out;
  }
  std::vector<std::string> values;
  if (const auto number = number_in(*b.constant)) {
    for (int64_t n : numbers_for(relation, *number)) values.push_back(std::to_string(n));
  } else if (const auto text = text_in(*b.constant)) {
    const bool equals = relation == Relation::LessEquals || relation == Relation::GreaterEquals;
    const bool greater = relation == Relation::Greater || relation == Relation::GreaterEquals;
    if (equals) values.push_back(*b.constant);
    if (const std::string other = scaled(*text, greater); !other.empty()) values.push_back(quote_json(other));
  }
  return values.empty() ? kAny : set(a, values);
}

Plans Planner::related_places(const Term& a, Relation relation, const Term& b) {
  Plans out;
  const bool same =
      relation == Relation::Equals || relation == Relation::LessEquals || relation == Relation::GreaterEquals;
  for (const Ref& x : a.refs) {
    for (const Ref& y : b.refs) {
      if (x.path == y.path && !same) continue;
      // Either side may follow what the other one has.
      if (!a.size && !b.size && x.elements == y.elements && x.path != y.path) {
        for (const auto& [leads, follows, how] : {std::tuple(&y, &x, relation), {&x, &y, turned(relation)}}) {
          Plan plan = x.needs;
          append(plan, y.needs);
          std::string first = natural(is_unknown(kind_, leads->path) ? follows->path : leads->path);
          std::string second = related_to(first, how);
          if (second.empty()) {  // numbers have an order, and texts that begin with one
            first = is_unknown(kind_, leads->path) ? "1" : R"("1")";
            second = related_to(first, how);
          }
          append(plan, {{leads->path, first, true}});
          append(plan, {{follows->path, second, false, leads->path, how}});
          add_all(out, {plan});
        }
      }
      const std::string left = natural(is_unknown(kind_, x.path) ? y.path : x.path);
      std::string right = left, other = scaled("1", relation == Relation::Less);
      if (!same) right = left.starts_with('"') && relation == Relation::NotEquals ? other_than(left) : other;
      if (relation == Relation::NotEquals && !left.starts_with('"')) right = other_than(left);
      Plan plan = x.needs;
      append(plan, y.needs);
      const bool numbers = !same && relation != Relation::NotEquals;
      append(plan, {{x.path, numbers ? "1" : left}});
      append(plan, {{y.path, right}});
      add_all(out, {plan});
      if (const std::string value = natural(y.path); same && value != left && !is_unknown(kind_, y.path))
        add_all(out, {with(with(plan, x.path, value), y.path, value)});
      if (relation == Relation::NotEquals) add_all(out, {with(with(x.needs, x.path, left), y.path, "")});
    }
  }
  return out.empty() ? kAny : out;
}

Plans Planner::sized(const Term& a, Relation relation, int64_t size) const {
  Plans out;
  for (const Ref& ref : a.refs) {
    for (int64_t n : numbers_for(relation, size)) {
      if (n < 0 || n > kLongestMade) continue;
      Path list = ref.path;
      if (ref.elements) list.pop_back();
      const std::string there = natural(list);
      if (n == 0) {
        if (list.size() > 1) add_all(out, {with(ref.elements ? Plan() : ref.needs, list, "")});
        const bool known = list.size() > 1 && !ref.elements && !is_unknown(kind_, list);
        const std::string empty = there.starts_with('"') ? R"("")" : there.starts_with('[') ? "[]" : "{}";
        if (known) add_all(out, {with(ref.needs, list, empty)});
        continue;
      }
      if (ref.elements || there.starts_with('[')) {
        Path element = ref.path;
        if (!ref.elements) element.emplace_back(kElement);
        // The first want makes so many elements, the others say what they have.
        Plan plan;
        if (list.back() != kElement && n > 1 && n <= kMostItems) {
          std::string items;
          const std::string item = natural_item(kind_, list);
          for (int64_t i = 0; i < n; i++) items += (i > 0 ? "," : "") + item;
          plan.push_back({list, "[" + items + "]"});
        } else {
          plan.push_back({element, natural(element), true});
        }
        append(plan, ref.needs);
        add_all(out, {plan});
        continue;
      }
      if (there.starts_with('"'))
        add_all(out, {with(ref.needs, ref.path, quote_json(std::string(static_cast<size_t>(n), 'x')))});
      if (const std::string fields = with_fields(kind_, list, n); !fields.empty()) {
        add_all(out, {with(ref.needs, ref.path, fields)});
      } else if (there.starts_with('{') || is_unknown(kind_, list)) {
        std::string members, items;
        for (int64_t i = 0; i < std::min(n, kMostItems); i++) {
          const std::string comma = i > 0 ? "," : "";
          members += comma + quote_json("x" + std::to_string(i)) + R"(:"x")";
          items += comma + R"("x")";
        }
        add_all(out, {with(ref.needs, ref.path, "{" + members + "}")});
        if (is_unknown(kind_, list)) add_all(out, {with(ref.needs, ref.path, "[" + items + "]")});
      }
    }
  }
  return out.empty() ? kAny : out;
}

std::optional<Plans> Planner::want_text(const Expr& e, bool outcome) {
  static constexpr std::string_view kTests[] = {"startsWith", "endsWith", "contains", "matches"};
  if (std::ranges::count(kTests, e.name) == 0) return std::nullopt;
  const Term subject = term(*e.target), argument = term(*e.args[0]);
  if (subject.constant || subject.refs.empty()) return kAny;
  std::vector<std::string> parts;
  if (argument.constant) {
    if (const auto text = text_in(*argument.constant)) parts.push_back(*text);
  }
  if (parts.empty()) parts.emplace_back("x");
  std::vector<std::string> values;
  for (const std::string& part : parts) {
    if (!outcome) {
      for (const char* value : {"x", "X-1", ""}) values.push_back(quote_json(value));
    } else if (e.name == "matches") {
      values.push_back(quote_json(sample_of(part)));
    } else {
      if (e.name != "endsWith") values.push_back(quote_json(part + "x"));
      if (e.name != "startsWith") values.push_back(quote_json("x" + part));
      values.push_back(quote_json(part));
    }
  }
  Plans out = set(subject, values);
  if (!outcome) add_all(out, set(subject, {""}));
  return out;
}

Plans Planner::want_count(const std::vector<const Expr*>& conditions, Relation relation, int64_t number) {
  Plans out;
  for (size_t count = 0; count <= conditions.size(); count++) {
    if (!holds(static_cast<int64_t>(count), relation, number)) continue;
    // One may be any of them, several are the first.
    for (size_t first = 0; first < (count == 1 ? conditions.size() : 1); first++) {
      Plans plans = kAny;
      for (size_t i = 0; i < conditions.size(); i++)
        plans = both(plans, want(*conditions[i], i >= first && i < first + count));
      if (!plans.empty()) add_all(out, {plans[0]});
    }
  }
  return out;
}

std::optional<Plans> Planner::want_valid(const Expr& e, bool outcome) {
  static constexpr std::pair<std::string_view, std::string_view> kTexts[] = {{"isIP", "192.0.2.1"},
                                                                             {"isCIDR", "192.0.2.0/24"},
                                                                             {"isURL", "https://example.com"},
                                                                             {"isQuantity", "1"},
                                                                             {"isSemver", "1.0.0"}};
  const Expr* subject = nullptr;
  std::string_view valid;
  for (const auto& [name, text] : kTexts) {
    if (!e.is_call(name, 1) || e.target != nullptr) continue;
    subject = e.args[0];
    valid = text;
  }
  // What has a value are the errors.
  const bool errors = e.name == "hasValue" && e.target != nullptr && e.target->is_call("validate", 1) &&
                      e.target->target != nullptr && e.target->target->kind == ExprKind::Call;
  if (errors) {
    subject = e.target->args[0];
    valid = text_of_format(e.target->target->name);
    if (valid.empty()) valid = "x";
  }
  if (subject == nullptr) return std::nullopt;
  const Term t = term(*subject);
  if (t.constant || t.refs.empty()) return kAny;
  return set(t, {quote_json(outcome != errors ? valid : std::string_view("not valid!"))});
}

std::optional<Plans> Planner::want_order(const Expr& e, bool outcome) {
  const bool greater = e.name == "isGreaterThan";
  if (!greater && e.name != "isLessThan") return std::nullopt;
  const Relation relation = greater ? Relation::Greater : Relation::Less;
  return related(term(*e.target), outcome ? relation : negated(relation), term(*e.args[0]));
}

}  // namespace portcullis::drafts
