// Opcodes of comprehensions.
#include "interpreter/run/machine.h"

#include <string>

#include "interpreter/values/go_values.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/map.h"

// Runs once per iteration; checks interrupt and deadline every kCheckFrequency iterations.
#define ITERATION()                                                      \
  do {                                                                   \
    if (--m.countdown_ == 0) [[unlikely]] {                              \
      m.countdown_ = Limits::kCheckFrequency;                            \
      if (is_interrupted(m.limits_)) TAIL_CALL(aborted)(pc, r, cost, m); \
    }                                                                    \
  } while (0)

namespace portcullis {

// Prepares a range for iteration: a map that makes its entries on demand becomes a map of their names. False
// with the error in `range` if the range cannot be iterated.
bool Machine::begin_range(Value& range, bool two) {
  if (range.is(Kind::Map) && (range.flags() & kTypedMap)) [[unlikely]]
    range = in_order_of_iteration(range, arena_);
  if (range.is(Kind::List) || range.is(Kind::Map)) return true;
  if (range.is(Kind::Opaque) && range.as_opaque().cls->names) {
    auto names = range.as_opaque().cls->names(range.as_opaque());
    MapEntry* entries = arena_.array<MapEntry>(names.size());
    for (size_t i = 0; i < names.size(); ++i) new (&entries[i]) MapEntry{Value::bytes(names[i]), range};
    return range = Value::map(entries, names.size(), kTypedMap), true;
  }
  if (failed(range)) return false;
  const std::string type(go_type(range));
  range = call_.error(two ? "unsupported comprehension range type: " + type
                          : "got '" + type + "', expected iterable type");
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

bool is_interrupted(const Limits& limits) {
  return (limits.interrupt && limits.interrupt->load(std::memory_order_relaxed)) ||
         (limits.deadline && std::chrono::steady_clock::now() >= *limits.deadline);
}

OP(FoldBegin) {
  if (!m.begin_range(r[pc->a], pc->flags & kTwo)) GO(pc->b);
  r[pc->a + kPosition] = Value::integer(0);
  NEXT();
}

OP(FoldNext) {
  int64_t at = r[pc->a + kPosition].as_int();
  if (at >= static_cast<int64_t>(r[pc->a].size())) GO(pc->b);
  m.load(&r[pc->a], at, &r[pc->c], pc->flags & kTwo);
  r[pc->a + kPosition] = Value::integer(at + 1);
  ITERATION();
  NEXT();
}

OP(FoldTest) {
  if (r[pc->a].is_false()) GO(pc->b);
  NEXT();
}

// Fused loops; lower_fold.cc has the macros' parts.

// The cost of a loop's condition. all: accumulator, @not_strictly_false, accumulator; exists: one more, for `!`.
static constexpr unsigned condition_cost(uint16_t loop) {
  return loop == static_cast<uint16_t>(Loop::All) ? 3 : loop == static_cast<uint16_t>(Loop::Exists) ? 4 : 0;
}

OP(LoopBegin) {
  const Value& range = r[pc->a];
  const bool plain = range.is(Kind::List) || (range.is(Kind::Map) && !(range.flags() & kTypedMap));
  if (!plain && !m.begin_range(r[pc->a], pc->flags & kTwo)) GO(pc->b);
  r[pc->a + kPosition] = Value::integer(0);
  r[pc->a + kCount] = Value::integer(0);
  switch (static_cast<Loop>(pc->n)) {
    case Loop::All: r[pc->a + kResult] = Value::boolean(true); break;
    case Loop::Exists: r[pc->a + kResult] = Value::boolean(false); break;
    case Loop::ExistsOne: r[pc->a + kResult] = Value::null(); break;
    case Loop::Map: r[pc->a + kResult] = Value::list(m.arena_.array<Value>(range.size()), 0); break;
  }
  NEXT();
}

OP(LoopNext) {
  Value* loop = &r[pc->a];
  const int64_t at = loop[kPosition].as_int();
  if (at >= static_cast<int64_t>(loop[kRange].size())) GO(pc->b);
  const bool usual = loop[kRange].is(Kind::List) && !(pc->flags & kTwo) && m.countdown_ > 1;
  if (!usual) TAIL_CALL(next_element)(pc, r, cost, m);
  loop[kElement] = loop[kRange].as_list().data()[at];
  loop[kPosition] = Value::integer(at + 1);
  --m.countdown_;
  UNITS(condition_cost(pc->n));
  NEXT();
}

SLOW void Machine::next_element(const Instruction* pc, Value* r, uint64_t cost, Machine& m) {
  const int64_t at = r[pc->a + kPosition].as_int();
  m.load(&r[pc->a], at, &r[pc->c], pc->flags & kTwo);
  r[pc->a + kPosition] = Value::integer(at + 1);
  ITERATION();
  UNITS(condition_cost(pc->n));
  NEXT();
}

// The step of all() and exists(): `decisive` is the value that ends the loop. The condition costs an accumulator
// and @not_strictly_false; that of exists() `!` as well. The step reads the accumulator.
template <bool decisive>
inline void Machine::quantifier_step(const Instruction* pc, Value* r, uint64_t cost, Machine& m) {
  constexpr unsigned kCondition = decisive ? 3 : 2;
  Value* loop = &r[pc->a];
  const int64_t at = loop[kPosition].as_int();
  const bool goes_on = r[pc->c].is(Kind::Bool) && r[pc->c].as_bool() != decisive;
  if (goes_on && at >= static_cast<int64_t>(loop[kRange].size())) NEXT();
  const bool usual = goes_on && loop[kRange].is(Kind::List) && !(pc->flags & kTwo) && m.countdown_ > 1;
  if (!usual) TAIL_CALL(quantifier_step_slowly<decisive>)(pc, r, cost, m);
  loop[kElement] = loop[kRange].as_list().data()[at];
  loop[kPosition] = Value::integer(at + 1);
  --m.countdown_;
  UNITS(kCondition + 1);
  GO(pc->b);
}

template <bool decisive>
SLOW void Machine::quantifier_step_slowly(const Instruction* pc, Value* r, uint64_t cost, Machine& m) {
  constexpr unsigned kCondition = decisive ? 3 : 2;
  const Value& p = r[pc->c];
  Value* loop = &r[pc->a];
  const int64_t at = loop[kPosition].as_int();
  const bool more = at < static_cast<int64_t>(loop[kRange].size());
  if (p.is(Kind::Bool) && p.as_bool() == decisive) {
    loop[kResult] = p;
    if (!more) NEXT();
    // The condition that ends the loop. cel-go has already made the next element, which may cost.
    if (loop[kRange].flags() & kTypedMap) [[unlikely]]
      m.load(loop, at, loop + kElement, pc->flags & kTwo);
    UNITS(kCondition);
    NEXT();
  }
  if (!p.is(Kind::Bool)) loop[kResult] = m.logic(loop[kResult], p, decisive);
  if (!more) NEXT();
  m.load(loop, at, loop + kElement, pc->flags & kTwo);
  loop[kPosition] = Value::integer(at + 1);
  ITERATION();
  UNITS(kCondition + 1);
  GO(pc->b);
}

OP(AllStep) { TAIL_CALL(quantifier_step<false>)(pc, r, cost, m); }
OP(ExistsStep) { TAIL_CALL(quantifier_step<true>)(pc, r, cost, m); }

OP(OneStep) {
  const Value& p = r[pc->c];
  Value* loop = &r[pc->a];
  if (p.is_true()) {
    loop[kCount] = Value::integer(loop[kCount].as_int() + 1);
    UNITS(2);  // the expression accumulator + 1
  } else if (!p.is(Kind::Bool)) {
    loop[kResult] = m.as_predicate(p);
  }
  int64_t at = loop[kPosition].as_int();
  if (at >= static_cast<int64_t>(loop[kRange].size())) NEXT();
  m.load(loop, at, loop + kElement, pc->flags & kTwo);
  loop[kPosition] = Value::integer(at + 1);
  ITERATION();
  GO(pc->b);
}

OP(MapTest) {
  const Value& p = r[pc->c];
  if (p.is_true()) NEXT();
  if (!p.is(Kind::Bool)) r[pc->a + kResult] = m.as_predicate(p);
  GO(pc->b);
}

OP(MapStep) {
  const Value& item = r[pc->c];
  Value* loop = &r[pc->a];
  if (failed(loop[kResult])) {
    // The first error stays. The element was evaluated, so it is charged as well.
  } else if (failed(item)) {
    loop[kResult] = item;
  } else {
    Value* items = const_cast<Value*>(loop[kResult].as_list().data());
    items[loop[kCount].as_int()] = item;
    loop[kCount] = Value::integer(loop[kCount].as_int() + 1);
  }
  LUMP(pc->n);
  UNITS(1);
  GO(pc->b);
}

OP(LoopEnd) {
  const Value* loop = &r[pc->b];
  Value result = loop[kResult];
  uint64_t charged = 1;
  if (pc->n == static_cast<uint16_t>(Loop::ExistsOne)) {
    charged = 2;
    if (!failed(result)) result = Value::boolean(loop[kCount].as_int() == 1);
  } else if (pc->n == static_cast<uint16_t>(Loop::Map) && !failed(result)) {
    result = Value::list(result.as_list().data(), static_cast<size_t>(loop[kCount].as_int()));
  }
  r[pc->a] = result;
  UNITS(charged);
  NEXT();
}

}  // namespace portcullis
