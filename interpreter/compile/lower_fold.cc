// Lowers comprehensions: the standard macros as fused loops, all others as cel-go evaluates them.
// Tested by interpreter/run/cel_test.cc.

#include "interpreter/compile/lower.h"

namespace portcullis {
namespace {

// Whether `p` only reads the local variable.
bool reads(const Plan* p, uint32_t variable) {
  return p->kind == PlanKind::Attribute && !p->test_only && p->attribute->kind == AttributeKind::Local &&
         p->attribute->scope == variable && p->attribute->qualifiers.empty();
}
bool reads(const Attribute* a, uint32_t variable) {
  return a->kind == AttributeKind::Local && a->scope == variable && a->qualifiers.empty();
}

bool is_constant(const Plan* p, const Value& v) {
  return p->kind == PlanKind::Constant && p->constant.is_identical(v);
}
bool is_call(const Plan* p, std::string_view function, size_t count) {
  return p->kind == PlanKind::Call && p->function == function && p->args.size() == count;
}

constexpr Value kTrue = Value::boolean(true), kFalse = Value::boolean(false), kZero = Value::integer(0),
                kOne = Value::integer(1);

// all(): @not_strictly_false(accu); accu && p
bool is_all(const Fold& f) {
  return is_constant(f.init, kTrue) && is_call(f.condition, operators::kNotStrictlyFalse, 1) &&
         reads(f.condition->args[0], f.accu) && f.step->kind == PlanKind::And && f.step->args.size() == 2 &&
         reads(f.step->args[0], f.accu) && reads(f.result, f.accu);
}

// exists(): @not_strictly_false(!accu); accu || p
bool is_exists(const Fold& f) {
  return is_constant(f.init, kFalse) && is_call(f.condition, operators::kNotStrictlyFalse, 1) &&
         is_call(f.condition->args[0], operators::kLogicalNot, 1) &&
         reads(f.condition->args[0]->args[0], f.accu) && f.step->kind == PlanKind::Or &&
         f.step->args.size() == 2 && reads(f.step->args[0], f.accu) && reads(f.result, f.accu);
}

// The attribute `p ? step : accu`, if the loop step has this form, or null.
Attribute* conditional_step(const Fold& f) {
  if (f.step->kind != PlanKind::Attribute || f.step->test_only) return nullptr;
  Attribute* a = f.step->attribute;
  if (a->kind != AttributeKind::Conditional || !a->qualifiers.empty()) return nullptr;
  bool plain = a->yes->kind == AttributeKind::Relative && a->yes->qualifiers.empty() && reads(a->no, f.accu);
  return plain ? a : nullptr;
}

// exists_one(): p ? accu + 1 : accu; result accu == 1
bool is_exists_one(const Fold& f) {
  if (!is_constant(f.init, kZero) || !is_constant(f.condition, kTrue)) return false;
  Attribute* a = conditional_step(f);
  if (!a || !is_call(a->yes->operand, operators::kAdd, 2)) return false;
  const auto& sum = a->yes->operand->args;
  bool counts = reads(sum[0], f.accu) && is_constant(sum[1], kOne);
  return counts && f.result->kind == PlanKind::Equal && !f.result->negated &&
         reads(f.result->args[0], f.accu) && is_constant(f.result->args[1], kOne);
}

// accu + [t]
bool is_append(const Fold& f, const Plan* p) {
  if (!is_call(p, operators::kAdd, 2) || !reads(p->args[0], f.accu)) return false;
  const Plan* list = p->args[1];
  if (list->kind == PlanKind::List) return list->args.size() == 1 && list->optionals.empty();
  return list->kind == PlanKind::Constant && list->constant.is(Kind::List) && list->constant.size() == 1;
}

bool is_map(const Fold& f) {
  return f.init->kind == PlanKind::Constant && f.init->constant.is(Kind::List) &&
         f.init->constant.size() == 0 && is_constant(f.condition, kTrue) && reads(f.result, f.accu);
}

// Whether the comprehension loops over nothing, as that of cel.bind().
bool never_loops(const Fold& f) {
  bool empty = (f.range->kind == PlanKind::List && f.range->args.empty()) ||
               (f.range->kind == PlanKind::Constant && f.range->constant.is(Kind::List) &&
                f.range->constant.size() == 0);
  return empty && f.iter2 == Fold::kNone;
}

}  // namespace

void Lowering::emit_fold(Plan& p, uint32_t dst) {
  if (!options_.watch && emit_fused(p, dst)) return;
  emit_general(*p.fold, dst);
}

bool Lowering::emit_fused(Plan& p, uint32_t dst) {
  Fold& f = *p.fold;
  if (is_all(f)) return emit_quantifier(f, Loop::All, *f.step->args[1], dst), true;
  if (is_exists(f)) return emit_quantifier(f, Loop::Exists, *f.step->args[1], dst), true;
  if (is_exists_one(f)) return emit_quantifier(f, Loop::ExistsOne, *conditional_step(f)->operand, dst), true;
  if (!is_map(f)) return false;
  if (is_append(f, f.step)) return emit_map_loop(f, nullptr, *f.step, dst), true;
  Attribute* a = conditional_step(f);
  if (!a || !is_append(f, a->yes->operand)) return false;
  return emit_map_loop(f, a->operand, *a->yes->operand, dst), true;
}

// Emits a loop whose registers (LoopRegister) begin at dst.
void Lowering::emit_quantifier(const Fold& f, Loop loop, Plan& predicate, uint32_t dst) {
  Label end, exit;
  uint16_t kind = static_cast<uint16_t>(loop);
  uint8_t flags = f.iter2 != Fold::kNone ? kTwo : 0;
  emit(*f.range, dst);
  jump({.op = Opcode::LoopBegin, .flags = flags, .n = kind, .a = dst}, exit);
  scope_[f.iter].reg = dst + kElement;
  if (flags) scope_[f.iter2].reg = dst + kSecond;
  jump({.op = Opcode::LoopNext, .flags = flags, .n = kind, .a = dst, .c = dst + kElement}, end);
  uint32_t body = static_cast<uint32_t>(code_.instructions.size());
  const uint32_t temp = keep_beginnings(f, {&predicate}, dst + kLoopRegisters);
  emit(predicate, temp);
  Opcode step = loop == Loop::All      ? Opcode::AllStep
                : loop == Loop::Exists ? Opcode::ExistsStep
                                       : Opcode::OneStep;
  put({.op = step, .flags = flags, .a = dst, .b = body, .c = temp});
  bind(end);
  put({.op = Opcode::LoopEnd, .n = kind, .a = dst, .b = dst});
  bind(exit);
}

void Lowering::emit_map_loop(const Fold& f, Plan* predicate, Plan& append, uint32_t dst) {
  Label end, exit;
  constexpr uint16_t kKind = static_cast<uint16_t>(Loop::Map);
  uint8_t flags = f.iter2 != Fold::kNone ? kTwo : 0;
  emit(*f.range, dst);
  jump({.op = Opcode::LoopBegin, .flags = flags, .n = kKind, .a = dst}, exit);
  scope_[f.iter].reg = dst + kElement;
  if (flags) scope_[f.iter2].reg = dst + kSecond;
  uint32_t next = static_cast<uint32_t>(code_.instructions.size());
  jump({.op = Opcode::LoopNext, .flags = flags, .n = kKind, .a = dst, .c = dst + kElement}, end);
  const Plan& list = *append.args[1];
  const uint32_t temp = keep_beginnings(f, {predicate, &list}, dst + kLoopRegisters);
  if (predicate) {
    emit(*predicate, temp);
    put({.op = Opcode::MapTest, .a = dst, .b = next, .c = temp});
  }
  charge(1);  // the read of the accumulator
  uint16_t cost = 0;
  if (list.kind == PlanKind::List) {
    emit(*list.args[0], temp);
    cost = kListCreateCost;
  } else {
    put({.op = Opcode::Const, .a = temp, .b = constant(list.constant.as_list()[0])});
  }
  put({.op = Opcode::MapStep, .n = cost, .a = dst, .b = next, .c = temp});
  bind(end);
  put({.op = Opcode::LoopEnd, .n = kKind, .a = dst, .b = dst});
  bind(exit);
}

// Puts the initial accumulator into `reg`: a constant immediately, anything else when it is first read.
void Lowering::bind_accumulator(const Fold& f, uint32_t reg) {
  ScopeRegister& s = scope_[f.accu];
  s.reg = reg;
  if (f.init->kind == PlanKind::Constant && !options_.watch) {
    put({.op = Opcode::Const, .a = reg, .b = constant(f.init->constant)});
    return;
  }
  s.lazy = s.accumulator = true;
  s.init = f.init;
  put({.op = Opcode::LazyReset, .a = reg});
}

void Lowering::emit_general(const Fold& f, uint32_t dst) {
  Label end, exit;
  uint8_t flags = f.iter2 != Fold::kNone ? kTwo : 0;
  emit(*f.range, dst);
  uint32_t temp = dst + kLoopRegisters;
  if (never_loops(f)) {
    bind_accumulator(f, dst + kResult);
  } else {
    jump({.op = Opcode::FoldBegin, .flags = flags, .a = dst}, exit);
    bind_accumulator(f, dst + kResult);
    scope_[f.iter].reg = dst + kElement;
    if (flags) scope_[f.iter2].reg = dst + kSecond;
    uint32_t loop = static_cast<uint32_t>(code_.instructions.size());
    jump({.op = Opcode::FoldNext, .flags = flags, .a = dst, .c = dst + kElement}, end);
    emit(*f.condition, temp);
    jump({.op = Opcode::FoldTest, .a = temp}, end);
    emit(*f.step, temp);
    put({.op = scope_[f.accu].lazy ? Opcode::LazySet : Opcode::Move, .a = dst + kResult, .b = temp});
    put({.op = Opcode::Jump, .b = loop});
    bind(end);
  }
  emit(*f.result, temp);
  put({.op = Opcode::Move, .a = dst, .b = temp});
  bind(exit);
}

// Emits cel.@block: each slot is evaluated when it is first read, in the scope of the block.
void Lowering::emit_block(Plan& p, uint32_t dst) {
  uint32_t reg = dst;
  for (size_t i = 0; i < p.variables.size(); ++i, reg += 2) {
    ScopeRegister& s = scope_[p.variables[i]];
    s.reg = reg;
    s.lazy = true;
    s.init = p.inits[i];
    put({.op = Opcode::LazyReset, .a = reg});
  }
  emit(*p.args[0], reg);
  put({.op = Opcode::Move, .a = dst, .b = reg});
}

}  // namespace portcullis
