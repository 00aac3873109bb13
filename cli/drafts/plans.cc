// See plans.h.
#include "cli/drafts/plans.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "cli/drafts/natural.h"
#include "grammar/ascii.h"
#include "grammar/parse.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis::drafts {

std::optional<std::string> text_in(const std::string& json) {
  Arena arena;
  const Result<Value> value = read_json(json, arena);
  if (!value.ok() || !value->is(Kind::String)) return std::nullopt;
  return std::string(value->as_text());
}

namespace {

constexpr size_t kMostPlans = 12;      // for one outcome of an expression
constexpr size_t kMostWants = 64;      // of a plan
constexpr size_t kMostRefs = 16;       // of one value
constexpr int kDeepestPlan = 200;      // nesting of expressions that is followed
constexpr size_t kMostSteps = 50'000;  // of all plans, since variables that use others twice double them
constexpr size_t kStepBytes = 256;     // of a constant that an expression looks at: each takes a step
constexpr size_t kMostOfConstant = 1 << 20;  // of a constant
constexpr int64_t kLongestMade = 254;        // of a text that is made for its size
constexpr int64_t kMostItems = 64;           // of a list or map that is made for its size

using Plans = std::vector<Plan>;

// A place whose value an expression looks at, if `needs` hold: the value there, or that of elements of a list.
struct Ref {
  Path path;
  bool elements = false;  // the value is a list, and its elements are at the path
  Plan needs;
};
// What an expression stands for: a constant, or what is at one of several places.
struct Term {
  std::optional<std::string> constant;  // JSON
  std::vector<Ref> refs;
  bool size = false;    // of it
  bool absent = false;  // nothing is there
};

const Plans kAny = {{}};  // one plan that asks for nothing

void append(Plan& plan, const Plan& more) {
  if (plan.size() + more.size() <= kMostWants) plan.insert(plan.end(), more.begin(), more.end());
}
Plan with(Plan plan, Path path, std::string json, bool there = false) {
  append(plan, {{std::move(path), std::move(json), there}});
  return plan;
}
void add_all(Plans& plans, const Plans& more) {
  for (const Plan& p : more) {
    if (plans.size() < kMostPlans) plans.push_back(p);
  }
}
// Alternatives of both, in turn, so that a bound leaves some of each.
Plans either(const Plans& a, const Plans& b) {
  Plans out;
  for (size_t i = 0; i < std::max(a.size(), b.size()); i++) {
    if (i < a.size()) add_all(out, {a[i]});
    if (i < b.size()) add_all(out, {b[i]});
  }
  return out;
}
// Each of one with each of the other; those that are first in both come first.
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

std::optional<int64_t> number_in(const std::string& json) {
  Arena arena;
  const Result<Value> value = read_json(json, arena);
  if (!value.ok() || !value->is(Kind::Int)) return std::nullopt;
  return value->as_int();
}
// The elements of a list or the keys of a map, at most so many.
std::vector<std::string> items_in(const std::string& json, size_t most = std::string::npos) {
  std::vector<std::string> out;
  Arena arena;
  const Result<Value> value = read_json(json, arena);
  if (!value.ok()) return out;
  if (value->is(Kind::List)) {
    for (const Value& v : value->as_list().first(std::min<size_t>(most, value->size())))
      out.push_back(to_json(v));
  } else if (value->is(Kind::Map)) {
    for (const MapEntry& e : value->as_map().first(std::min<size_t>(most, value->size())))
      out.push_back(quote_json(e.key.as_text()));
  }
  return out;
}
std::optional<std::string> member_in(const std::string& json, const std::string& name) {
  Arena arena;
  const Result<Value> value = read_json(json, arena);
  const Value* found = value.ok() ? find_member(*value, name) : nullptr;
  return found == nullptr ? std::nullopt : std::optional(to_json(*found));
}

// A constant beside another one: 'x' is not equal to 'xx'.
std::string other_than(const std::string& json) {
  if (json == "true") return "false";
  if (json == "false") return "true";
  if (const auto text = text_in(json)) return quote_json(*text + "x");
  if (const auto number = number_in(json)) return std::to_string(*number + 1);
  return json == "null" ? R"("x")" : "null";
}

// A quantity, duration or number in a text that is greater or less: '1Gi', '2Gi'. Empty if there is none.
std::string scaled(const std::string& text, bool greater) {
  const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  constexpr size_t kMostDigits = 12;
  if (end == 0 || end > kMostDigits) return {};
  const int64_t number = std::stoll(text.substr(0, end));
  if (greater) return std::to_string(number * 2 + 1) + text.substr(end);
  return number == 0 ? "-1" : std::to_string(number / 2) + text.substr(end);
}

// Whether something is at a path, which begins with a root, of an object.
bool is_at(const std::string& object, const Path& path) {
  Arena arena;
  const Result<Value> value = read_json(object, arena);
  const Value* at = value.ok() ? &*value : nullptr;
  for (size_t i = 1; i < path.size() && at != nullptr; i++) {
    if (path[i] == kKey) return at->is(Kind::Map) && at->size() > 0;
    if (path[i] != kElement) {
      at = find_member(*at, path[i]);
    } else if (at->is(Kind::List)) {
      at = at->size() > 0 ? at->as_list().data() : nullptr;
    } else {
      at = at->is(Kind::Map) && at->size() > 0 ? &at->as_map()[0].value : nullptr;
    }
  }
  return at != nullptr && !at->is_null();
}

enum class Relation : uint8_t { Less, LessEquals, Equals, NotEquals, Greater, GreaterEquals };

std::optional<Relation> relation_of(const Expr& e) {
  static constexpr std::pair<std::string_view, Relation> kRelations[] = {
      {operators::kLess, Relation::Less},       {operators::kLessEquals, Relation::LessEquals},
      {operators::kEquals, Relation::Equals},   {operators::kNotEquals, Relation::NotEquals},
      {operators::kGreater, Relation::Greater}, {operators::kGreaterEquals, Relation::GreaterEquals}};
  for (const auto& [name, relation] : kRelations) {
    if (e.is_call(name, 2)) return relation;
  }
  return std::nullopt;
}
Relation negated(Relation r) { return static_cast<Relation>(5 - static_cast<int>(r)); }
Relation turned(Relation r) {
  const bool symmetric = r == Relation::Equals || r == Relation::NotEquals;
  return symmetric ? r
                   : negated(r == Relation::Less         ? Relation::LessEquals
                             : r == Relation::LessEquals ? Relation::Less
                             : r == Relation::Greater    ? Relation::GreaterEquals
                                                         : Relation::Greater);
}
// Numbers with this relation to another one, the nearest first.
std::vector<int64_t> numbers_for(Relation r, int64_t n) {
  switch (r) {
    case Relation::Less: return {n - 1, 0};
    case Relation::LessEquals: return {n, n - 1};
    case Relation::Equals: return {n};
    case Relation::NotEquals: return {n + 1, n - 1};
    case Relation::Greater: return {n + 1, n + 100};
    case Relation::GreaterEquals: return {n, n + 1};
  }
  return {};
}

class Planner {
 public:
  Planner(const InputObject& policy, const ObjectKind& kind, const std::string& param)
      : kind_(kind), param_(param) {
    each_in(policy, "variables", [&](const Value& v) {
      variables_[std::string(text_member(v, "name"))] = parsed(text_member(v, "expression"));
    });
  }

