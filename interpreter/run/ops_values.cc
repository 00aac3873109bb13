// Opcodes that load, copy and make values, and those of lazily bound variables.
#include "interpreter/run/aggregate.h"
#include "interpreter/run/machine.h"
#include "interpreter/values/map.h"

namespace portcullis {

OP(Const) {
  r[pc->a] = m.code_.constants[pc->b];
  NEXT();
}

OP(Move) {
  r[pc->a] = r[pc->b];
  UNITS(pc->n);
  NEXT();
}

OP(Charge) {
  if (pc->flags & kLump)
    LUMP(pc->n);
  else
    UNITS(pc->n);
  NEXT();
}

OP(Refund) {
  cost -= 1;
  if (cost > m.limit_) TAIL_CALL(exceeded)(pc, r, cost, m);
  NEXT();
}

OP(Jump) { GO(pc->b); }

OP(List) {
  r[pc->a] = make_list_value(&r[pc->b], pc->n, nullptr, m.arena_);
  LUMP(kListCreateCost);
  NEXT();
}

OP(ListOptional) {
  r[pc->a] = make_list_value(&r[pc->b], pc->n, &m.code_.constants[pc->c], m.arena_);
  LUMP(kListCreateCost);
  NEXT();
}

OP(Map) {
  r[pc->a] = make_map_value(&r[pc->b], pc->n, nullptr, m.arena_);
  LUMP(kMapCreateCost);
  NEXT();
}

OP(MapOptional) {
  r[pc->a] = make_map_value(&r[pc->b], pc->n, &m.code_.constants[pc->c], m.arena_);
  LUMP(kMapCreateCost);
  NEXT();
}

OP(CheckOptional) {
  if (!r[pc->a].is(Kind::Optional)) {
    const Value* key = pc->flags == kEntry   ? &r[pc->b]
                       : pc->flags == kField ? &m.code_.constants[pc->c]
                                             : nullptr;
    r[pc->a] = no_optional(key, r[pc->a], m.arena_);
  }
  NEXT();
}

OP(Struct) {
  r[pc->a] = make_struct_value(&r[pc->b], pc->n, m.code_.constants[pc->c], m.arena_);
  LUMP(kStructCreateCost);
  NEXT();
}

// Register a + 1 holds the state of a lazy variable: 0 unset, 2 set, else the place that its initializer
// returns to, times 4, plus 1.
OP(LazyReset) {
  r[pc->a + 1] = Value::integer(0);
  NEXT();
}

OP(Lazy) {
  Value& state = r[pc->a + 1];
  if (state.as_int() == 2) [[likely]]
    NEXT();
  if (state.as_int() != 0) {
    r[pc->a] = m.code_.constants[pc->c];
    NEXT();
  }
  state = Value::integer((pc - m.start_ + 1) * 4 + 1);
  GO(pc->b);
}

OP(LazyReturn) {
  int64_t back = r[pc->a + 1].as_int() / 4;
  r[pc->a] = pc->flags & kOfAccumulator ? accumulator(r[pc->b]) : r[pc->b];
  r[pc->a + 1] = Value::integer(2);
  GO(back);
}

OP(LazySet) {
  r[pc->a] = r[pc->b];
  r[pc->a + 1] = Value::integer(2);
  NEXT();
}

OP(Watch) {
  if (m.watch_ != nullptr) m.watch_->on_value(static_cast<ExprId>(pc->c), r[pc->b]);
  NEXT();
}

}  // namespace portcullis
