// Opcodes that stand for several instructions: a value is read and tested at once.
//
// Idea: the instructions that a fused one stands for follow it. In the usual case it does their work and continues
// behind them; otherwise it does what the first of them would, and the others run.
#include "interpreter/run/machine.h"

namespace portcullis {

// Fills the slot of the path that the instruction reads, and runs it again.
SLOW void Machine::fill_path(const Instruction* pc, Value* r, uint64_t cost, Machine& m) {
  if (!m.activation_.filled(m.path(pc->b))) TAIL_CALL(op_Path)(pc, r, cost, m);
  CONTINUE_AT(pc);
}

// READ_...: the value that Variable, Path or Field reads, with what that charges, in `value` and `total`.
#define READ_Variable                                           \
  const Value* const value = m.activation_.get(pc->b);          \
  if (value == nullptr) TAIL_CALL(op_Variable)(pc, r, cost, m); \
  uint64_t total = cost + pc->n;

#define READ_Path                               \
  const Slot& slot = m.activation_.slot(pc->b); \
  if (!m.activation_.filled(slot)) [[unlikely]] \
    TAIL_CALL(fill_path)(pc, r, cost, m);       \
  const Value* const value = &slot.value;       \
  uint64_t total = cost + slot.applied + pc->n;

#define READ_Field                                                                                  \
  const Value& object = r[pc->b];                                                                   \
  const Key& key = m.code_.keys[pc->c];                                                             \
  const Value* const value = object.is(Kind::Map) ? at_hint(object, key.value, key.hint) : nullptr; \
  if (value == nullptr) [[unlikely]]                                                                \
    TAIL_CALL(op_Field)(pc, r, cost, m);                                                            \
  uint64_t total = cost + 1 + pc->n;

// The reading, and a test whose last instruction is `count` further.
#define FUSED(read, name, usual, charged, holds, count) \
  OP(read##name) {                                      \
    READ_##read;                                        \
    const Instruction& test = pc[count];                \
    usual;                                              \
    total += (charged);                                 \
    if (total > m.limit_) [[unlikely]]                  \
      TAIL_CALL(op_##read)(pc, r, cost, m);             \
    cost = total;                                       \
    TEST_RESULT(holds, count + 1);                      \
  }

#define EQUAL_USUAL(read)                                                             \
  const Same same = equals_at_once(*value, m.code_.constants[test.c], test.n, total); \
  if (same == Same::Unsure) TAIL_CALL(op_##read)(pc, r, cost, m)
#define LESS_USUAL(read) \
  if (!value->is(Kind::Int)) TAIL_CALL(op_##read)(pc, r, cost, m)
#define AFFIX_USUAL(read)                                             \
  if (!value->is(Kind::String)) TAIL_CALL(op_##read)(pc, r, cost, m); \
  const std::string_view affix = m.code_.constants[pc[1].b].as_text()

#define FUSED_TESTS(read)                                                                            \
  FUSED(read, Equal, EQUAL_USUAL(read), 0, (same == Same::Yes) != ((test.flags & kNegated) != 0), 1) \
  FUSED(read, Less, LESS_USUAL(read), 1,                                                             \
        has_order(test.flags, value->as_int(), m.code_.constants[pc[1].b].as_int()), 2)              \
  FUSED(read, StartsWith, AFFIX_USUAL(read), m.code_.calls[test.c].cost.fixed,                       \
        value->size() >= affix.size() && same_bytes(value->as_text().data(), affix), 2)              \
  FUSED(read, EndsWith, AFFIX_USUAL(read), m.code_.calls[test.c].cost.fixed,                         \
        value->size() >= affix.size() &&                                                             \
            same_bytes(value->as_text().data() + value->size() - affix.size(), affix),               \
        2)

FUSED_TESTS(Variable)
FUSED_TESTS(Path)
FUSED_TESTS(Field)

}  // namespace portcullis