  Plans run(const InputObject& policy) {
    Plans matching = kAny;
    each_in(policy, "matchConditions",
            [&](const Value& v) { matching = both(matching, wanted(text_member(v, "expression"), true)); });
    Plans out = matching, passing = matching;
    each_in(policy, "validations",
            [&](const Value& v) { passing = both(passing, wanted(text_member(v, "expression"), true)); });
    out.insert(out.end(), passing.begin(), passing.end());
    each_in(policy, "validations", [&](const Value& v) {
      const Plans failing = wanted(text_member(v, "expression"), false);
      for (const Plans& base : {matching, passing}) {
        for (const Plan& plan : both(base, failing)) out.push_back(plan);
      }
      for (const Plan& plan : wanted(text_member(v, "expression"), true)) out.push_back(plan);
    });
    each_in(policy, "mutations", [&](const Value& v) {
      for (std::string_view member : {"applyConfiguration", "jsonPatch"}) {
        const Value* patch = find_member(v, member);
        const Expr* root = patch == nullptr ? nullptr : parsed(text_member(*patch, "expression"));
        if (root == nullptr) continue;
        for (const Plan& looked_for : tests_in(*root, 0)) {
          for (const Plan& plan : both(matching, {looked_for})) out.push_back(plan);
        }
      }
    });
    // Requests that do not match: those that a mutating policy leaves as they are.
    each_in(policy, "matchConditions", [&](const Value& v) {
      for (const Plan& plan : wanted(text_member(v, "expression"), false)) out.push_back(plan);
    });
    return out;
  }

