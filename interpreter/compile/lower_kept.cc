// Lowers paths of loop variables that begin alike: their common beginning is looked up once in an iteration.
//
// Idea: a beginning that several paths of the loop's body have gets a register. Keep fills it where it is first
// needed; whoever is emitted later, and is only reached through there, reads it. What reads it skips the instruction
// behind it, which reads the whole path from the variable on, and which runs where something is missing. So costs and
// errors are those of that instruction.
// Limits: only string keys; only variables of fused loops.
// Tested by interpreter/run/shortcuts_test.cc.
#include "interpreter/compile/lower.h"

namespace portcullis {
namespace {

// The number of qualifiers that are plain string keys, the last perhaps in has(); 0 unless all are.
size_t plain_length(const Attribute& a) {
  const auto& q = a.qualifiers;
  for (size_t i = 0; i < q.size(); ++i) {
    const bool last = i + 1 == q.size();
    if (q[i].computed || q[i].optional || !q[i].constant.is(Kind::String) || (q[i].test_only && !last))
      return 0;
  }
  return q.size();
}

}  // namespace

void Lowering::count_beginnings(const Attribute& a, const Fold& f) {
  const bool is_element = a.scope == f.iter || a.scope == f.iter2;
  if (a.kind == AttributeKind::Local && is_element && plain_length(a) > 0) {
    Beginning* beginning = nullptr;
    for (const Qualifier& q : a.qualifiers) {
      beginning = &beginnings_[{a.scope, beginning, q.constant.as_text()}];
      ++beginning->uses;
    }
  }
  for (const Qualifier& q : a.qualifiers) {
    if (q.computed) count_beginnings(*q.computed, f);
  }
  if (a.operand) count_beginnings(*a.operand, f);
  if (a.yes) count_beginnings(*a.yes, f);
  if (a.no) count_beginnings(*a.no, f);
}

void Lowering::count_beginnings(const Plan& p, const Fold& f) {
  if (p.attribute) count_beginnings(*p.attribute, f);
  for (const Plan* arg : p.args) count_beginnings(*arg, f);
  if (!p.fold) return;
  for (const Plan* part : {p.fold->range, p.fold->condition, p.fold->step, p.fold->result})
    count_beginnings(*part, f);
}

// Finds the beginnings that paths in the body of the loop share; gives them registers from `reg` on. Returns the
// first register behind them.
uint32_t Lowering::keep_beginnings(const Fold& f, std::initializer_list<const Plan*> body, uint32_t reg) {
  for (const Plan* part : body) {
    if (part) count_beginnings(*part, f);
  }
  for (uint32_t scope : {f.iter, f.iter2}) {
    const auto end = beginnings_.lower_bound({scope + 1, nullptr, {}});
    for (auto at = beginnings_.lower_bound({scope, nullptr, {}}); scope != Fold::kNone && at != end; ++at) {
      if (at->second.is_shared()) at->second.reg = reg++;
    }
  }
  return reg;
}

// If the path shares a beginning with others: emits what reads it from there and skips the next instruction.
void Lowering::read_kept(const Attribute& a, uint32_t variable_reg, uint32_t dst, int units) {
  const auto& q = a.qualifiers;
  if (plain_length(a) == 0 || units < 0) return;
  uint32_t src = variable_reg;
  const Beginning* parent = nullptr;
  size_t i = 0;
  for (; i < q.size(); ++i) {
    const auto found = beginnings_.find({a.scope, parent, q[i].constant.as_text()});
    if (found == beginnings_.end() || !found->second.is_shared()) break;
    Beginning& b = found->second;
    if (b.position >= available_.size() || available_[b.position] != &b) {
      put({.op = Opcode::Keep, .a = b.reg, .b = src, .c = key(q[i])});
      b.position = available_.size();
      available_.push_back(&b);
    }
    src = b.reg;
    parent = &b;
  }
  if (i == 0) return;
  for (; i + 1 < q.size(); ++i) {
    put({.op = Opcode::Keep, .a = dst, .b = src, .c = key(q[i])});
    src = dst;
  }
  const bool test = q.back().test_only, whole = i == q.size();
  const uint16_t n = static_cast<uint16_t>(q.size() + static_cast<size_t>(units));
  Instruction read{.op = test ? Opcode::HasKept : Opcode::Kept, .n = n, .a = dst, .b = src};
  if (!whole) {
    read.op = test ? Opcode::HasKeptField : Opcode::KeptField;
    read.c = key(q.back());
  }
  put(read);
}

}  // namespace portcullis
