// Folds constants as far as cel-go's OptOptimize does: users see it in costs and in which errors prevent a
// program.
// Tested by interpreter/run/cel_test.cc, tests/conformance (interpreter, runtimecost).
#include <array>

#include "grammar/powers.h"
#include "interpreter/compile/plan.h"
#include "interpreter/functions/call.h"
#include "interpreter/functions/dispatch.h"
#include "interpreter/functions/regex.h"
#include "interpreter/values/map.h"

namespace portcullis {
namespace {

constexpr std::array<std::string_view, 10> kConversions = {"bool", "bytes",  "double",    "duration", "dyn",
                                                           "int",  "string", "timestamp", "type",     "uint"};

bool all_constant(const Plan& p) {
  for (const Plan* arg : p.args) {
    if (arg->kind != PlanKind::Constant) return false;
  }
  return true;
}

Plan* constant(PlanTree& tree, ExprId id, Value v) {
  Plan* p = tree.make(PlanKind::Constant, id);
  p->constant = v;
  return p;
}

// Unwraps an optional element or entry: true if it has a value, now in `v`. Sets `failure` if it is no
// optional. `key`: of the entry; null for an element.
bool unwrap(Value& v, const Value* key, Arena& arena, Value& failure) {
  if (!v.is(Kind::Optional)) {
    failure = no_optional(key, v, arena);
    return false;
  }
  if (!v.as_optional()) return false;
  v = *v.as_optional();
  return true;
}

// A folded list or element may be an error value.
Plan* fold_list(Plan* p, PlanTree& tree, Arena& arena) {
  Value* items = arena.array<Value>(p->args.size());
  size_t n = 0;
  Value failure;
  for (size_t i = 0; i < p->args.size(); ++i) {
    Value v = p->args[i]->constant;
    if (v.is_error()) return constant(tree, p->id, v);
    bool optional = !p->optionals.empty() && p->optionals[i];
    if (!optional || unwrap(v, nullptr, arena, failure)) items[n++] = v;
    if (failure.is_error()) return constant(tree, p->id, failure);
  }
  return constant(tree, p->id, Value::list(items, n));
}

Plan* fold_map(Plan* p, PlanTree& tree, Arena& arena) {
  size_t count = p->args.size() / 2;
  MapEntry* entries = alloc_entries(arena, count);
  size_t n = 0;
  Value failure;
  for (size_t i = 0; i < count; ++i) {
    Value key = p->args[2 * i]->constant, value = p->args[2 * i + 1]->constant;
    if (key.is_error()) return constant(tree, p->id, key);
    if (value.is_error()) return constant(tree, p->id, value);
    bool optional = !p->optionals.empty() && p->optionals[i];
    if (!optional || unwrap(value, &key, arena, failure)) entries[n++] = {key, value};
    if (failure.is_error()) return constant(tree, p->id, failure);
  }
  return constant(tree, p->id, make_computed_map(entries, n));
}

Result<Plan*> fold_conversion(Plan* p, PlanTree& tree, PlanConstants& constants,
                              const Environment& environment) {
  CallSite site = make_call_site(p->function, p->overload, p->group, 1, environment);
  RegexCache regexes;
  CallContext context(constants.arena, regexes);
  Value v = p->args[0]->constant;
  if (!v.is_error()) v = dispatch(site, context, &v);
  if (v.is_error()) return Error{std::string(v.as_error().message)};
  return constant(tree, p->id, v);
}

// Adds the keys that are equal to `v`: for a double without fraction and in range the int and the uint, for
// an int or a uint the other one and the double.
void add_equivalents(const Value& v, std::vector<MapEntry>& set) {
  Value yes = Value::boolean(true);
  if (v.is(Kind::Double)) {
    double d = v.as_double();
    if (d > -kTwoTo63 && d < kTwoTo63 && static_cast<double>(static_cast<int64_t>(d)) == d) {
      set.push_back({Value::integer(static_cast<int64_t>(d)), yes});
    }
    if (d >= 0 && d < kTwoTo64 && static_cast<double>(static_cast<uint64_t>(d)) == d) {
      set.push_back({Value::uinteger(static_cast<uint64_t>(d)), yes});
    }
  } else if (v.is(Kind::Int)) {
    set.push_back({Value::real(static_cast<double>(v.as_int())), yes});
    if (v.as_int() >= 0) set.push_back({Value::uinteger(static_cast<uint64_t>(v.as_int())), yes});
  } else if (v.is(Kind::Uint)) {
    set.push_back({Value::real(static_cast<double>(v.as_uint())), yes});
    if (v.as_uint() <= INT64_MAX) set.push_back({Value::integer(static_cast<int64_t>(v.as_uint())), yes});
  }
}

Plan* fold_membership(Plan* p, PlanTree& tree, Arena& arena) {
  const Value& list = p->args[1]->constant;
  if (!list.is(Kind::List)) return p;
  if (list.size() == 0) return constant(tree, p->id, Value::boolean(false));
  std::vector<MapEntry> set;
  for (const Value& v : list.as_list()) {
    bool primitive =
        v.is(Kind::Bool) || v.is(Kind::Int) || v.is(Kind::Uint) || v.is(Kind::Double) || v.is(Kind::String);
    if (!primitive) return p;
    set.push_back({v, Value::boolean(true)});
    add_equivalents(v, set);
  }
  MapEntry* entries = alloc_entries(arena, set.size());
  std::copy(set.begin(), set.end(), entries);
  Plan* in = tree.make(PlanKind::InSet, p->id);
  in->args = {p->args[0]};
  in->constant = make_computed_map(entries, set.size());
  return in;
}

bool takes_pattern(const Plan& p, PlanOptions options) {
  uint16_t flags = p.group ? p.group->flags : 0;
  return (flags & kPattern) || ((flags & kPatternIfFolded) && options.fold);
}

// Maps with bad keys are not folded; they fail when they are evaluated.
bool has_good_keys(const Plan& p) {
  for (size_t i = 0; i < p.args.size(); i += 2) {
    if (!can_be_key(p.args[i]->constant)) return false;
  }
  return true;
}

Result<Plan*> fold_pattern(Plan* p, PlanConstants& constants) {
  auto regex = std::make_unique<Regex>(p->args[1]->constant.as_text());
  if (!regex->ok()) return Error{regex->error()};
  p->regex = regex.get();
  p->varargs = true;
  constants.regexes.push_back(std::move(regex));
  return p;
}

}  // namespace

Result<Plan*> fold_constants(Plan* p, PlanTree& tree, PlanOptions options, PlanConstants& constants,
                             const Environment& environment) {
  bool constant_second =
      p->kind == PlanKind::Call && p->args.size() >= 2 && p->args[1]->kind == PlanKind::Constant;
  if (options.fold) {
    if (p->kind == PlanKind::List && all_constant(*p)) return fold_list(p, tree, constants.arena);
    if (p->kind == PlanKind::Map && all_constant(*p) && has_good_keys(*p))
      return fold_map(p, tree, constants.arena);
    if (constant_second && p->overload && p->overload->id == "in_list") {
      return fold_membership(p, tree, constants.arena);
    }
    if (p->kind == PlanKind::Call && p->args.size() == 1 && p->args[0]->kind == PlanKind::Constant) {
      for (std::string_view name : kConversions) {
        if (p->function == name) return fold_conversion(p, tree, constants, environment);
      }
    }
  }
  bool pattern = constant_second && takes_pattern(*p, options) && p->args[1]->constant.is(Kind::String);
  return pattern ? fold_pattern(p, constants) : p;
}

}  // namespace portcullis
