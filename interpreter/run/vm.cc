#include "interpreter/run/vm.h"

#include <algorithm>
#include <string>

#include "interpreter/functions/cost.h"
#include "interpreter/run/access.h"
#include "interpreter/run/aggregate.h"
#include "interpreter/values/compare.h"
#include "interpreter/values/equal.h"
#include "interpreter/values/go_values.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/map.h"
#include "interpreter/values/print.h"

// Labels as values and `goto *` are extensions of GCC and Clang.
#pragma GCC diagnostic ignored "-Wpedantic"

namespace portcullis {
namespace {

// Whether the value is an error or an unknown.
bool failed(const Value& v) { return v.kind() >= Kind::Unknown; }

// Runs a program once. run() is the loop over its instructions; the other functions are the longer
// instructions.
class Machine {
 public:
  Machine(const Code& code, Activation& activation, Context::State& state, const Limits& limits, Watch* watch)
      : code_(code),
        activation_(activation),
        arena_(state.arena),
        limits_(limits),
        watch_(watch),
        call_(state.arena, &state.regexes) {}
  Outcome run(Value* r);

 private:
  using Slot = Activation::Slot;

  Value missing_variable(uint32_t variable) {
    return make_error(arena_, "no such attribute(s): " + code_.paths->variable_name(variable));
  }

  const Slot& path(uint32_t node) {
    Slot& slot = activation_.slot(node);
    if (activation_.filled(slot)) [[likely]]
      return slot;
    return fill(node);
  }

  // The value that a further qualifier is applied to. cel-go unwraps an optional only if it is the variable
  // itself; within a path an optional has no more fields than a bool.
  Value container(const Slot& slot, uint32_t node) {
    if (!slot.value.is(Kind::Optional)) [[likely]]
      return slot.value;
    const Value* variable = activation_.get(code_.paths->node(node).variable);
    return variable && variable->is(Kind::Optional) ? slot.value : Value::boolean(false);
  }

  const Slot& fill(uint32_t number);
  Value has(const Value& object, const Key& key, const Instruction& i, uint64_t& charged);
  const Value* first_failure(const Value* args, size_t n);
  Value logic(const Value& a, const Value& b, bool decisive);
  Value either(const UnknownValue& a, const UnknownValue& b);
  Value call(const CallSite& site, const Value* args);
  Value equality(const Value* args, bool negated);
  bool fast_order(const Value& a, const Value& b, uint8_t flags, Value& out);
  Value native_field(const Value& object, const Key& key);
  bool begin_range(Value& range, bool two, Value& failure);
  static bool next(Value* r, const Instruction& i);
  void load(Value* range, int64_t position, Value* element, bool two);
  void load_hidden(const MapEntry& entry, Value* element, bool two);
  bool interrupted();
  Value as_predicate(const Value& v);

