// Opcodes of && || ! ?: and optionals.
#include "interpreter/run/machine.h"

namespace portcullis {

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

// A bool, error or unknown unchanged; an error for any other value.
Value Machine::as_predicate(const Value& v) {
  return v.is(Kind::Bool) || failed(v) ? v : call_.no_such_overload();
}

OP(Branch) {
  Value& v = r[pc->a];
  if (v.is_true()) NEXT();
  if (v.is_false()) GO(pc->b);
  v = m.as_predicate(v);
  GO(pc->c);
}

OP(JumpFalse) {
  if (r[pc->a].is_false()) GO(pc->b);
  NEXT();
}

OP(JumpTrue) {
  if (r[pc->a].is_true()) GO(pc->b);
  NEXT();
}

// The value of the left operand is not the decisive one, or the right one would not have been evaluated.
OP(And) {
  const Value& right = r[pc->b];
  if (!r[pc->a].is(Kind::Bool) || !right.is(Kind::Bool)) [[unlikely]]
    TAIL_CALL(combine)(pc, r, cost, m);
  r[pc->a] = right;
  if (!right.as_bool()) GO(pc->c);
  NEXT();
}

OP(Or) {
  const Value& right = r[pc->b];
  if (!r[pc->a].is(Kind::Bool) || !right.is(Kind::Bool)) [[unlikely]]
    TAIL_CALL(combine)(pc, r, cost, m);
  r[pc->a] = right;
  if (right.as_bool()) GO(pc->c);
  NEXT();
}

SLOW void Machine::combine(const Instruction* pc, Value* r, uint64_t cost, Machine& m) {
  const bool decisive = pc->op == Opcode::Or;
  r[pc->a] = m.logic(r[pc->a], r[pc->b], decisive);
  if (decisive ? r[pc->a].is_true() : r[pc->a].is_false()) GO(pc->c);
  NEXT();
}

OP(JumpFailed) {
  if (failed(r[pc->c])) {
    r[pc->a] = r[pc->c];
    GO(pc->b);
  }
  NEXT();
}

OP(OptionalOr) {
  Value& v = r[pc->a];
  if (v.is(Kind::Optional)) {
    if (!v.as_optional()) NEXT();
    if (pc->flags & kOrValue) v = *v.as_optional();
  } else if (!failed(v)) {
    v = m.call_.no_such_overload();
  }
  GO(pc->b);
}

OP(Not) {
  const Value& v = r[pc->b];
  if (v.is(Kind::Bool)) [[likely]]
    r[pc->a] = Value::boolean(!v.as_bool());
  else
    r[pc->a] = failed(v) ? v : m.call_.no_such_overload();
  UNITS(1);
  NEXT();
}

}  // namespace portcullis
