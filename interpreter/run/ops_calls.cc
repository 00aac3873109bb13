// Opcodes of comparisons and calls.
#include "interpreter/run/machine.h"

#include "interpreter/functions/cost.h"
#include "interpreter/values/compare.h"
#include "interpreter/values/equal.h"
#include "interpreter/values/map.h"

namespace portcullis {

// The first argument that is an error or unknown, or null.
static const Value* first_failure(const Value* args, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (failed(args[i])) return &args[i];
  }
  return nullptr;
}

// Whether the arguments have the kinds of the site's fast_kinds, so that its fast_call may run.
static inline bool kinds_fit(const CallSite& site, const Value* args) {
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
static bool fast_order(const Value& a, const Value& b, uint8_t flags, Value& out) {
  Order o = compare(a, b);
  if (o == Order::None || o == Order::NaN) return false;
  bool less = o == Order::Less, same = o == Order::Equal;
  bool first = flags & kGreater ? !less && !same : less;
  bool yes = first || (same && (flags & kOrEqual));
  out = Value::boolean(yes);
  return true;
}

// Compares two values. Returns the cost.
SLOW uint64_t Machine::equal_and_cost(const Value* args, bool negated, Value& out) {
  const Value result = equality(args, negated);
  uint64_t charged = 0;
  const NamedCost* named = args[0].is(Kind::Opaque) ? code_.equality_costs[negated] : nullptr;
  if (named == nullptr || named->actual == nullptr ||
      !named->actual(negated ? "not_equals" : "equals", args, 2, result, charged))
    charged = actual_comparison(args, 2, result);
  out = result;
  return charged;
}

OP(Equal) {
  LUMP(m.equal_and_cost(&r[pc->b], pc->flags & kNegated, r[pc->a]));
  NEXT();
}

OP(EqualConst) {
  uint64_t charged = 0;
  const Same same = equals_at_once(r[pc->b], m.code_.constants[pc->c], pc->n, charged);
  if (same == Same::Unsure) TAIL_CALL(equal_slowly)(pc, r, cost, m);
  LUMP(charged);
  TEST_RESULT((same == Same::Yes) != ((pc->flags & kNegated) != 0), 1);
}

// The same for all values.
SLOW uint64_t Machine::equal_to_constant(const Instruction& i, const Value& value, Value& out) {
  const Value args[2] = {value, code_.constants[i.c]};
  return equal_and_cost(args, i.flags & kNegated, out);
}

void Machine::equal_slowly(const Instruction* pc, Value* r, uint64_t cost, Machine& m) {
  LUMP(m.equal_to_constant(*pc, r[pc->b], r[pc->a]));
  NEXT();
}

OP(In) {
  const Value& v = r[pc->b];
  if (!failed(v))
    r[pc->a] = Value::boolean(find_same_key(m.code_.constants[pc->c], v) != nullptr);
  else
    r[pc->a] = v;
  NEXT();
}

// Calls a function. Returns the cost; if it exceeds the limit, the function may not have run.
SLOW uint64_t Machine::call(const CallSite& site, const Value* args, uint64_t cost, Value& out) {
  if (site.cost.comes_first) [[unlikely]] {
    const uint64_t least = call_cost(site, args, Value::string({}));
    if (least > limit_ - cost) return least;
  }
  Value result;
  if (site.fast_call && kinds_fit(site, args)) [[likely]] {
    call_.constant_regex = site.regex;
    result = site.fast_call(call_, args, site.count);
  } else {
    result = call(site, args);
  }
  const uint64_t charged = site.cost.is_fixed         ? site.cost.fixed
                           : site.cost.constant_one() ? 1
                                                      : call_cost(site, args, result);
  out = result;
  return charged;
}

OP(Call) {
  LUMP(m.call(m.code_.calls[pc->c], &r[pc->b], cost, r[pc->a]));
  NEXT();
}

OP(Less) {
  const Value* args = &r[pc->b];
  if (!args[0].is(Kind::Int) || !args[1].is(Kind::Int) || !(pc->flags & kUnit))
    TAIL_CALL(compare_slowly)(pc, r, cost, m);
  LUMP(1);
  TEST_RESULT(has_order(pc->flags, args[0].as_int(), args[1].as_int()), 1);
}

SLOW uint64_t Machine::compare(const Instruction& i, const Value* args, Value& out) {
  const CallSite& site = code_.calls[i.c];
  Value result;
  if (!fast_order(args[0], args[1], i.flags, result)) result = call(site, args);
  const uint64_t charged = site.cost.constant_one() ? 1 : call_cost(site, args, result);
  out = result;
  return charged;
}

void Machine::compare_slowly(const Instruction* pc, Value* r, uint64_t cost, Machine& m) {
  LUMP(m.compare(*pc, &r[pc->b], r[pc->a]));
  NEXT();
}

// Arithmetic of ints; everything else is a call.
#define ARITHMETIC(name, builtin)                                          \
  OP(name) {                                                               \
    const Value* args = &r[pc->b];                                         \
    int64_t result;                                                        \
    if (!args[0].is(Kind::Int) || !args[1].is(Kind::Int) ||                \
        builtin(args[0].as_int(), args[1].as_int(), &result)) [[unlikely]] \
      TAIL_CALL(op_Call)(pc, r, cost, m);                                  \
    r[pc->a] = Value::integer(result);                                     \
    LUMP(1);                                                               \
    NEXT();                                                                \
  }
ARITHMETIC(Add, __builtin_add_overflow)
ARITHMETIC(Subtract, __builtin_sub_overflow)
ARITHMETIC(Multiply, __builtin_mul_overflow)

// startsWith and endsWith of texts.
#define AFFIX(name, offset)                                                                         \
  OP(name) {                                                                                        \
    const Value* args = &r[pc->b];                                                                  \
    const CallSite& site = m.code_.calls[pc->c];                                                    \
    if (!args[0].is(Kind::String) || !args[1].is(Kind::String)) TAIL_CALL(op_Call)(pc, r, cost, m); \
    const bool longer = args[0].size() >= args[1].size();                                           \
    LUMP(site.cost.fixed);                                                                          \
    TEST_RESULT(longer&& same_bytes(args[0].as_text().data() + (offset), args[1].as_text()), 1);    \
  }
AFFIX(StartsWith, 0)
AFFIX(EndsWith, args[0].size() - args[1].size())

}  // namespace portcullis