  const Code& code_;
  Activation& activation_;
  Arena& arena_;
  const Limits& limits_;
  Watch* watch_;
  CallContext call_;
  Value abort_;  // if set to an error, the whole evaluation fails with it
};

// --- variables and paths

// Fills the slot of a path from the slot of its parent, recursively up to the variable. The path bounds the
// depth.
const Activation::Slot& Machine::fill(uint32_t number) {
  const PathTable::Node& node = code_.paths->node(number);
  Value object;
  uint32_t applied = 0;
  if (node.parent == PathTable::kNone) {
    const Value* v = activation_.get(node.variable);
    object = v ? *v : missing_variable(node.variable);
  } else {
    const Slot& parent = path(node.parent);
    object = container(parent, node.parent);
    applied = parent.applied;
  }
  Value out = object;
  bool none = object.is(Kind::Optional) && !object.as_optional();
  if (object.is(Kind::Map)) {
    uint32_t hint = node.hint.load(std::memory_order_relaxed), was = hint;
    const Value* v = find_text_key(object, node.key, hint);
    if (hint != was) node.hint.store(hint, std::memory_order_relaxed);
    out = v ? *v : no_such_key(node.key, arena_);
    ++applied;
  } else if (object.is(Kind::Optional) && !none) {
    Key key;
    key.value = node.key;
    uint64_t charged = 0;
    out = apply_qualifiers(object, &key, 1, false, arena_, charged);
    applied += static_cast<uint32_t>(charged);
  } else if (!failed(object) && !none) {
    find_qualified(object, node.key, false, false, arena_, out);
    ++applied;
  }
  // Evaluating a lazy field may have filled slots, but has not set this path's variable anew.
  Slot& slot = activation_.slot(number);
  slot.value = out;
  slot.applied = applied;
  slot.variable = node.variable;
  slot.stamp = activation_.stamp(node.variable);
  return slot;
}

// has() of one key.
Value Machine::has(const Value& object, const Key& key, const Instruction& i, uint64_t& charged) {
  if (object.is(Kind::Map) && key.value.is(Kind::String)) [[likely]] {
    uint32_t hint = key.hint.load(std::memory_order_relaxed), was = hint;
    const Value* v = find_text_key(object, key.value, hint);
    if (hint != was) key.hint.store(hint, std::memory_order_relaxed);
    ++charged;
    if (v != nullptr && v->is_error()) [[unlikely]]
      return *v;
    return Value::boolean(v != nullptr);
  }
  return apply_qualifiers(object, &key, 1, i.flags & kObserved, arena_, charged);
}

// Applies a run of qualifiers in the common case: string keys that maps have, the last perhaps in has().
// False: let apply_qualifiers do it.
inline bool walk(const Value& base, const Key* keys, size_t count, Value& out) {
  const Value* object = &base;
  for (size_t i = 0; i < count; ++i) {
    const Key& key = keys[i];
    if (!object->is(Kind::Map) || key.optional || !key.value.is(Kind::String)) return false;
    uint32_t hint = key.hint.load(std::memory_order_relaxed), was = hint;
    const Value* next = find_text_key(*object, key.value, hint);
    if (hint != was) key.hint.store(hint, std::memory_order_relaxed);
    if (key.test_only) {
      if (i + 1 != count || (next != nullptr && next->is_error())) return false;
      out = Value::boolean(next != nullptr);
      return true;
    }
    if (!next) return false;
    object = next;
  }
  out = *object;
  return true;
}

// --- operators

// The first argument that is an error or unknown, or null.
const Value* Machine::first_failure(const Value* args, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (failed(args[i])) return &args[i];
  }
  return nullptr;
}

// a && b (decisive: false) or a || b (decisive: true), where a is not the decisive bool.
Value Machine::logic(const Value& a, const Value& b, bool decisive) {
  if (b.is(Kind::Bool) && b.as_bool() == decisive) return b;
  auto normal = [&](const Value& v) { return v.is(Kind::Bool) || failed(v) ? v : call_.no_such_overload(); };
  Value x = normal(a);
  if (x.is(Kind::Bool)) return normal(b);
  if (x.is_unknown() && b.is_unknown()) return either(x.as_unknown(), b.as_unknown());
  if (b.is(Kind::Bool) || x.is_unknown() || !b.is_unknown()) return x;
  return b;
}

// The unknown that depends on both operands.
Value Machine::either(const UnknownValue& a, const UnknownValue& b) {
  std::span<int32_t> nodes(arena_.array<int32_t>(a.nodes.size() + b.nodes.size()),
                           a.nodes.size() + b.nodes.size());
  std::copy(b.nodes.begin(), b.nodes.end(), std::copy(a.nodes.begin(), a.nodes.end(), nodes.begin()));
  return Value::unknown(arena_.make<UnknownValue>(nodes));
}

// Whether the arguments have the kinds of the site's fast_kinds, so that its fast_call may run.
inline bool kinds_fit(const CallSite& site, const Value* args) {
  for (uint32_t i = 0; i < site.count; ++i) {
    if (site.fast_kinds[i] != static_cast<uint8_t>(args[i].kind()) &&
        (site.fast_kinds[i] != Parameter::kAnyKind || failed(args[i]))) {
      return false;
    }
  }
  return true;
}

// Calls a function. An argument that is an error or unknown is the result.
Value Machine::call(const CallSite& site, const Value* args) {
  if (site.builtin == Builtin::NotStrictlyFalse && failed(args[0])) return Value::boolean(true);
  if (const Value* failure = first_failure(args, site.count)) return *failure;
  call_.constant_regex = site.regex;
  return dispatch(site, call_, args);
}

Value Machine::equality(const Value* args, bool negated) {
  if (const Value* failure = first_failure(args, 2)) return *failure;
  Value same = equal(args[0], args[1], arena_);
  return negated ? Value::boolean(!same.is_true()) : same;
}

// Compares two operands as the flags of Less say; false if they have no order.
bool Machine::fast_order(const Value& a, const Value& b, uint8_t flags, Value& out) {
  Order o = compare(a, b);
  if (o == Order::None || o == Order::NaN) return false;
  bool less = o == Order::Less, same = o == Order::Equal;
  bool first = flags & kGreater ? !less && !same : less;
  bool yes = first || (same && (flags & kOrEqual));
  out = Value::boolean(yes);
  return true;
}

// --- comprehensions

// The value of a native field, or whether it is set, if the key says so.
Value Machine::native_field(const Value& object, const Key& key) {
  if (object.is(Kind::Opaque) && object.as_opaque().cls->field) {
    return object.as_opaque().cls->field(object.as_opaque(), key.value.as_text(), key.test_only, arena_);
  }
  uint64_t charged = 0;
  return apply_qualifiers(object, &key, 1, false, arena_, charged);
}

// Prepares a range for iteration: a map that makes its entries on demand becomes a map of their names. False
// with the error in `failure` if the range cannot be iterated.
bool Machine::begin_range(Value& range, bool two, Value& failure) {
  if (range.is(Kind::Map) && (range.flags() & kTypedMap)) [[unlikely]]
    range = in_order_of_iteration(range, arena_);
  if (range.is(Kind::List) || range.is(Kind::Map)) return true;
  if (range.is(Kind::Opaque) && range.as_opaque().cls->names) {
    auto names = range.as_opaque().cls->names(range.as_opaque());
    MapEntry* entries = arena_.array<MapEntry>(names.size());
    for (size_t i = 0; i < names.size(); ++i) new (&entries[i]) MapEntry{Value::bytes(names[i]), range};
    return range = Value::map(entries, names.size(), kTypedMap), true;
  }
  if (failed(range)) {
    failure = range;
  } else if (two) {
    failure = call_.error("unsupported comprehension range type: " + std::string(go_type(range)));
  } else {
    failure = call_.error("got '" + std::string(go_type(range)) + "', expected iterable type");
  }
  return false;
}

// Loads the element at a position: the item of a list, or the key of a map; with `two` the index or key and
// the value.
inline void Machine::load(Value* range, int64_t position, Value* element, bool two) {
  if (range->is(Kind::List)) {
    const Value& item = range->as_list()[position];
    if (!two) {
      element[0] = item;
    } else {
      element[0] = Value::integer(position);
      element[1] = item;
    }
  } else {
    const MapEntry& entry = range->as_map()[position];
    if ((range->flags() & kTypedMap) && entry.key.is(Kind::Bytes)) [[unlikely]]
      return load_hidden(entry, element, two);
    element[0] = entry.key;
    if (two) element[1] = entry.value;
  }
}

// Loads an entry that is not a plain one: from a map that makes its entries on demand, or a hidden entry.
void Machine::load_hidden(const MapEntry& entry, Value* element, bool two) {
  if (entry.value.is(Kind::Opaque)) {
    MapEntry made = entry_of(entry.value.as_opaque(), entry.key.as_text(), two, arena_);
    element[0] = made.key;
    if (two) element[1] = made.value;
    return;
  }
  element[0] = hidden_name(entry, arena_);
  if (two) element[1] = element[0].is_null() ? call_.no_such_overload() : no_such_key(element[0], arena_);
}

// Whether the interrupt is set or the deadline has passed; sets abort_ if so.
bool Machine::interrupted() {
  bool stop = (limits_.interrupt && limits_.interrupt->load(std::memory_order_relaxed)) ||
              (limits_.deadline && std::chrono::steady_clock::now() >= *limits_.deadline);
  if (stop) abort_ = call_.error("operation interrupted");
  return stop;
}

// A bool, error or unknown unchanged; an error for any other value.
Value Machine::as_predicate(const Value& v) {
  return v.is(Kind::Bool) || failed(v) ? v : call_.no_such_overload();
}

// --- the loop

// Charges k steps of one unit each: if the limit is exceeded, the cost is limit + 1.
#define UNITS(k)                     \
  do {                               \
    cost += (k);                     \
    if (cost > limit) [[unlikely]] { \
      cost = limit + 1;              \
      goto exceeded;                 \
    }                                \
  } while (0)
// Charges k units in one step.
#define LUMP(k)                    \
  do {                             \
    cost += (k);                   \
    if (cost > limit) [[unlikely]] \
      goto exceeded;               \
  } while (0)
#define NEXT() goto* kLabels[static_cast<int>((++pc)->op)]
#define GO(target)                           \
  do {                                       \
    pc = start + (target);                   \
    goto* kLabels[static_cast<int>(pc->op)]; \
  } while (0)
// Runs once per iteration; checks interrupt and deadline every kCheckFrequency iterations.
#define ITERATION()                        \
  do {                                     \
    if (--countdown == 0) [[unlikely]] {   \
      countdown = Limits::kCheckFrequency; \
      if (interrupted()) goto aborted;     \
    }                                      \
  } while (0)

Outcome Machine::run(Value* const r) {
  static const void* const kLabels[] = {
#define OPCODE(name, a, b, c, cost, sentence) &&L_##name,
#include "interpreter/compile/opcodes.def"
  };
  const Instruction* const start = code_.instructions.data();
  const Instruction* pc = start;
  const uint64_t limit = limits_.cost_limit;
  uint64_t cost = 0;
  uint32_t countdown = Limits::kCheckFrequency;
  goto* kLabels[static_cast<int>(pc->op)];

L_Return:
  return {r[pc->a], cost, false};
L_Const:
  r[pc->a] = code_.constants[pc->b];
  NEXT();
L_Move:
  r[pc->a] = r[pc->b];
  UNITS(pc->n);
  NEXT();
L_Charge:
  if (pc->flags & kLump)
    LUMP(pc->n);
  else
    UNITS(pc->n);
  NEXT();
L_Refund:
  cost -= 1;
  if (cost > limit) goto exceeded;
  NEXT();
L_Jump:
  GO(pc->b);

L_Variable: {
  const Value* v = activation_.get(pc->b);
  r[pc->a] = v ? *v : missing_variable(pc->b);
  UNITS(pc->n);
  NEXT();
}
L_Path: {
  const Slot& slot = path(pc->b);
  r[pc->a] = pc->flags & kInner ? container(slot, pc->b) : slot.value;
  UNITS(slot.applied + pc->n);
  NEXT();
}
L_HasPath: {
  const Slot& slot = path(pc->b);
  uint64_t charged = slot.applied + pc->n;
  r[pc->a] = has(container(slot, pc->b), code_.keys[pc->c], *pc, charged);
  UNITS(charged);
  NEXT();
}
L_Field: {
  const Value& object = r[pc->b];
  const Key& key = code_.keys[pc->c];
  if (object.is(Kind::Map)) [[likely]] {
    uint32_t hint = key.hint.load(std::memory_order_relaxed), was = hint;
    const Value* v = find_text_key(object, key.value, hint);
    if (hint != was) key.hint.store(hint, std::memory_order_relaxed);
    r[pc->a] = v ? *v : no_such_key(key.value, arena_);
    UNITS(1u + pc->n);
  } else {
    uint64_t charged = pc->n;
    r[pc->a] = apply_qualifiers(object, &key, 1, false, arena_, charged);
    UNITS(charged);
  }
  NEXT();
}
L_HasField: {
  uint64_t charged = pc->n;
  r[pc->a] = has(r[pc->b], code_.keys[pc->c], *pc, charged);
  UNITS(charged);
  NEXT();
}
L_NativeField: {
  const Value& object = r[pc->b];
  if (failed(object)) {
    r[pc->a] = object;
    NEXT();
  }
  r[pc->a] = native_field(object, code_.keys[pc->c]);
  UNITS(1u);
  NEXT();
}
L_Access: {
  uint64_t charged = pc->flags & kCharged ? 1 : 0;
  const Key* keys = &code_.keys[pc->c];
  if (!walk(r[pc->b], keys, pc->n, r[pc->a])) [[unlikely]] {
    r[pc->a] = apply_qualifiers(r[pc->b], keys, pc->n, pc->flags & kObserved, arena_, charged);
  } else {
    charged += pc->n;
  }
  UNITS(charged);
  NEXT();
}

L_Begin: {
  Value& object = r[pc->a];
  bool optional = object.is(Kind::Optional);
  if (failed(object) || (optional && !object.as_optional())) GO(pc->b);
  if (optional) object = *object.as_optional();
  r[pc->a + 1] = Value::boolean(optional);
  NEXT();
}
L_Qualify: {
  const Key& key = code_.keys[pc->c];
  bool optional = (pc->flags & kOptional) || r[pc->a + 1].as_bool();
  bool presence = pc->flags & kPresence;
  Value out;
  Found found = find_qualified(r[pc->a], key.value, optional || presence, presence, arena_, out);
  if (found == Found::No && !optional)
    out = Value::boolean(false), found = Found::Yes;
  else if (presence && !optional && found == Found::Yes)
    out = Value::boolean(true);
  r[pc->a + 1] = Value::boolean(optional);
  r[pc->a] = found == Found::No ? Value::optional(nullptr) : out;
  if (!optional || found == Found::Yes) UNITS(1);
  if (found != Found::Yes) GO(pc->b);
  NEXT();
}
L_QualifyBy: {
  bool optional = (pc->flags & kOptional) || r[pc->a + 1].as_bool();
  const Value& index = r[pc->c];
  Value out;
  Found found = Found::Failed;
  if (index.is_error())
    out = index;
  else if (index.is_unknown())
    out = index, found = Found::Yes;
  else if (is_qualifier(index, arena_, out)) {
    found = find_qualified(r[pc->a], index, optional, false, arena_, out);
  }
  r[pc->a + 1] = Value::boolean(optional);
  r[pc->a] = found == Found::No ? Value::optional(nullptr) : out;
  if (!optional || found == Found::Yes) UNITS(1);
  if (found != Found::Yes) GO(pc->b);
  NEXT();
}
L_End:
  if (r[pc->a + 1].as_bool() && !failed(r[pc->a])) r[pc->a] = some(r[pc->a], arena_);
  NEXT();
L_TestOnly:
  if (r[pc->a].is(Kind::Optional)) r[pc->a] = Value::boolean(r[pc->a].as_optional() != nullptr);
  NEXT();

L_Branch: {
  Value& v = r[pc->a];
  if (v.is_true()) NEXT();
  if (v.is_false()) GO(pc->b);
  v = as_predicate(v);
  GO(pc->c);
}
L_JumpFalse:
  if (r[pc->a].is_false()) GO(pc->b);
  NEXT();
L_JumpTrue:
  if (r[pc->a].is_true()) GO(pc->b);
  NEXT();
L_And: {
  const Value &a = r[pc->a], &b = r[pc->b];
  if (a.is(Kind::Bool) && b.is(Kind::Bool)) [[likely]]
    r[pc->a] = b;
  else
    r[pc->a] = logic(a, b, false);
  NEXT();
}
L_Or: {
  const Value &a = r[pc->a], &b = r[pc->b];
  if (a.is(Kind::Bool) && b.is(Kind::Bool)) [[likely]]
    r[pc->a] = b;
  else
    r[pc->a] = logic(a, b, true);
  NEXT();
}
L_JumpFailed:
  if (failed(r[pc->c])) {
    r[pc->a] = r[pc->c];
    GO(pc->b);
  }
  NEXT();
L_OptionalOr: {
  Value& v = r[pc->a];
  if (v.is(Kind::Optional)) {
    if (!v.as_optional()) NEXT();
    if (pc->flags & kOrValue) v = *v.as_optional();
  } else if (!failed(v)) {
    v = call_.no_such_overload();
  }
  GO(pc->b);
}

L_Not: {
  const Value& v = r[pc->b];
  if (v.is(Kind::Bool)) [[likely]]
    r[pc->a] = Value::boolean(!v.as_bool());
  else
    r[pc->a] = failed(v) ? v : call_.no_such_overload();
  UNITS(1);
  NEXT();
}
L_Equal: {
  const Value* args = &r[pc->b];
  Value result = equality(args, pc->flags & kNegated);
  uint64_t charged;
  if (args[0].is(Kind::Opaque))
    charged = call_cost(code_.calls[pc->c], args, result);
  else
    charged = actual_comparison(args, 2, result);
  r[pc->a] = result;
  LUMP(charged);
  NEXT();
}
L_EqualConst: {
  Value args[2] = {r[pc->b], code_.constants[pc->c]};
  bool negated = pc->flags & kNegated;
  Value result;
  uint64_t charged;
  if (args[0].is(Kind::String) && args[1].is(Kind::String)) [[likely]] {
    bool same = args[0].raw_head() == args[1].raw_head() && same_rest(args[0], args[1]);
    result = Value::boolean(same != negated);
    charged = actual_comparison(args, 2, result);
  } else {
    result = equality(args, negated);
    if (args[0].is(Kind::Opaque)) {
      charged = call_cost(code_.calls[negated ? code_.not_equal_call : code_.equal_call], args, result);
    } else {
      charged = actual_comparison(args, 2, result);
    }
  }
  r[pc->a] = result;
  LUMP(charged);
  NEXT();
}
L_In: {
  const Value& v = r[pc->b];
  r[pc->a] = failed(v) ? v : Value::boolean(find_same_key(code_.constants[pc->c], v) != nullptr);
  NEXT();
}
L_Call: {
  const CallSite& site = code_.calls[pc->c];
  const Value* args = &r[pc->b];
  Value result;
  if (site.fast_call && kinds_fit(site, args)) [[likely]] {
    call_.constant_regex = site.regex;
    result = site.fast_call(call_, args, site.count);
  } else {
    result = call(site, args);
  }
  uint64_t charged = site.cost.is_fixed         ? site.cost.fixed
                     : site.cost.constant_one() ? 1
                                                : call_cost(site, args, result);
  r[pc->a] = result;
  LUMP(charged);
  NEXT();
}
L_Less: {
  const CallSite& site = code_.calls[pc->c];
  const Value* args = &r[pc->b];
  Value result;
  if (!fast_order(args[0], args[1], pc->flags, result)) result = call(site, args);
  uint64_t charged = site.cost.constant_one() ? 1 : call_cost(site, args, result);
  r[pc->a] = result;
  LUMP(charged);
  NEXT();
}

L_List:
  r[pc->a] = make_list_value(&r[pc->b], pc->n, nullptr, arena_);
  LUMP(kListCreateCost);
  NEXT();
L_ListOptional:
  r[pc->a] = make_list_value(&r[pc->b], pc->n, &code_.constants[pc->c], arena_);
  LUMP(kListCreateCost);
  NEXT();
L_Map:
  r[pc->a] = make_map_value(&r[pc->b], pc->n, nullptr, arena_);
  LUMP(kMapCreateCost);
  NEXT();
L_MapOptional:
  r[pc->a] = make_map_value(&r[pc->b], pc->n, &code_.constants[pc->c], arena_);
  LUMP(kMapCreateCost);
  NEXT();
L_CheckOptional:
  if (!r[pc->a].is(Kind::Optional)) {
    r[pc->a] = no_optional(r[pc->a], r[pc->b], code_.constants[pc->c], pc->flags, arena_);
  }
  NEXT();
L_Struct:
  r[pc->a] = make_struct_value(&r[pc->b], pc->n, code_.constants[pc->c], arena_);
  LUMP(kStructCreateCost);
  NEXT();

L_FoldBegin: {
  Value failure;
  if (!begin_range(r[pc->a], pc->flags & kTwo, failure)) {
    r[pc->a] = failure;
    GO(pc->b);
  }
  r[pc->a + 1] = Value::integer(0);
  NEXT();
}
L_FoldNext: {
  int64_t at = r[pc->a + 1].as_int();
  if (at >= static_cast<int64_t>(r[pc->a].size())) GO(pc->b);
  load(&r[pc->a], at, &r[pc->c], pc->flags & kTwo);
  r[pc->a + 1] = Value::integer(at + 1);
  ITERATION();
  NEXT();
}
L_FoldTest:
  if (r[pc->a].is_false()) GO(pc->b);
  NEXT();

// Register a + 1 holds the state of a lazy variable: 0 unset, 2 set, else the place that its initializer
// returns to, times 4, plus 1.
L_LazyReset:
  r[pc->a + 1] = Value::integer(0);
  NEXT();
L_Lazy: {
  Value& state = r[pc->a + 1];
  if (state.as_int() == 2) [[likely]]
    NEXT();
  if (state.as_int() != 0) {
    r[pc->a] = code_.constants[pc->c];
    NEXT();
  }
  state = Value::integer((pc - start + 1) * 4 + 1);
  GO(pc->b);
}
L_LazyReturn: {
  int64_t back = r[pc->a + 1].as_int() / 4;
  r[pc->a] = pc->flags & kOfAccumulator ? accumulator(r[pc->b]) : r[pc->b];
  r[pc->a + 1] = Value::integer(2);
  GO(back);
}
L_LazySet:
  r[pc->a] = r[pc->b];
  r[pc->a + 1] = Value::integer(2);
  NEXT();

// Fused loops. Registers: a range, a + 1 position, a + 2 result, a + 3 count. lower_fold.cc has the macros'
// parts.
L_LoopBegin: {
  Value failure;
  Value& range = r[pc->a];
  if (!begin_range(range, pc->flags & kTwo, failure)) {
    range = failure;
    GO(pc->b);
  }
  r[pc->a + 1] = Value::integer(0);
  r[pc->a + 3] = Value::integer(0);
  switch (static_cast<Loop>(pc->n)) {
    case Loop::All: r[pc->a + 2] = Value::boolean(true); break;
    case Loop::Exists: r[pc->a + 2] = Value::boolean(false); break;
    case Loop::ExistsOne: r[pc->a + 2] = Value::null(); break;
    case Loop::Map: r[pc->a + 2] = Value::list(arena_.array<Value>(range.size()), 0); break;
  }
  NEXT();
}
L_LoopNext: {
  int64_t at = r[pc->a + 1].as_int();
  if (at >= static_cast<int64_t>(r[pc->a].size())) GO(pc->b);
  load(&r[pc->a], at, &r[pc->c], pc->flags & kTwo);
  r[pc->a + 1] = Value::integer(at + 1);
  ITERATION();
  // Charges of the condition. all: accumulator, @not_strictly_false, accumulator; exists: one more, for `!`.
  if (pc->n == static_cast<uint16_t>(Loop::All))
    UNITS(3);
  else if (pc->n == static_cast<uint16_t>(Loop::Exists))
    UNITS(4);
  NEXT();
}
L_AllStep:
L_ExistsStep: {
  bool decisive = pc->op == Opcode::ExistsStep;
  unsigned condition = decisive ? 3 : 2;
  const Value& p = r[pc->c];
  Value* loop = &r[pc->a];
  int64_t at = loop[1].as_int();
  bool more = at < static_cast<int64_t>(loop[0].size());
  if (p.is(Kind::Bool)) [[likely]] {
    if (p.as_bool() == decisive) {
      loop[2] = p;
      if (!more) NEXT();
      // The condition that ends the loop. cel-go has already made the next element, which may cost.
      if (loop[0].flags() & kTypedMap) [[unlikely]]
        load(loop, at, loop + 4, pc->flags & kTwo);
      UNITS(condition);
      NEXT();
    }
  } else {
    loop[2] = logic(loop[2], p, decisive);
  }
  if (!more) NEXT();
  load(loop, at, loop + 4, pc->flags & kTwo);
  loop[1] = Value::integer(at + 1);
  ITERATION();
  UNITS(condition + 1);
  GO(pc->b);
}
L_OneStep: {
  const Value& p = r[pc->c];
  Value* loop = &r[pc->a];
  if (p.is_true()) {
    loop[3] = Value::integer(loop[3].as_int() + 1);
    UNITS(2);  // the expression accumulator + 1
  } else if (!p.is(Kind::Bool)) {
    loop[2] = as_predicate(p);
  }
  int64_t at = loop[1].as_int();
  if (at >= static_cast<int64_t>(loop[0].size())) NEXT();
  load(loop, at, loop + 4, pc->flags & kTwo);
  loop[1] = Value::integer(at + 1);
  ITERATION();
  GO(pc->b);
}
L_MapTest: {
  const Value& p = r[pc->c];
  if (p.is_true()) NEXT();
  if (!p.is(Kind::Bool)) r[pc->a + 2] = as_predicate(p);
  GO(pc->b);
}
L_MapStep: {
  const Value& item = r[pc->c];
  Value* loop = &r[pc->a];
  if (failed(loop[2])) {
    // The first error stays. The element was evaluated, so it is charged as well.
  } else if (failed(item)) {
    loop[2] = item;
  } else {
    Value* items = const_cast<Value*>(loop[2].as_list().data());
    items[loop[3].as_int()] = item;
    loop[3] = Value::integer(loop[3].as_int() + 1);
  }
  LUMP(pc->n);
  UNITS(1);
  GO(pc->b);
}
L_LoopEnd: {
  const Value* loop = &r[pc->b];
  Value result = loop[2];
  uint64_t charged = 1;
  if (pc->n == static_cast<uint16_t>(Loop::ExistsOne)) {
    charged = 2;
    if (!failed(result)) result = Value::boolean(loop[3].as_int() == 1);
  } else if (pc->n == static_cast<uint16_t>(Loop::Map) && !failed(result)) {
    result = Value::list(result.as_list().data(), static_cast<size_t>(loop[3].as_int()));
  }
  r[pc->a] = result;
  UNITS(charged);
  NEXT();
}

L_Watch:
  if (watch_ != nullptr) watch_->on_value(static_cast<ExprId>(pc->c), r[pc->b]);
  NEXT();

exceeded:
  return {call_.error("operation cancelled: actual cost limit exceeded"), cost, true};
aborted:
  return {abort_, cost, true};
}

}  // namespace

Outcome run(const Code& code, Activation& activation, Context::State& state, const Limits& limits,
            Watch* watch) {
  activation.fit();
  Arena::Bounds bounds(state.arena, limits.max_memory, limits.max_steps);
  const size_t top = state.top;
  try {
    size_t need = code.registers;
    bool fits = top + need <= Context::State::kRegisters;
    Value* registers = fits ? &state.registers[top] : state.arena.array<Value>(need);
    if (fits) state.top += need;
    Outcome outcome = Machine(code, activation, state, limits, watch).run(registers);
    state.top = top;
    return outcome;
  } catch (const std::bad_alloc&) {
    state.top = top;
    static constexpr ErrorValue kExceeded{"evaluation exceeds its bounds of memory or steps"};
    bool limited = limits.cost_limit != Limits::kNoCostLimit;
    return {Value::error(&kExceeded), limited ? limits.cost_limit + 1 : 0, true};
  }
}

}  // namespace portcullis
