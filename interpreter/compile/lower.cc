#include "interpreter/compile/lower.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "grammar/parse.h"
#include "interpreter/compile/wellknown.h"
#include "interpreter/functions/cost.h"

namespace portcullis {

Lowering::Lowering(const PlanTree& tree, const Environment& environment, LowerOptions options, Code& code)
    : tree_(tree), environment_(environment), options_(options), code_(code), scope_(tree.scope_variables) {}

void Lowering::run() {
  emit(*tree_.root, 0);
  put({.op = Opcode::Return});
  emit_initializers();
  add_chains();
  fuse_tests();
}

// --- emitting instructions

size_t Lowering::put(Instruction i) {
  const OpcodeRow& row = kOpcodes[static_cast<int>(i.op)];
  for (auto [kind, x] : {std::pair{row.a, i.a}, {row.b, i.b}, {row.c, i.c}}) {
    Registers touched = registers_of(kind, x, i);
    if (touched.count > 0) code_.registers = std::max(code_.registers, touched.first + touched.count);
  }
  code_.instructions.push_back(i);
  return code_.instructions.size() - 1;
}

void Lowering::patch(size_t instruction, char operand, uint32_t target) {
  Instruction& i = code_.instructions[instruction];
  (operand == 'b' ? i.b : i.c) = target;
}

size_t Lowering::jump(Instruction i, Label& b) {
  size_t at = put(i);
  b.uses.push_back({at, 'b'});
  b.kept = std::min(b.kept, available_.size());
  if (b.target >= 0) patch(at, 'b', static_cast<uint32_t>(b.target));
  return at;
}

size_t Lowering::jump(Instruction i, Label& b, Label& c) {
  size_t at = jump(i, b);
  c.uses.push_back({at, 'c'});
  c.kept = std::min(c.kept, available_.size());
  return at;
}

void Lowering::bind(Label& label) {
  label.target = static_cast<int64_t>(code_.instructions.size());
  for (const Label::Use& use : label.uses)
    patch(use.instruction, use.operand, static_cast<uint32_t>(label.target));
  available_.resize(
      std::min(available_.size(), label.kept));  // what was emitted behind a jump may not have run
}

uint32_t Lowering::constant(const Value& v) {
  code_.constants.push_back(v);
  return static_cast<uint32_t>(code_.constants.size() - 1);
}

uint32_t Lowering::error_constant(const std::string& text) {
  return constant(make_error(code_.paths->constants(), text));
}

uint32_t Lowering::key(const Qualifier& q) {
  Key k;
  k.value = q.constant;
  k.optional = q.optional;
  k.test_only = q.test_only;
  code_.keys.push_back(k);
  return static_cast<uint32_t>(code_.keys.size() - 1);
}

uint32_t Lowering::call_site(const Plan& p) {
  CallSite site = make_call_site(p.function, p.overload, p.group, p.args.size(), environment_);
  site.id = p.id;
  site.varargs = p.varargs;
  site.regex = p.regex;
  if (site.regex != nullptr) site.cost.comes_first = false;  // compiled already; matching is linear
  if (p.args.size() == 2 && p.args[1]->kind == PlanKind::Constant) fix_cost(site, p.args[1]->constant);
  for (const Candidate& c : site.candidates) {
    if (c.row->flags & kLateBound) code_.pure = false;
  }
  code_.calls.push_back(std::move(site));
  return static_cast<uint32_t>(code_.calls.size() - 1);
}

namespace {
std::string_view equality_name(bool negated) { return negated ? operators::kNotEquals : operators::kEquals; }
}  // namespace

uint32_t Lowering::equality_site(bool negated) {
  std::optional<uint32_t>& number = equality_sites_[negated];
  if (number) return *number;
  const std::string_view name = equality_name(negated);
  const FunctionGroup* group = environment_.find_function(name);
  const Overload* overload = group && !group->overloads.empty() ? group->overloads[0] : nullptr;
  CallSite site = make_call_site(name, overload, group, 2, environment_);
  site.overload_id = negated ? "not_equals" : "equals";
  site.cost.actual = actual_comparison;
  code_.calls.push_back(std::move(site));
  number = static_cast<uint32_t>(code_.calls.size() - 1);
  return *number;
}

void Lowering::charge(int units) {
  if (units > 0) put({.op = Opcode::Charge, .n = static_cast<uint16_t>(units)});
  if (units < 0) put({.op = Opcode::Refund});
}

// --- nodes

void Lowering::emit(Plan& p, uint32_t dst) {
  emit_node(p, dst);
  if (options_.watch) put({.op = Opcode::Watch, .b = dst, .c = static_cast<uint32_t>(p.id)});
}

void Lowering::emit_node(Plan& p, uint32_t dst) {
  switch (p.kind) {
    case PlanKind::Constant: put({.op = Opcode::Const, .a = dst, .b = constant(p.constant)}); break;
    case PlanKind::Attribute: emit_attribute(p, dst); break;
    case PlanKind::Call: emit_call(p, dst); break;
    case PlanKind::Equal: emit_equal(p, dst); break;
    case PlanKind::And:
    case PlanKind::Or: emit_logic(p, dst); break;
    case PlanKind::List:
    case PlanKind::Map:
    case PlanKind::Struct: emit_aggregate(p, dst); break;
    case PlanKind::NativeField: emit_native_field(p, dst); break;
    case PlanKind::Fold: emit_fold(p, dst); break;
    case PlanKind::InSet:
      emit(*p.args[0], dst);
      put({.op = Opcode::In, .a = dst, .b = dst, .c = constant(p.constant)});
      break;
    case PlanKind::OrOptional:
    case PlanKind::OrValue: emit_or_optional(p, dst); break;
    case PlanKind::Block: emit_block(p, dst); break;
  }
}

// Emits arguments into dst, dst + 1, ... If the call stops at errors, an argument that is an error goes to
// `skip` with the error in dst; the call is then not charged.
void Lowering::emit_arguments(Plan& p, uint32_t dst, Label& skip) {
  for (size_t i = 0; i < p.args.size(); ++i) {
    uint32_t reg = dst + static_cast<uint32_t>(i);
    emit(*p.args[i], reg);
    const bool may_fail = p.args[i]->kind != PlanKind::Constant || p.args[i]->constant.is_error();
    if (p.varargs && i + 1 < p.args.size() && may_fail)
      jump({.op = Opcode::JumpFailed, .a = dst, .c = reg}, skip);
  }
}

namespace {
// The flags of Less for an operator; nothing for other functions.
std::optional<uint8_t> relation(std::string_view function) {
  if (function == operators::kLess) return uint8_t{0};
  if (function == operators::kLessEquals) return kOrEqual;
  if (function == operators::kGreater) return kGreater;
  if (function == operators::kGreaterEquals) return kGreater | kOrEqual;
  return std::nullopt;
}

// The opcode that calls a site, with its flags: one that does the usual case itself, or Call.
std::pair<Opcode, uint8_t> opcode_of(const CallSite& site) {
  const bool unit = site.cost.constant_one();
  if (site.count == 1 && site.function == operators::kLogicalNot && unit) return {Opcode::Not, 0};
  if (site.count != 2) return {Opcode::Call, 0};
  if (std::optional<uint8_t> order = relation(site.function))
    return {Opcode::Less, static_cast<uint8_t>(*order | (unit ? kUnit : 0))};
  if (unit && site.function == operators::kAdd) return {Opcode::Add, 0};
  if (unit && site.function == operators::kSubtract) return {Opcode::Subtract, 0};
  if (unit && site.function == operators::kMultiply) return {Opcode::Multiply, 0};
  if (site.overload_id == "starts_with_string" && site.cost.is_fixed) return {Opcode::StartsWith, 0};
  if (site.overload_id == "ends_with_string" && site.cost.is_fixed) return {Opcode::EndsWith, 0};
  return {Opcode::Call, 0};
}

}  // namespace

// The numbers of elements and arguments fit Instruction::n, since each takes two code points or more.
static_assert(ParseLimits().code_points / 2 <= UINT16_MAX);

void Lowering::emit_call(Plan& p, uint32_t dst) {
  Label skip;
  emit_arguments(p, dst, skip);
  uint32_t site = call_site(p);
  auto [opcode, flags] = opcode_of(code_.calls[site]);
  Instruction i{
      .op = opcode, .flags = flags, .n = static_cast<uint16_t>(p.args.size()), .a = dst, .b = dst, .c = site};
  if (opcode == Opcode::Not) i.n = 0, i.c = 0;
  put(i);
  bind(skip);
}

void Lowering::emit_equal(Plan& p, uint32_t dst) {
  uint8_t flags = p.negated ? kNegated : 0;
  code_.equality_costs[p.negated] = environment_.find_named_cost(equality_name(p.negated));
  emit(*p.args[0], dst);
  const Plan& right = *p.args[1];
  const Value& constant = right.constant;
  const bool is_usual = constant.is(Kind::String) || constant.is(Kind::Int) || constant.is(Kind::Bool);
  if (right.kind == PlanKind::Constant && is_usual && !options_.watch) {
    const Value both[2] = {constant, constant};
    const uint16_t n =
        static_cast<uint16_t>(std::min<uint64_t>(actual_comparison(both, 2, Value()), UINT16_MAX));
    put({.op = Opcode::EqualConst,
         .flags = flags,
         .n = n,
         .a = dst,
         .b = dst,
         .c = this->constant(constant)});
    return;
  }
  emit(*p.args[1], dst + 1);
  put({.op = Opcode::Equal, .flags = flags, .n = 2, .a = dst, .b = dst, .c = equality_site(p.negated)});
}

// The terms of a && b && c, however it is nested: neither the result nor what is evaluated depends on that. With a
// watch each node has a value of its own.
void Lowering::add_terms(Plan& p, PlanKind kind, std::vector<Plan*>& terms) {
  for (Plan* term : p.args) {
    if (term->kind == kind && !options_.watch)
      add_terms(*term, kind, terms);
    else
      terms.push_back(term);
  }
}

void Lowering::emit_logic(Plan& p, uint32_t dst) {
  const bool is_and = p.kind == PlanKind::And;
  std::vector<Plan*> terms;
  add_terms(p, p.kind, terms);
  Label end;
  emit(*terms[0], dst);
  jump({.op = is_and ? Opcode::JumpFalse : Opcode::JumpTrue, .a = dst}, end);
  for (size_t i = 1; i < terms.size(); ++i) {
    emit(*terms[i], dst + 1);
    const size_t at = put({.op = is_and ? Opcode::And : Opcode::Or, .a = dst, .b = dst + 1});
    end.uses.push_back({at, 'c'});
  }
  bind(end);
}

void Lowering::emit_or_optional(Plan& p, uint32_t dst) {
  Label end;
  emit(*p.args[0], dst);
  uint8_t flags = p.kind == PlanKind::OrValue ? kOrValue : 0;
  jump({.op = Opcode::OptionalOr, .flags = flags, .a = dst}, end);
  emit(*p.args[1], dst);
  bind(end);
}

// --- lists, maps, structs

// The description of a literal. List and Map with optional parts: a list of bools. Struct: [form, list of
// bools or null, field...].
uint32_t Lowering::aggregate_description(const Plan& p) {
  Arena& arena = code_.paths->constants();
  Value* optionals = arena.array<Value>(p.optionals.size());
  for (size_t i = 0; i < p.optionals.size(); ++i) optionals[i] = Value::boolean(p.optionals[i]);
  Value list = Value::list(optionals, p.optionals.size());
  if (p.kind != PlanKind::Struct) return constant(list);
  Value* parts = arena.array<Value>(p.fields.size() + 2);
  const StructForm* form = environment_.find_form(p.type_name);
  parts[0] = Value::opaque(form != nullptr ? form : literal_form(p.type_name, arena));
  parts[1] = list;
  for (size_t i = 0; i < p.fields.size(); ++i) parts[i + 2] = Value::string(p.fields[i]);
  return constant(Value::list(parts, p.fields.size() + 2));
}

// Emits the check of an optional part. Parts behind one that is no optional are not evaluated.
void Lowering::emit_optional_check(const Plan& p, size_t i, uint32_t reg) {
  Instruction check{.op = Opcode::CheckOptional, .a = reg, .b = reg, .c = constant(Value::null())};
  if (p.kind == PlanKind::Map) {
    check.flags = kEntry;
    check.b = reg - 1;
  } else if (p.kind == PlanKind::Struct) {
    check.flags = kField;
    check.c = constant(Value::string(p.fields[i]));
  }
  put(check);
}

void Lowering::emit_aggregate(Plan& p, uint32_t dst) {
  constexpr int kCosts[] = {kListCreateCost, kMapCreateCost, kStructCreateCost};
  int cost = kCosts[p.kind == PlanKind::List ? 0 : p.kind == PlanKind::Map ? 1 : 2];
  Label failed, end;
  for (size_t i = 0; i < p.args.size(); ++i) {
    uint32_t reg = dst + static_cast<uint32_t>(i);
    emit(*p.args[i], reg);
    bool constant = p.args[i]->kind == PlanKind::Constant && !p.args[i]->constant.is_error();
    if (!constant) jump({.op = Opcode::JumpFailed, .a = dst, .c = reg}, failed);
    bool value = p.kind != PlanKind::Map || i % 2 == 1;
    bool is_optional = value && !p.optionals.empty() && p.optionals[p.kind == PlanKind::Map ? i / 2 : i];
    if (is_optional) {
      emit_optional_check(p, i, reg);
      jump({.op = Opcode::JumpFailed, .a = dst, .c = reg}, failed);
    }
  }
  Instruction make{.op = Opcode::List, .n = static_cast<uint16_t>(p.args.size()), .a = dst, .b = dst};
  bool optional = !p.optionals.empty();
  if (p.kind == PlanKind::List && optional) make.op = Opcode::ListOptional;
  if (p.kind == PlanKind::Map) make.op = optional ? Opcode::MapOptional : Opcode::Map;
  if (p.kind == PlanKind::Struct) make.op = Opcode::Struct;
  if (optional || p.kind == PlanKind::Struct) make.c = aggregate_description(p);
  put(make);
  if (failed.uses.empty()) return;
  jump({.op = Opcode::Jump}, end);
  bind(failed);
  put({.op = Opcode::Charge,
       .flags = kLump,
       .n = static_cast<uint16_t>(cost)});  // charged in one step, like a finished container
  bind(end);
}

// Emits the initializers of lazily bound variables, as subroutines. One may call others, but never itself.
// Each has registers of its own, because it runs in the middle of other code.
void Lowering::emit_initializers() {
  while (!queue_.empty()) {
    uint32_t number = queue_.back();
    queue_.pop_back();
    available_.clear();
    uint32_t base = code_.registers;
    bind(scope_[number].entry);
    emit(*scope_[number].init, base);
    uint8_t flags = scope_[number].accumulator ? kOfAccumulator : uint8_t{0};
    put({.op = Opcode::LazyReturn, .flags = flags, .a = scope_[number].reg, .b = base});
  }
}

void lower(const PlanTree& tree, const Environment& environment, LowerOptions options, Code& code) {
  Lowering(tree, environment, options, code).run();
}

}  // namespace portcullis
