// Opcodes that read variables, paths and fields.
#include "interpreter/run/access.h"
#include "interpreter/run/machine.h"
#include "interpreter/values/map.h"

namespace portcullis {

SLOW const Value* find_slowly(const Value& map, const Value& key, std::atomic<uint32_t>& shared) {
  uint32_t hint = shared.load(std::memory_order_relaxed);
  const uint32_t was = hint;
  const Value* found = find_text_key(map, key, hint);
  if (hint != was) shared.store(hint, std::memory_order_relaxed);
  return found;
}

SLOW Value Machine::missing_variable(uint32_t variable) {
  return make_error(arena_, "no such attribute(s): " + code_.paths->variable_name(variable));
}

// The value that a further qualifier is applied to. cel-go unwraps an optional only if it is the variable
// itself; within a path an optional has no more fields than a bool.
Value Machine::container(const Slot& slot, uint32_t node) {
  if (!slot.value.is(Kind::Optional)) return slot.value;
  const Value* variable = activation_.get(code_.paths->node(node).variable);
  return variable && variable->is(Kind::Optional) ? slot.value : Value::boolean(false);
}

// Fills the slot of a path from the slot of its parent, recursively up to the variable. The path bounds the
// depth. The usual case: a map that has the key.
SLOW const Activation::Slot& Machine::fill(uint32_t number) {
  const PathTable::Node& node = code_.paths->node(number);
  const Value* object = activation_.get(node.variable);
  if (object == nullptr) return fill_unset(number);
  const bool first = node.parent == PathTable::kNone;
  const Slot* parent = first ? nullptr : &path(node.parent);
  if (!first) object = &parent->value;
  if (!object->is(Kind::Map)) return fill_slowly(number);
  const Value* found = find_hinted(*object, node.key, node.hint);
  if (found == nullptr) return fill_slowly(number);
  Slot& slot = activation_.slot(number);
  slot.value = *found;
  slot.applied = first ? 1 : parent->applied + 1;
  slot.variable = node.variable;
  slot.stamp = activation_.stamp(node.variable);
  return slot;
}

// The slot of a path whose variable is not set. It stays unfilled, so its parents are not asked: each would be filled
// anew by everyone who asks.
SLOW const Activation::Slot& Machine::fill_unset(uint32_t number) {
  Slot& slot = activation_.slot(number);
  slot.value = missing_variable(code_.paths->node(number).variable);
  slot.applied = 0;
  return slot;
}

// The variable is set, and the parent's slot filled.
SLOW const Activation::Slot& Machine::fill_slowly(uint32_t number) {
  const PathTable::Node& node = code_.paths->node(number);
  Value object;
  uint32_t applied = 0;
  if (node.parent == PathTable::kNone) {
    object = *activation_.get(node.variable);
  } else {
    const Slot& parent = path(node.parent);
    object = container(parent, node.parent);
    applied = parent.applied;
  }
  Value out = object;
  bool none = object.is(Kind::Optional) && !object.as_optional();
  if (object.is(Kind::Map)) {
    const Value* v = find_hinted(object, node.key, node.hint);
    out = v ? *v : no_such_key(node.key, arena_);
    ++applied;
  } else if (object.is(Kind::Optional) && !none) {
    Key key;
    key.value = node.key;
    uint64_t charged = 0;
    out = apply_qualifiers(object, &key, 1, false, arena_, charged);
    applied += static_cast<uint32_t>(charged);
  } else if (!failed(object) && !none) {
    find_qualified(object, node.key, Ask::Value, arena_, out);
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

// Applies a run of qualifiers in the common case: string keys that maps have, the last perhaps in has().
// False: let apply_qualifiers do it.
static inline bool walk(const Value& base, const Key* keys, size_t count, Value& out) {
  const Value* object = &base;
  for (size_t i = 0; i < count; ++i) {
    const Key& key = keys[i];
    if (!object->is(Kind::Map) || key.optional || !key.value.is(Kind::String)) return false;
    const Value* next = find_hinted(*object, key.value, key.hint);
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

// has() of one key of `object`. Returns the cost of the key.
SLOW uint64_t Machine::has(const Value& object, const Instruction& i, Value& out) {
  const Key& key = code_.keys[i.c];
  if (object.is(Kind::Map) && key.value.is(Kind::String)) [[likely]] {
    const Value* v = find_hinted(object, key.value, key.hint);
    out = v != nullptr && v->is_error() ? *v : Value::boolean(v != nullptr);
    return 1;
  }
  uint64_t charged = 0;
  out = apply_qualifiers(object, &key, 1, i.flags & kObserved, arena_, charged);
  return charged;
}

// Applies `count` constant qualifiers to `base`. Returns their cost.
SLOW uint64_t Machine::qualify(const Value& base, const Instruction& i, size_t count, Value& out) {
  const Key* keys = &code_.keys[i.c];
  if (walk(base, keys, count, out)) return count;
  uint64_t charged = 0;
  out = apply_qualifiers(base, keys, count, i.flags & kObserved, arena_, charged);
  return charged;
}

// The value of a native field, or whether it is set, if the key says so.
Value Machine::native_field(const Value& object, const Key& key) {
  if (object.is(Kind::Opaque) && object.as_opaque().cls->field) {
    return object.as_opaque().cls->field(object.as_opaque(), key.value.as_text(), key.test_only, arena_);
  }
  uint64_t charged = 0;
  return apply_qualifiers(object, &key, 1, false, arena_, charged);
}

OP(Variable) {
  const Value* v = m.activation_.get(pc->b);
  if (v == nullptr) TAIL_CALL(no_variable)(pc, r, cost, m);
  r[pc->a] = *v;
  UNITS(pc->n);
  NEXT();
}

SLOW void Machine::no_variable(const Instruction* pc, Value* r, uint64_t cost, Machine& m) {
  r[pc->a] = m.missing_variable(pc->b);
  UNITS(pc->n);
  NEXT();
}

OP(Path) {
  const Slot& slot = m.activation_.slot(pc->b);
  if (!m.activation_.filled(slot) || slot.value.is(Kind::Optional)) [[unlikely]]
    TAIL_CALL(read_path)(pc, r, cost, m);
  r[pc->a] = slot.value;
  UNITS(slot.applied + pc->n);
  NEXT();
}

SLOW void Machine::read_path(const Instruction* pc, Value* r, uint64_t cost, Machine& m) {
  const Slot& slot = m.path(pc->b);
  r[pc->a] = pc->flags & kInner ? m.container(slot, pc->b) : slot.value;
  UNITS(slot.applied + pc->n);
  NEXT();
}

OP(HasPath) {
  const Slot& slot = m.activation_.slot(pc->b);
  const Key& key = m.code_.keys[pc->c];
  if (!m.activation_.filled(slot) || !slot.value.is(Kind::Map)) [[unlikely]]
    TAIL_CALL(has_path)(pc, r, cost, m);
  const Value* found = at_hint(slot.value, key.value, key.hint);
  if (found == nullptr || found->is_error()) TAIL_CALL(has_path)(pc, r, cost, m);
  UNITS(slot.applied + pc->n + 1);
  TEST_RESULT(true, 1);
}

SLOW void Machine::has_path(const Instruction* pc, Value* r, uint64_t cost, Machine& m) {
  const Slot& slot = m.path(pc->b);
  const uint64_t charged = slot.applied + pc->n;
  cost += m.has(m.container(slot, pc->b), *pc, r[pc->a]);
  UNITS(charged);
  NEXT();
}

OP(Field) {
  const Value& object = r[pc->b];
  const Key& key = m.code_.keys[pc->c];
  if (!object.is(Kind::Map)) [[unlikely]]
    TAIL_CALL(read_field)(pc, r, cost, m);
  const Value* found = at_hint(object, key.value, key.hint);
  if (found == nullptr) [[unlikely]]
    TAIL_CALL(read_field)(pc, r, cost, m);
  r[pc->a] = *found;
  UNITS(1u + pc->n);
  NEXT();
}

SLOW void Machine::read_field(const Instruction* pc, Value* r, uint64_t cost, Machine& m) {
  cost += m.qualify(r[pc->b], *pc, 1, r[pc->a]);
  UNITS(pc->n);
  NEXT();
}

OP(HasField) {
  const Value& object = r[pc->b];
  const Key& key = m.code_.keys[pc->c];
  if (!object.is(Kind::Map)) [[unlikely]]
    TAIL_CALL(has_field)(pc, r, cost, m);
  const Value* found = at_hint(object, key.value, key.hint);
  if (found == nullptr || found->is_error()) TAIL_CALL(has_field)(pc, r, cost, m);
  UNITS(1u + pc->n);
  TEST_RESULT(true, 1);
}

SLOW void Machine::has_field(const Instruction* pc, Value* r, uint64_t cost, Machine& m) {
  cost += m.has(r[pc->b], *pc, r[pc->a]);
  UNITS(pc->n);
  NEXT();
}

OP(NativeField) {
  const Value& object = r[pc->b];
  if (failed(object)) {
    r[pc->a] = object;
    NEXT();
  }
  r[pc->a] = m.native_field(object, m.code_.keys[pc->c]);
  UNITS(1u);
  NEXT();
}

// A run of string keys that maps have at the expected places, the last perhaps in has().
OP(Access) {
  const Key* key = &m.code_.keys[pc->c];
  const Key* const last = key + pc->n - 1;
  const Value* object = &r[pc->b];
  for (;; ++key) {
    if (!object->is(Kind::Map) || key->optional || !key->value.is(Kind::String))
      TAIL_CALL(access)(pc, r, cost, m);
    object = at_hint(*object, key->value, key->hint);
    if (object == nullptr) TAIL_CALL(access)(pc, r, cost, m);
    if (key == last) break;
  }
  if (last->test_only && object->is_error()) TAIL_CALL(access)(pc, r, cost, m);
  UNITS(pc->n + (pc->flags & kCharged ? 1u : 0u));
  if (last->test_only) TEST_RESULT(true, 1);
  r[pc->a] = *object;
  NEXT();
}

SLOW void Machine::access(const Instruction* pc, Value* r, uint64_t cost, Machine& m) {
  cost += m.qualify(r[pc->b], *pc, pc->n, r[pc->a]);
  UNITS(pc->flags & kCharged ? 1 : 0);
  NEXT();
}

// What Keep leaves where there is no value: nothing else has these representations.
static constexpr Value kAbsent = Value::unknown(nullptr), kNotAsked = Value::error(nullptr);

OP(Keep) {
  const Value& object = r[pc->b];
  const Key& key = m.code_.keys[pc->c];
  if (!object.is(Kind::Map)) {
    r[pc->a] = kNotAsked;
    NEXT();
  }
  const Value* found = at_hint(object, key.value, key.hint);
  if (found == nullptr) TAIL_CALL(keep)(pc, r, cost, m);
  r[pc->a] = *found;
  NEXT();
}

SLOW void Machine::keep(const Instruction* pc, Value* r, uint64_t cost, Machine& m) {
  const Key& key = m.code_.keys[pc->c];
  const Value* found = find_slowly(r[pc->b], key.value, key.hint);
  r[pc->a] = found != nullptr ? *found : kAbsent;
  NEXT();
}

OP(Kept) {
  const Value& v = r[pc->b];
  if (failed(v)) NEXT();
  r[pc->a] = v;
  UNITS(pc->n);
  CONTINUE_AT(pc + 2);
}

OP(HasKept) {
  const Value& v = r[pc->b];
  const bool absent = v.is_unknown() && v.raw_payload() == 0;
  if (failed(v) && !absent) NEXT();
  UNITS(pc->n);
  TEST_RESULT(!absent, 2);
}

OP(KeptField) {
  const Value& object = r[pc->b];
  const Key& key = m.code_.keys[pc->c];
  if (!object.is(Kind::Map)) NEXT();
  const Value* found = at_hint(object, key.value, key.hint);
  if (found == nullptr) TAIL_CALL(read_kept_field)(pc, r, cost, m);
  r[pc->a] = *found;
  UNITS(pc->n);
  CONTINUE_AT(pc + 2);
}

SLOW void Machine::read_kept_field(const Instruction* pc, Value* r, uint64_t cost, Machine& m) {
  const Key& key = m.code_.keys[pc->c];
  const Value* found = find_slowly(r[pc->b], key.value, key.hint);
  if (found == nullptr) NEXT();
  r[pc->a] = *found;
  UNITS(pc->n);
  CONTINUE_AT(pc + 2);
}

OP(HasKeptField) {
  const Value& object = r[pc->b];
  const Key& key = m.code_.keys[pc->c];
  if (!object.is(Kind::Map)) NEXT();
  const Value* found = at_hint(object, key.value, key.hint);
  if (found == nullptr) TAIL_CALL(has_kept_field)(pc, r, cost, m);
  if (found->is_error()) NEXT();
  UNITS(pc->n);
  TEST_RESULT(true, 2);
}

SLOW void Machine::has_kept_field(const Instruction* pc, Value* r, uint64_t cost, Machine& m) {
  const Key& key = m.code_.keys[pc->c];
  const Value* found = find_slowly(r[pc->b], key.value, key.hint);
  if (found != nullptr && found->is_error()) NEXT();
  UNITS(pc->n);
  TEST_RESULT(found != nullptr, 2);
}

OP(Begin) {
  Value& object = r[pc->a];
  bool optional = object.is(Kind::Optional);
  if (failed(object) || (optional && !object.as_optional())) GO(pc->b);
  if (optional) object = *object.as_optional();
  r[pc->a + 1] = Value::boolean(optional);
  NEXT();
}

// What applying a qualifier leaves behind: whether it found a value, and whether it costs a unit.
struct Machine::Qualified {
  bool goes_on, charged;
};

SLOW Machine::Qualified Machine::take_constant(Value* attribute, const Instruction& i) {
  bool optional = (i.flags & kOptional) || attribute[1].as_bool();
  bool presence = i.flags & kPresence;
  Value out;
  const Ask ask = presence ? Ask::Presence : optional ? Ask::ValueIfThere : Ask::Value;
  Found found = find_qualified(attribute[0], code_.keys[i.c].value, ask, arena_, out);
  if (found == Found::No && !optional)
    out = Value::boolean(false), found = Found::Yes;
  else if (presence && !optional && found == Found::Yes)
    out = Value::boolean(true);
  attribute[1] = Value::boolean(optional);
  attribute[0] = found == Found::No ? Value::optional(nullptr) : out;
  return {found == Found::Yes, !optional || found == Found::Yes};
}

SLOW Machine::Qualified Machine::take_computed(Value* attribute, const Value& index, bool is_optional) {
  bool optional = is_optional || attribute[1].as_bool();
  Value out;
  Found found = Found::Failed;
  if (index.is_error())
    out = index;
  else if (index.is_unknown())
    out = index, found = Found::Yes;
  else if (is_qualifier(index, arena_, out)) {
    found = find_qualified(attribute[0], index, optional ? Ask::ValueIfThere : Ask::Value, arena_, out);
  }
  attribute[1] = Value::boolean(optional);
  attribute[0] = found == Found::No ? Value::optional(nullptr) : out;
  return {found == Found::Yes, !optional || found == Found::Yes};
}

OP(Qualify) {
  const Qualified done = m.take_constant(&r[pc->a], *pc);
  UNITS(done.charged);
  if (!done.goes_on) GO(pc->b);
  NEXT();
}

OP(QualifyBy) {
  const Qualified done = m.take_computed(&r[pc->a], r[pc->c], pc->flags & kOptional);
  UNITS(done.charged);
  if (!done.goes_on) GO(pc->b);
  NEXT();
}

OP(End) {
  if (r[pc->a + 1].as_bool() && !failed(r[pc->a])) r[pc->a] = some(r[pc->a], m.arena_);
  NEXT();
}

OP(TestOnly) {
  if (r[pc->a].is(Kind::Optional)) r[pc->a] = Value::boolean(r[pc->a].as_optional() != nullptr);
  NEXT();
}

}  // namespace portcullis
