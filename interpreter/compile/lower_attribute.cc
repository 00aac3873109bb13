// Lowers attributes: variables and values with qualifiers, and conditionals.
// Tested by interpreter/run/cel_test.cc.
#include <algorithm>

#include "interpreter/compile/lower.h"

namespace portcullis {
namespace {

bool is_plain(const Qualifier& q) {
  return !q.computed && !q.optional && !q.test_only && q.constant.is(Kind::String);
}

// Whether the attribute is a conditional, also one whose native fields are read: for cel-go those are
// qualifiers.
bool is_conditional(const Attribute& a) {
  if (a.kind != AttributeKind::Relative) return a.kind == AttributeKind::Conditional;
  if (a.operand->kind != PlanKind::NativeField) return false;
  const Plan& target = *a.operand->args[0];
  return target.kind == PlanKind::Attribute && is_conditional(*target.attribute);
}

bool has_computed(const Attribute& a, size_t from) {
  return std::any_of(a.qualifiers.begin() + static_cast<ptrdiff_t>(from), a.qualifiers.end(),
                     [](const Qualifier& q) { return q.computed != nullptr; });
}

}  // namespace

void Lowering::read(uint32_t variable) {
  auto& reads = code_.reads;
  if (std::find(reads.begin(), reads.end(), variable) == reads.end()) reads.push_back(variable);
}

// Emits an attribute as a value of its own. It costs 1 besides its qualifiers; a conditional costs nothing
// more; the environment says what has() costs.
void Lowering::emit_attribute(Plan& p, uint32_t dst) {
  int units = is_conditional(*p.attribute) ? 0 : 1;
  if (p.test_only && !environment_.options().run_time_presence_test_cost) units -= 1;
  resolve(*p.attribute, dst, units, p.test_only ? kObserved : 0);
}

// For cel-go a native field is one more qualifier, so an operand that is an attribute does not charge its own
// unit.
void Lowering::emit_native_field(Plan& p, uint32_t dst) {
  Plan& target = *p.args[0];
  target.kind == PlanKind::Attribute ? resolve(*target.attribute, dst, 0, 0) : emit(target, dst);
  Qualifier q;
  q.constant = p.constant;
  q.test_only = p.test_only;
  put({.op = Opcode::NativeField, .a = dst, .b = dst, .c = key(q)});
}

// `units` are charged after the qualifiers.
void Lowering::resolve(Attribute& a, uint32_t dst, int units, uint8_t observed) {
  switch (a.kind) {
    case AttributeKind::Local: return resolve_local(a, dst, units, observed);
    case AttributeKind::Variable: return resolve_variable(a, a.name, 0, dst, units, observed);
    case AttributeKind::Undeclared: return resolve_undeclared(a, dst, units, observed);
    case AttributeKind::Relative: emit(*a.operand, dst); return apply(a, 0, dst, dst, units, observed);
    case AttributeKind::Conditional:
      resolve_conditional(a, dst);
      if (has_computed(a, 0)) return apply_computed(a, 0, dst, units, observed);
      if (observed) put({.op = Opcode::TestOnly, .a = dst});
      return charge(units);
  }
}

// Applies constant qualifiers within the branches, as cel-go does. Computed ones are applied once, behind the
// branches, because copies of their code would double with every level of nesting.
void Lowering::resolve_conditional(Attribute& a, uint32_t dst) {
  Label no, end;
  if (!has_computed(a, 0)) {
    for (Attribute* branch : {a.yes, a.no}) {
      branch->qualifiers.insert(branch->qualifiers.end(), a.qualifiers.begin(), a.qualifiers.end());
    }
    a.qualifiers.clear();
  }
  emit(*a.operand, dst);
  jump({.op = Opcode::Branch, .a = dst}, no, end);
  resolve(*a.yes, dst, 0, 0);
  jump({.op = Opcode::Jump}, end);
  bind(no);
  resolve(*a.no, dst, 0, 0);
  bind(end);
}

void Lowering::resolve_local(Attribute& a, uint32_t dst, int units, uint8_t observed) {
  ScopeRegister& s = scope_[a.scope];
  if (s.lazy) {
    if (!s.queued) {
      s.queued = true;
      s.self_error = error_constant("no such attribute(s): " + tree_.scope_names[a.scope]);
      queue_.push_back(a.scope);
    }
    jump({.op = Opcode::Lazy, .a = s.reg, .c = s.self_error}, s.entry);
  }
  if (a.qualifiers.empty()) {
    put({.op = Opcode::Move, .n = static_cast<uint16_t>(units), .a = dst, .b = s.reg});
  } else {
    read_kept(a, s.reg, dst, units);
    apply(a, 0, s.reg, dst, units, observed);
  }
}

void Lowering::resolve_variable(Attribute& a, std::string_view name, size_t from, uint32_t dst, int units,
                                uint8_t observed) {
  uint32_t variable = code_.paths->variable(name);
  read(variable);
  const auto& q = a.qualifiers;
  uint32_t node = PathTable::kNone;
  size_t i = from;
  for (; i < q.size() && is_plain(q[i]); ++i)
    node = code_.paths->child(variable, node, q[i].constant.as_text());
  bool last_is_test = i + 1 == q.size() && q[i].test_only && !q[i].optional && !q[i].computed &&
                      q[i].constant.is(Kind::String);
  uint16_t n = static_cast<uint16_t>(i == q.size() || last_is_test ? units : 0);
  if (node != PathTable::kNone && last_is_test) {
    put({.op = Opcode::HasPath, .flags = observed, .n = n, .a = dst, .b = node, .c = key(q[i])});
    return;
  }
  if (node == PathTable::kNone) {
    n = i == q.size() ? n : 0;
    put({.op = Opcode::Variable, .n = n, .a = dst, .b = variable});
  } else {
    put({.op = Opcode::Path, .flags = i < q.size() ? kInner : uint8_t{0}, .n = n, .a = dst, .b = node});
  }
  if (i < q.size()) apply(a, i, dst, dst, units, observed);
}

// Parse-only: `a.b.c` is the declared variable a.b.c, or field c of a.b, or fields b.c of a, in this order.
void Lowering::resolve_undeclared(Attribute& a, uint32_t dst, int units, uint8_t observed) {
  size_t names = 0;
  while (names < a.qualifiers.size() && is_plain(a.qualifiers[names])) ++names;
  std::string missing;
  for (size_t used = names + 1; used-- > 0;) {
    std::string name(a.name);
    for (size_t i = 0; i < used; ++i) name += "." + std::string(a.qualifiers[i].constant.as_text());
    std::string list;
    for (const std::string& candidate : environment_.candidates(name)) {
      if (environment_.find_variable(candidate))
        return resolve_variable(a, candidate, used, dst, units, observed);
      const Type* type = environment_.find_type_name(candidate);
      if (type && used == a.qualifiers.size()) {
        put({.op = Opcode::Const, .a = dst, .b = constant(Value::type(type->name()))});
        return charge(units);
      }
      list += (list.empty() ? "" : ", ") + candidate;
    }
    if (missing.empty()) missing = list;
  }
  put({.op = Opcode::Const, .a = dst, .b = error_constant("no such attribute(s): " + missing)});
  charge(units);
}

// Applies the qualifiers from number `from` on to `src`; the result goes to `dst`.
void Lowering::apply(const Attribute& a, size_t from, uint32_t src, uint32_t dst, int units,
                     uint8_t observed) {
  const auto& q = a.qualifiers;
  size_t count = q.size() - from;
  if (count == 0) {
    if (src != dst) put({.op = Opcode::Move, .a = dst, .b = src});
    return charge(units);
  }
  if (has_computed(a, from)) {
    if (src != dst) put({.op = Opcode::Move, .a = dst, .b = src});
    return apply_computed(a, from, dst, units, observed);
  }
  // Takes back, after the qualifiers, a unit that was never charged.
  if (units < 0) {
    apply(a, from, src, dst, 0, observed);
    return charge(units);
  }
  const Qualifier& first = q[from];
  if (count == 1 && !first.optional && first.constant.is(Kind::String)) {
    put({.op = first.test_only ? Opcode::HasField : Opcode::Field,
         .flags = observed,
         .n = static_cast<uint16_t>(units),
         .a = dst,
         .b = src,
         .c = key(first)});
    return;
  }
  uint32_t keys = key(first);
  for (size_t i = from + 1; i < q.size(); ++i) key(q[i]);
  uint8_t flags = static_cast<uint8_t>(observed | (units > 0 ? kCharged : 0));
  put({.op = Opcode::Access,
       .flags = flags,
       .n = static_cast<uint16_t>(count),
       .a = dst,
       .b = src,
       .c = keys});
}

void Lowering::apply_computed(const Attribute& a, size_t from, uint32_t dst, int units, uint8_t observed) {
  Label done;
  jump({.op = Opcode::Begin, .a = dst}, done);
  for (size_t i = from; i < a.qualifiers.size(); ++i) {
    const Qualifier& q = a.qualifiers[i];
    uint8_t flags = q.optional ? kOptional : uint8_t{0};
    if (!q.computed) {
      if (q.test_only) flags |= kPresence;
      jump({.op = Opcode::Qualify, .flags = flags, .a = dst, .c = key(q)}, done);
      continue;
    }
    uint32_t at = dst + 2;
    if (q.computed->kind == PlanKind::Attribute) {
      Attribute& index = *q.computed->attribute;
      resolve(index, at, 0, 0);
    } else {
      emit(*q.computed, at);
    }
    jump({.op = Opcode::QualifyBy, .flags = flags, .a = dst, .c = at}, done);
  }
  put({.op = Opcode::End, .a = dst});
  bind(done);
  if (observed) put({.op = Opcode::TestOnly, .a = dst});
  charge(units);
}

}  // namespace portcullis
