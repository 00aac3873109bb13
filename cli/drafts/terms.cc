// Planner: what expressions stand for.
#include <algorithm>
#include <utility>

#include "cli/drafts/constants.h"
#include "cli/drafts/planner.h"
#include "grammar/escape.h"
#include "interpreter/values/json.h"

namespace portcullis::drafts {
namespace {

constexpr size_t kMostRefs = 16;             // of one value
constexpr size_t kStepBytes = 256;           // of a constant that an expression looks at: each takes a step
constexpr size_t kMostOfConstant = 1 << 20;  // bytes
constexpr size_t kMostLookedAt = 64;         // of a constant that a loop looks at

}  // namespace

Term Planner::term(const Expr& e) {
  Deeper deeper(*this);
  if (!deeper.may_go_on()) return {};
  Term out = meaning(e);
  const size_t bytes = out.constant ? out.constant->size() : 0;
  steps_ += bytes / kStepBytes;
  return bytes > kMostOfConstant ? Term() : out;
}

Term Planner::meaning(const Expr& e) {
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
      return member(term(*e.target), selected(e.name));
    }
    case ExprKind::Call: return called(e);
    default: return {};
  }
}

Term Planner::named(const std::string& name) const {
  if (auto found = scope_.find(name); found != scope_.end()) return found->second;
  if (name == kParamsRoot && !param_.empty()) return constant(param_);
  if (name == kObjectRoot || name == kOldRoot || name == kParamsRoot || name == kRequestRoot ||
      name == kNamespaceRoot)
    return {.constant = {}, .refs = {{.path = {name}, .needs = {}}}};
  return {};
}

Term Planner::member(const Term& of, const std::string& name) const {
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
    if (ref.path.size() == 3 && ref.path[0] == kRequestRoot && ref.path[1] == "kind") {
      const size_t slash = kind_.api_version.find('/');
      if (name == "kind") return constant(quote_json(kind_.kind));
      if (name == "version") return constant(quote_json(kind_.api_version.substr(slash + 1)));
      if (name == "group")
        return constant(quote_json(slash == std::string::npos ? "" : kind_.api_version.substr(0, slash)));
    }
    if (ref.path.size() == 2 && (ref.path[0] == kObjectRoot || ref.path[0] == kOldRoot)) {
      if (name == "kind") return constant(quote_json(kind_.kind));
      if (name == "apiVersion") return constant(quote_json(kind_.api_version));
    }
    out.refs.push_back(std::move(ref));
  }
  return out;
}

std::string Planner::selected(const std::string& name) const {
  return escaped_ ? unescape_property(name).value_or(name) : name;
}

Term Planner::joined(Term a, const Term& b) {
  a.constant.reset();
  for (const Ref& ref : b.refs) {
    if (a.refs.size() < kMostRefs) a.refs.push_back(ref);
  }
  return a;
}

Term Planner::needing(Term t, const Plans& plans) {
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

std::vector<Term> Planner::elements_of(const Expr& list) {
  const Term t = term(list);
  std::vector<Term> out;
  if (t.constant) {
    for (std::string& item : items_in(*t.constant, kMostLookedAt)) out.push_back(constant(std::move(item)));
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

Term Planner::called(const Expr& e) {
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
    if (name) return member(list, e.name == operators::kOptSelect ? selected(*name) : *name);
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

Term Planner::looped(const Expr& e) {
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

}  // namespace portcullis::drafts
