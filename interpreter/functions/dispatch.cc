#include "interpreter/functions/dispatch.h"

#include <string>

#include "interpreter/functions/cost.h"
#include "interpreter/values/compare.h"
#include "interpreter/values/equal.h"
#include "interpreter/values/go_values.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/map.h"
#include "interpreter/values/print.h"

namespace portcullis {
namespace {

// Kinds whose values have methods in cel-go: they fail with a plain "no such overload".
constexpr uint32_t kReceivers = kind_bit(Kind::String) | kTimeKinds;

uint8_t kind_of(const Type* t) {
  auto k = [](Kind kind) { return static_cast<uint8_t>(kind); };
  switch (t->kind()) {
    case TypeKind::Null: return k(Kind::Null);
    case TypeKind::Bool: return k(Kind::Bool);
    case TypeKind::Int: return k(Kind::Int);
    case TypeKind::Uint: return k(Kind::Uint);
    case TypeKind::Double: return k(Kind::Double);
    case TypeKind::String: return k(Kind::String);
    case TypeKind::Bytes: return k(Kind::Bytes);
    case TypeKind::Timestamp: return k(Kind::Timestamp);
    case TypeKind::Duration: return k(Kind::Duration);
    case TypeKind::List: return k(Kind::List);
    case TypeKind::Map: return k(Kind::Map);
    case TypeKind::Type: return k(Kind::Type);
    case TypeKind::Opaque: return t->is_optional() ? k(Kind::Optional) : Parameter::kAnyKind;
    default: return Parameter::kAnyKind;
  }
}

bool is_dynamic(const Type* t) {
  return t->is(TypeKind::Dyn) || t->is(TypeKind::Any) || t->is(TypeKind::Param) || t->is(TypeKind::Error);
}

Parameter parameter(const Type* t) {
  Parameter p{kind_of(t), false, t};
  switch (t->kind()) {
    case TypeKind::List: p.deep = !is_dynamic(t->param(0)); break;
    case TypeKind::Map: p.deep = !is_dynamic(t->param(0)) || !is_dynamic(t->param(1)); break;
    case TypeKind::Wrapper:
    case TypeKind::Struct: p.deep = true; break;
    case TypeKind::Opaque: p.deep = !t->is_optional(); break;
    default: break;
  }
  return p;
}

bool accepts(const Type* t, const Value& v) {
  if (is_dynamic(t)) return true;
  if (t->is(TypeKind::Wrapper)) return v.is_null() || accepts(t->param(0), v);
  uint8_t kind = kind_of(t);
  if (kind != Parameter::kAnyKind && kind != static_cast<uint8_t>(v.kind())) return false;
  switch (t->kind()) {
    case TypeKind::List: return v.size() == 0 || accepts(t->param(0), v.as_list()[0]);
    case TypeKind::Map:
      return v.size() == 0 ||
             (accepts(t->param(0), v.as_map()[0].key) && accepts(t->param(1), v.as_map()[0].value));
    case TypeKind::Opaque:
    case TypeKind::Struct: return type_name(v) == t->name();
    default: return true;
  }
}

bool fits(const Candidate& c, const Value* args, size_t count, bool deep) {
  if (c.parameters.size() != count) return false;
  for (size_t i = 0; i < count; ++i) {
    const Parameter& p = c.parameters[i];
    if (p.kind != Parameter::kAnyKind && p.kind != static_cast<uint8_t>(args[i].kind())) return false;
    if (deep && p.deep && !accepts(p.type, args[i])) return false;
  }
  return true;
}

Value no_such_overload(const CallSite& site, CallContext& context, const Value* args) {
  std::string text = "no such overload: " + std::string(site.function) + "(";
  for (uint32_t i = 0; i < site.count; ++i) {
    if (i > 0) text += ", ";
    text += type_name(args[i]);
  }
  return context.error(text + ")");
}

// The error of a singleton: the function does not exist for the kind of the first operand, or only not for
// these operands.
Value singleton_failure(const CallSite& site, uint32_t kinds, CallContext& context, const Value* args) {
  uint32_t operand = kind_bit(args[0].kind());
  if ((operand & kinds) || (operand & kReceivers)) return context.no_such_overload();
  return context.error("no such overload: " + std::string(site.function));
}

Value run_candidates(const CallSite& site, CallContext& context, const Value* args, bool* found) {
  const uint32_t first = site.count > 0 ? kind_bit(args[0].kind()) : ~0u;
  for (const Candidate& c : site.candidates) {
    if (!(c.first_kinds & first) || !fits(c, args, site.count, site.guarded)) continue;
    *found = true;
    context.called = c.row;
    return c.row->call(context, args, site.count);
  }
  *found = false;
  return {};
}

Value run_builtin(const CallSite& site, CallContext& context, const Value* args) {
  switch (site.builtin) {
    case Builtin::Not:
      return args[0].is(Kind::Bool) ? Value::boolean(!args[0].as_bool()) : context.no_such_overload();
    case Builtin::NotStrictlyFalse:
      return args[0].is(Kind::Bool) ? args[0] : no_such_overload(site, context, args);
    case Builtin::In: return run_in(context, args[0], args[1]);
    case Builtin::Size: return Value::integer(static_cast<int64_t>(outer_size_of(args[0])));
    case Builtin::Type: return type_of(args[0], context.arena());
    default: return args[0];
  }
}

// matches and find take two arguments, findAll up to three.
constexpr uint32_t kMostRegexArguments = 3;

// With a precompiled pattern cel-go skips the guard of the overload and takes the Go values of the arguments:
// an optional counts as the value in it, a type as the text of its name.
Value run_precompiled(const CallSite& site, CallContext& context, const Value* args) {
  Value held[kMostRegexArguments];
  for (uint32_t i = 0; i < site.count; ++i) {
    held[i] = args[i];
    while (held[i].is(Kind::Optional) && held[i].as_optional()) held[i] = *held[i].as_optional();
  }
  if (held[0].is(Kind::Type)) held[0] = Value::string(held[0].as_text());
  bool fits = held[0].is(Kind::String) && (site.count < 3 || held[2].is(Kind::Int));
  if (!fits || site.candidates.empty()) return context.no_such_overload();
  return site.candidates[0].row->call(context, held, site.count);
}

Value dispatch_singleton(const CallSite& site, CallContext& context, const Value* args) {
  uint32_t kinds = site.kinds;
  if (!(kind_bit(args[0].kind()) & kinds)) return singleton_failure(site, kinds, context, args);
  if (site.builtin != Builtin::None) return run_builtin(site, context, args);
  bool found = false;
  Value result = run_candidates(site, context, args, &found);
  if (found) return result;
  if (site.otherwise && !site.candidates.empty()) return site.otherwise(context, args, site.count);
  return singleton_failure(site, kinds, context, args);
}

// Prepares a call whose first candidate can be chosen by the kinds of the arguments alone.
void set_fast_call(CallSite& site) {
  if (site.builtin != Builtin::None || site.candidates.empty() || site.count > std::size(site.fast_kinds))
    return;
  const Candidate& c = site.candidates[0];
  if (c.row->flags & kLateBound) return;  // it needs CallContext::called
  for (size_t i = 0; i < site.count; ++i) {
    if (c.parameters[i].deep) return;
    site.fast_kinds[i] = c.parameters[i].kind;
  }
  site.fast_call = c.row->call;
}

}  // namespace

bool stops_at_errors(const Overload* overload, const FunctionGroup* group, size_t count) {
  if (count >= 3) return true;
  if (group && group->singleton.kinds != 0) return false;
  if (overload) return overload->row && (overload->row->flags & kStopsAtErrors);
  if (!group) return false;
  size_t bound = 0;
  const Overload* last = nullptr;
  for (const Overload* o : group->overloads) {
    if (o->row == nullptr || o->row->call == nullptr) continue;
    ++bound;
    last = o;
  }
  return bound >= 2 || (last && (last->row->flags & kStopsAtErrors));
}

CallSite make_call_site(std::string_view function, const Overload* overload, const FunctionGroup* group,
                        size_t count, const Environment& environment) {
  CallSite site;
  site.function = function;
  site.count = static_cast<uint32_t>(count);
  if (overload) site.overload_id = overload->id;
  if (group) {
    site.guarded = !(group->flags & kUnguarded);
    site.singleton = group->singleton.kinds != 0;
    site.kinds = group->singleton.kinds;
    site.otherwise = group->singleton.otherwise;
    if (group->builtin <= Builtin::Dyn) site.builtin = group->builtin;
  }
  auto add = [&](const Overload* o) {
    if (o->row == nullptr || o->row->call == nullptr || o->args.size() != count) return;
    Candidate c{.row = o->row};
    bool checks_itself = o->row->flags & kSelfChecked;
    for (const Type* t : o->args) c.parameters.push_back(checks_itself ? Parameter{} : parameter(t));
    if (count > 0 && c.parameters[0].kind != Parameter::kAnyKind)
      c.first_kinds = kind_bit(static_cast<Kind>(c.parameters[0].kind));
    site.cost.comes_first |= (o->row->flags & kSlow) != 0;
    site.candidates.push_back(std::move(c));
  };
  if (overload) add(overload);
  // cel-go runs a function with a single overload without comparing signatures; otherwise it tries them in
  // order.
  if (group && (site.singleton || !overload)) {
    for (const Overload* o : group->overloads) {
      if (o != overload) add(o);
    }
  }
  set_fast_call(site);
  site.cost.named = environment.find_named_cost(function);
  if (site.cost.named && !site.cost.named->actual) site.cost.named = nullptr;
  if (overload && overload->row) {
    bool registered = overload->row->flags & kCostRegistered;
    (registered ? site.cost.registered : site.cost.actual) = overload->row->cost.actual;
  }
  return site;
}

void fix_cost(CallSite& site, const Value& second) {
  // Compares the costs for a short and a long first operand, so that only the tables decide which operand
  // counts.
  if (site.overload_id.empty() || site.candidates.empty()) return;
  if (!(site.candidates[0].row->flags & kFixedBySecond)) return;
  static const std::string kLong(1000, 'x');
  Value shorter[2] = {Value::string(""), second}, longer[2] = {Value::string(kLong), second};
  Value result = Value::boolean(true);
  uint64_t cost = call_cost(site, shorter, result);
  if (cost != call_cost(site, longer, result)) return;
  site.cost.fixed = cost;
  site.cost.is_fixed = true;
}

Value dispatch(const CallSite& site, CallContext& context, const Value* args) {
  if (site.regex && site.count <= kMostRegexArguments) return run_precompiled(site, context, args);
  if (site.singleton) return dispatch_singleton(site, context, args);
  if (site.builtin != Builtin::None) return run_builtin(site, context, args);
  bool found = false;
  Value result = run_candidates(site, context, args, &found);
  if (found) return result;
  if (!site.guarded) return context.no_such_overload();
  if (!site.candidates.empty()) return no_such_overload(site, context, args);
  // No overload has an implementation.
  if (site.count > 0 && (kind_bit(args[0].kind()) & kReceivers)) return context.no_such_overload();
  std::string text = "no such overload: " + std::string(site.function);
  if (site.varargs) text += " " + std::to_string(site.id);
  return context.error(text);
}

uint64_t call_cost(const CallSite& site, const Value* args, const Value& result) {
  const CallCost& c = site.cost;
  if (c.is_fixed) return c.fixed;
  if (c.registered) return c.registered(args, site.count, result);
  uint64_t cost = 0;
  if (c.named && c.named->actual(site.overload_id, args, site.count, result, cost)) return cost;
  return c.actual ? c.actual(args, site.count, result) : 1;
}

Value run_in_special_list(CallContext& context, const Value& element, const Value& list) {
  if (is_go_list(list)) return Value::boolean(go_list_contains(list, element, context.arena()));
  return contains_typed(list, element, context.arena());
}

Value run_in_special_map(CallContext& context, const Value& key, const Value& map) {
  if (!key.is(Kind::String))
    return is_go_map(map) ? bad_go_key(key, context.arena()) : context.no_such_overload();
  const Value* found = find_key(map, key);
  return found != nullptr && found->is_error() ? *found : Value::boolean(found != nullptr);
}

Value run_in(CallContext& context, const Value& element, const Value& container) {
  if (container.is(Kind::List) && (container.flags() & (kTypedList | kGoList))) {
    return run_in_special_list(context, element, container);
  }
  if (container.is(Kind::Map) && (container.flags() & kSpecialMap))
    return run_in_special_map(context, element, container);
  if (container.is(Kind::List)) {
    for (const Value& item : container.as_list()) {
      if (element.is_identical(item) && element.kind() <= Kind::Bytes && !element.is(Kind::Double)) {
        return Value::boolean(true);
      }
      if (element.is(Kind::String) && item.is(Kind::String)) {
        if (element.raw_head() == item.raw_head() && same_rest(element, item)) return Value::boolean(true);
        continue;
      }
      if (equals(element, item, context.arena())) return Value::boolean(true);
    }
    return Value::boolean(false);
  }
  if (container.is(Kind::Map)) return Value::boolean(find_any_key(container, element) != nullptr);
  return context.no_such_overload();
}

}  // namespace portcullis