 private:
  template <typename Each>
  static void each_in(const InputObject& policy, std::string_view list, Each each) {
    const Value* items = find_path(policy.value, "spec." + std::string(list));
    if (items == nullptr || !items->is(Kind::List)) return;
    for (const Value& item : items->as_list()) each(item);
  }
  const Expr* parsed(std::string_view text) {
    const Source source{text};
    ParseOptions options;
    options.optional_syntax = true;
    Parsed& made = *asts_.emplace_back(std::make_unique<Parsed>(parse(source, options)));
    return made.ok() ? made.ast.root : nullptr;
  }
  Plans wanted(std::string_view text, bool outcome) {
    const Expr* root = parsed(text);
    return root == nullptr ? kAny : want(*root, outcome);
  }

  // What a mutation tests, and the elements that it loops over.
  Plans tests_in(const Expr& e, int depth) {
    Plans out;
    if (depth > kDeepestPlan || steps_++ > kMostSteps) return out;
    if (e.is_call(operators::kConditional, 3)) {
      for (bool outcome : {true, false}) add_all(out, want(*e.args[0], outcome));
    }
    if (is_loop(e)) {
      const Scope before = scope_;
      for (const Term& element : elements_of(*e.target)) {
        for (const Ref& ref : element.refs)
          add_all(out, {with(ref.needs, ref.path, natural(ref.path), true)});
        bind(e, element);
        for (size_t i = 1; i < e.args.size(); i++) {
          if (e.name == "filter" || e.name == "exists" || e.name == "all")
            add_all(out, want(*e.args[i], true));
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

  using Scope = std::map<std::string, Term>;

  // Binds the variables of a loop: the last one before the body is the element.
  void bind(const Expr& loop, const Term& element) {
    const bool two = loop.args.size() == 3 && loop.name != "map" && loop.args[1]->kind == ExprKind::Ident;
    if (two) scope_[loop.args[0]->name] = {};
    scope_[loop.args[two ? 1 : 0]->name] = element;
  }
  const Expr* variable_of(const Expr& e) const {
    if (e.kind != ExprKind::Select || e.target->kind != ExprKind::Ident || e.target->name != "variables")
      return nullptr;
    auto found = variables_.find(e.name);
    return found == variables_.end() ? nullptr : found->second;
  }
  static const std::string* text_of(const Expr& e) {
    return e.kind == ExprKind::Literal ? std::get_if<std::string>(&e.literal) : nullptr;
  }

  // ---- what expressions stand for

  Term term(const Expr& e) {
    Deeper deeper(*this);
    if (!deeper.may_go_on()) return {};
    Term out = meaning(e);
    const size_t bytes = out.constant ? out.constant->size() : 0;
    steps_ += bytes / kStepBytes;
    return bytes > kMostOfConstant ? Term() : out;
  }
  Term meaning(const Expr& e) {
    switch (e.kind) {
      case ExprKind::Literal: {
        std::string json = json_of(e.literal);
        return json.empty() ? Term() : constant(std::move(json));
      }
      case ExprKind::List: {
        std::string json;
        for (const Expr* item : e.args) {
          const Term t = term(*item);
          if (!t.constant) return {};
          json += (json.empty() ? "" : ",") + *t.constant;
        }
        return constant("[" + json + "]");
      }
      case ExprKind::Ident: return named(e.name);
      case ExprKind::Select: {
        if (const Expr* variable = variable_of(e)) {
          const Scope before = std::exchange(scope_, {});
          Term out = term(*variable);
          scope_ = before;
          return out;
        }
        return member(term(*e.target), e.name);
      }
      case ExprKind::Call: return called(e);
      default: return {};
    }
  }
  static Term constant(std::string json) { return {.constant = std::move(json), .refs = {}}; }
  Term named(const std::string& name) const {
    if (auto found = scope_.find(name); found != scope_.end()) return found->second;
    if (name == kParamsRoot && !param_.empty()) return constant(param_);
    if (name == kObjectRoot || name == kOldRoot || name == kParamsRoot || name == kRequestRoot ||
        name == kNamespaceRoot)
      return {.constant = {}, .refs = {{.path = {name}, .needs = {}}}};
    return {};
  }
  Term member(const Term& of, const std::string& name) const {
    Term out;
    if (of.constant || of.absent) {
      if (of.constant) out.constant = member_in(*of.constant, name);
      out.absent = !out.constant;
      return out;
    }
    for (Ref ref : of.refs) {
      ref.path.push_back(name);
      if (ref.path.size() == 2 && ref.path[0] == kRequestRoot) {
        if (name == kObjectRoot || name == kOldRoot) ref.path = {name};
        if (name == "name") ref.path = {std::string(kObjectRoot), "metadata", "name"};
        if (name == "operation") return constant(quote_json(kind_.operation));
      }
      if (ref.path.size() == 2 && (ref.path[0] == kObjectRoot || ref.path[0] == kOldRoot)) {
        if (name == "kind") return constant(quote_json(kind_.kind));
        if (name == "apiVersion") return constant(quote_json(kind_.api_version));
      }
      out.refs.push_back(std::move(ref));
    }
    return out;
  }
  static Term joined(Term a, const Term& b) {
    a.constant.reset();
    for (const Ref& ref : b.refs) {
      if (a.refs.size() < kMostRefs) a.refs.push_back(ref);
    }
    return a;
  }
  static Term needing(Term t, const Plans& plans) {
    if (plans.empty()) return {};
    Term out = t;
    out.refs.clear();
    for (const Ref& ref : t.refs) {
      for (const Plan& plan : plans) {
        if (out.refs.size() >= kMostRefs) break;
        out.refs.push_back(ref);
        append(out.refs.back().needs, plan);
      }
    }
    return out;
  }
  // The elements of a list or map: one term for what is at places, one for each of a constant.
  std::vector<Term> elements_of(const Expr& list) {
    const Term t = term(list);
    std::vector<Term> out;
    if (t.constant) {
      for (std::string& item : items_in(*t.constant, kMostItems)) out.push_back(constant(std::move(item)));
      return out;
    }
    Term elements;
    for (Ref ref : t.refs) {
      if (!ref.elements) ref.path.emplace_back(is_map(kind_, ref.path) ? kKey : kElement);
      ref.elements = false;
      elements.refs.push_back(std::move(ref));
    }
    if (!elements.refs.empty()) out.push_back(std::move(elements));
    return out;
  }

  Term called(const Expr& e) {
    if (is_loop(e)) return looped(e);
    if (e.is_call(operators::kConditional, 3)) {
      const Plans first = want(*e.args[0], true), second = want(*e.args[0], false);
      if (first.empty() || second.empty()) return term(*e.args[second.empty() ? 1 : 2]);
      return joined(needing(term(*e.args[1]), first), needing(term(*e.args[2]), second));
    }
    if (e.is_call(operators::kAdd, 2)) {
      const Term a = term(*e.args[0]), b = term(*e.args[1]);
      if (a.constant && b.constant) {
        const auto x = text_in(*a.constant), y = text_in(*b.constant);
        if (x && y) return constant(quote_json(*x + *y));
      }
      return joined(a, b);
    }
    if ((e.name == operators::kIndex || e.name == operators::kOptIndex || e.name == operators::kOptSelect) &&
        e.args.size() == 2) {
      const Term key = term(*e.args[1]);
      const auto name = key.constant ? text_in(*key.constant) : std::nullopt;
      const Term list = term(*e.args[0]);
      if (name) return member(list, *name);
      std::vector<Term> elements = elements_of(*e.args[0]);
      if (elements.empty()) return {};
      for (Ref& ref : elements[0].refs) {
        if (ref.path.back() == kKey) ref.path.back() = kElement;
      }
      return elements[0];
    }
    if (e.name == "size") {
      Term t = term(e.target != nullptr ? *e.target : e.args.empty() ? e : *e.args[0]);
      t.size = true;
      if (t.constant) return {};
      return t;
    }
    static constexpr std::string_view kConversions[] = {"string",    "int",      "double", "uint", "quantity",
                                                        "timestamp", "duration", "semver", "dyn",  "type",
                                                        "ip",        "cidr",     "url"};
    if (e.target == nullptr)
      return e.args.size() == 1 && std::ranges::count(kConversions, e.name) > 0 ? term(*e.args[0]) : Term();
    if (e.target->kind == ExprKind::Ident && e.target->name == "optional")
      return e.args.size() == 1 ? term(*e.args[0]) : Term();
    if ((e.name == "optMap" || e.name == "optFlatMap") && e.args.size() == 2) {
      const Scope before = scope_;
      scope_[e.args[0]->name] = term(*e.target);
      Term out = term(*e.args[1]);
      scope_ = before;
      return out;
    }
    static constexpr std::string_view kSame[] = {
        "orValue",   "or",      "value",       "lowerAscii", "upperAscii", "trim",   "replace",
        "split",     "flatten", "distinct",    "sort",       "reverse",    "first",  "last",
        "substring", "getHost", "getHostname", "asInteger",  "find",       "findAll"};
    return std::ranges::count(kSame, e.name) > 0 ? term(*e.target) : Term();
  }
  Term looped(const Expr& e) {
    const Scope before = scope_;
    Term out;
    for (const Term& element : elements_of(*e.target)) {
      bind(e, element);
      if (e.name == "filter") {
        Term kept = needing(element, want(*e.args.back(), true));
        for (Ref& ref : kept.refs) ref.elements = true;
        out = joined(out, kept);
      } else if (e.name == "map") {
        Term made = term(*e.args.back());
        if (e.args.size() == 3) made = needing(made, want(*e.args[1], true));
        for (Ref& ref : made.refs) ref.elements = true;
        out = joined(out, made);
      }
      scope_ = before;
    }
    return e.name == "sortBy" ? term(*e.target) : out;
  }

  // ---- plans

  Plans want(const Expr& e, bool outcome) {
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
  // A flag that is absent has the value of orValue().
  Plans want_default(const Expr& e, bool outcome) {
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

  // The values at any of the places of a term.
  Plans set(const Term& t, const std::vector<std::string>& values) const {
    Plans out;
    for (const Ref& ref : t.refs) {
      for (const std::string& value : values) {
        const bool typed = ref.path[0] == kObjectRoot || ref.path[0] == kOldRoot;
        const bool fits = ref.path.size() > 1 &&
                          (!typed || may_hold(kind_, Path(ref.path.begin() + 1, ref.path.end()), value));
        if (fits) add_all(out, {with(ref.needs, ref.path, value)});
      }
    }
    return out;
  }
  std::string natural(const Path& path) const { return natural_at(kind_, path); }
  Plans want_there(const Term& t, bool outcome) const {
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

  Plans want_loop(const Expr& e, bool outcome) {
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
      for (const Ref& ref : element.refs)
        add_all(there, {with(ref.needs, ref.path, natural(ref.path), true)});
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

  Plans want_in(const Expr& e, bool outcome) {
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

  Plans want_relation(const Expr& e, Relation relation, bool outcome) {
    if (!outcome) relation = negated(relation);
    const bool equality = relation == Relation::Equals || relation == Relation::NotEquals;
    for (size_t i = 0; equality && i < 2; i++) {
      const Expr& flag = *e.args[i];
      const bool* b = flag.kind == ExprKind::Literal ? std::get_if<bool>(&flag.literal) : nullptr;
      if (b != nullptr) {
        Plans out = want(*e.args[1 - i], (relation == Relation::Equals) == *b);
        return out;
      }
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

  // Plans for terms with a relation to each other.
  Plans related(const Term& a, Relation relation, const Term& b) {
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
      if (const std::string other = scaled(*text, greater); !other.empty())
        values.push_back(quote_json(other));
    }
    return values.empty() ? kAny : set(a, values);
  }
  Plans related_places(const Term& a, Relation relation, const Term& b) {
    Plans out;
    const bool same = relation == Relation::Equals || relation == Relation::LessEquals ||
                      relation == Relation::GreaterEquals;
    for (const Ref& x : a.refs) {
      for (const Ref& y : b.refs) {
        if (x.path == y.path && !same) continue;
        const std::string left = natural(x.path);
        std::string right = left, other = scaled("1", relation == Relation::Less);
        if (!same)
          right = left.starts_with('"') && relation == Relation::NotEquals ? other_than(left) : other;
        if (relation == Relation::NotEquals && !left.starts_with('"')) right = other_than(left);
        Plan plan = x.needs;
        append(plan, y.needs);
        const bool numbers = !same && relation != Relation::NotEquals;
        append(plan, {{x.path, numbers ? "1" : left}});
        append(plan, {{y.path, right}});
        add_all(out, {plan});
        if (relation == Relation::NotEquals) add_all(out, {with(with(x.needs, x.path, left), y.path, "")});
      }
    }
    return out.empty() ? kAny : out;
  }
  // Lists, maps and texts of a size.
  Plans sized(const Term& a, Relation relation, int64_t size) const {
    Plans out;
    for (const Ref& ref : a.refs) {
      for (int64_t n : numbers_for(relation, size)) {
        if (n < 0 || n > kLongestMade) continue;
        Path list = ref.path;
        if (ref.elements) list.pop_back();
        const std::string there = natural(list);
        if (n == 0) {
          if (list.size() > 1) add_all(out, {with(ref.elements ? Plan() : ref.needs, list, "")});
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
        if (there.starts_with('{') || is_unknown(kind_, list)) {
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

  // text.startsWith(constant) and its like.
  std::optional<Plans> want_text(const Expr& e, bool outcome) {
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
  // quantity(a).isGreaterThan(quantity(b))
  std::optional<Plans> want_order(const Expr& e, bool outcome) {
    const bool greater = e.name == "isGreaterThan";
    if (!greater && e.name != "isLessThan") return std::nullopt;
    const Relation relation = greater ? Relation::Greater : Relation::Less;
    return related(term(*e.target), outcome ? relation : negated(relation), term(*e.args[0]));
  }

  class Deeper {
   public:
    explicit Deeper(Planner& planner) : planner_(planner) { planner_.depth_++, planner_.steps_++; }
    ~Deeper() { planner_.depth_--; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    bool may_go_on() const { return planner_.depth_ <= kDeepestPlan && planner_.steps_ <= kMostSteps; }

   private:
    Planner& planner_;
  };

  const ObjectKind& kind_;
  const std::string& param_;
  std::vector<std::unique_ptr<Parsed>> asts_;
  std::map<std::string, const Expr*> variables_;
  Scope scope_;
  int depth_ = 0;
  size_t steps_ = 0;
};

// Reads a regular expression, and writes what it matches.
class Sample {
 public:
  explicit Sample(std::string_view regex) : in_(regex) {}
  std::string run() { return alternatives(0); }

 private:
  static constexpr int kDeepest = 50;
  bool at(char c) const { return at_ < in_.size() && in_[at_] == c; }
  // The first alternative; others are only read.
  std::string alternatives(int depth) {
    std::string out = sequence(depth);
    while (at('|')) at_++, sequence(depth);
    return out;
  }
  std::string sequence(int depth) {
    std::string out;
    while (at_ < in_.size() && !at('|') && !at(')')) {
      const std::string one = atom(depth);
      const int count = repetitions();
      for (int i = 0; i < count; i++) out += one;
    }
    return out;
  }
  std::string atom(int depth) {
    const char c = in_[at_++];
    if (c == '(') {
      if (at('?')) {  // of flags or a name
        while (at_ < in_.size() && !at(':') && !at('>') && !at(')')) at_++;
        if (at(')')) return at_++, "";
        at_++;
      }
      std::string out = depth < kDeepest ? alternatives(depth + 1) : "";
      if (at(')')) at_++;
      return out;
    }
    if (c == '[') return std::string(1, of_class());
    if (c == '^' || c == '$') return {};
    if (c == '.') return "x";
    if (c == '\\' && at_ < in_.size()) return escaped(in_[at_++]);
    return std::string(1, c);
  }
  static std::string escaped(char c) {
    switch (c) {
      case 'd': return "1";
      case 'w': return "x";
      case 'S':
      case 'D': return "x";
      case 's':
      case 'W': return " ";
      case 'b':
      case 'B':
      case 'A':
      case 'z': return {};
      default: return std::string(1, c);
    }
  }
  char of_class() {
    const bool negated = at('^');
    if (negated) at_++;
    std::set<char> in;
    char first = 0;
    for (bool begin = true; at_ < in_.size() && (begin || !at(']')); begin = false) {
      std::string one(1, in_[at_++]);
      if (one == "\\" && at_ < in_.size()) one = escaped(in_[at_++]);
      const char low = one.empty() ? 'x' : one[0];
      char high = low;
      if (at('-') && at_ + 1 < in_.size() && in_[at_ + 1] != ']') high = in_[at_ + 1], at_ += 2;
      if (first == 0) first = low;
      for (int c = low; c <= high; c++) in.insert(static_cast<char>(c));
    }
    if (at(']')) at_++;
    if (!negated) return in.contains('x') ? 'x' : first;
    for (char c : std::string_view("x1-A/")) {
      if (!in.contains(c)) return c;
    }
    return 'x';
  }
  int repetitions() {
    int count = 1;
    while (at_ < in_.size() && (at('*') || at('+') || at('?') || at('{'))) {
      const char c = in_[at_];
      if (c == '{') {
        if (at_ + 1 >= in_.size() || !is_digit(in_[at_ + 1])) break;
        constexpr int kMostTimes = 254;
        count = 0;
        for (at_++; at_ < in_.size() && is_digit(in_[at_]); at_++)
          count = std::min(kMostTimes, count * 10 + (in_[at_] - '0'));
        while (at_ < in_.size() && !at('}')) at_++;
      } else if (c == '*') {
        count = 0;
      }
      at_++;
    }
    return count;
  }

  std::string_view in_;
  size_t at_ = 0;
};

}  // namespace

std::string sample_of(std::string_view regex) { return Sample(regex).run(); }

std::string applied(std::string object, const Plan& plan, std::string_view root, const ObjectKind& kind) {
  for (const Want& want : plan) {
    if (want.path[0] != root || want.path.size() < 2) continue;
    if (want.there && is_at(object, want.path)) continue;
    Path path = want.path;
    std::string value = want.json;
    // What is looped over in a map are its keys; the values are those of a member, which may have to be made.
    const Path above(path.begin(), path.end() - 1);
    if (path.back() == kKey) {
      if (!value.starts_with('"')) continue;
      value = "{" + value + ":" + natural_item(kind, above) + "}";
      path.pop_back();
    } else if (path.back() == kElement && is_map(kind, above) && !is_at(object, want.path)) {
      path.back() = "x";
    }
    path.erase(path.begin());
    std::string made = with_value(object, path, value);
    // What an earlier want put in the way yields.
    for (size_t length = path.size() - 1; made.empty() && length > 0; length--) {
      const Path blocking(path.begin(), path.begin() + static_cast<ptrdiff_t>(length));
      const std::string cleared = with_value(object, blocking, "");
      if (!cleared.empty()) made = with_value(cleared, path, value);
    }
    if (made.empty()) return {};
    object = std::move(made);
  }
  return object;
}

std::vector<Plan> plans_of(const InputObject& policy, const ObjectKind& kind, const std::string& param) {
  return Planner(policy, kind, param).run(policy);
}

}  // namespace portcullis::drafts
