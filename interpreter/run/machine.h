// The machine: the state of one evaluation, and the functions that run its instructions.
//
// Idea: each opcode is a function that ends with a call of the next one (a tail call, so nothing returns until the
// evaluation ends). Its four parameters stay in processor registers from instruction to instruction: the
// instruction, the value registers, the cost so far, the machine. A function does the usual case itself and leaves
// the rest to functions that are not inlined, so that the usual case needs no stack. The opcodes are grouped by
// file: ops_values.cc, ops_attributes.cc, ops_logic.cc, ops_calls.cc, ops_loops.cc, ops_fused.cc, ops_chain.cc.
// Limits: without optimisation the compiler makes no tail calls; then run() calls one instruction after the other.
// Tested by interpreter/run/cel_test.cc, tests/language.
#pragma once

#include "interpreter/run/vm.h"

namespace portcullis {

// Whether the value is an error or an unknown.
inline bool failed(const Value& v) { return v.kind() >= Kind::Unknown; }

// What an opcode leaves to a function of its own, so that its usual case needs no stack.
#define SLOW [[gnu::noinline]]

// Equality of two texts with equal heads, without a call; Unsure if they are long.
enum class Same : uint8_t { No, Yes, Unsure };
[[gnu::always_inline]] inline Same same_short_rest(const Value& a, const Value& b) {
  const size_t n = a.size();
  if (n <= 3) return Same::Yes;
  const char* p = a.as_text().data();
  const char* q = b.as_text().data();
  if (n <= 8) {
    uint32_t x, y, v, w;
    std::memcpy(&x, p, 4), std::memcpy(&y, q, 4);
    std::memcpy(&v, p + n - 4, 4), std::memcpy(&w, q + n - 4, 4);
    return ((x ^ y) | (v ^ w)) == 0 ? Same::Yes : Same::No;
  }
  if (n > 16) [[unlikely]]
    return Same::Unsure;
  uint64_t x, y, v, w;
  std::memcpy(&x, p, 8), std::memcpy(&y, q, 8);
  std::memcpy(&v, p + n - 8, 8), std::memcpy(&w, q + n - 8, 8);
  return ((x ^ y) | (v ^ w)) == 0 ? Same::Yes : Same::No;
}

// Whether a value equals the constant of an EqualConst, a text, int or bool. `itself` is the cost of comparing the
// constant with itself; what comparing costs is added to `cost`. Unsure: the value is of another kind, or a text is
// long.
[[gnu::always_inline]] inline Same equals_at_once(const Value& value, const Value& constant, uint16_t itself,
                                                  uint64_t& cost) {
  const uint64_t head = value.raw_head();
  Same same = Same::No;
  if (head != constant.raw_head()) {
    if (value.kind() != constant.kind()) return Same::Unsure;
  } else if (value.is(Kind::String)) {
    same = same_short_rest(value, constant);
  } else {
    same = value.raw_payload() == constant.raw_payload() ? Same::Yes : Same::No;
  }
  // The cost depends on the shorter text. If that of the constant is at most 1, the other one decides between 0 and 1.
  if (itself > 1) return Same::Unsure;
  cost += head == Value::string({}).raw_head() ? 0 : itself;
  return same;
}

// Compares two ints as the flags of a Less say.
[[gnu::always_inline]] inline bool has_order(uint8_t flags, int64_t x, int64_t y) {
  return (flags & kGreater ? x > y : x < y) || ((flags & kOrEqual) && x == y);
}

// Whether `text` stands at `at`.
[[gnu::always_inline]] inline bool same_bytes(const char* at, std::string_view text) {
  const size_t n = text.size();
  const char* p = text.data();
  uint64_t x, y;
  if (n < 8) {
    for (size_t i = 0; i < n; ++i) {
      if (p[i] != at[i]) return false;
    }
    return true;
  }
  for (size_t i = 0; i + 8 < n; i += 8) {
    std::memcpy(&x, p + i, 8), std::memcpy(&y, at + i, 8);
    if (x != y) return false;
  }
  std::memcpy(&x, p + n - 8, 8), std::memcpy(&y, at + n - 8, 8);
  return x == y;
}

// The value of a string key at the position where it was found last; null: look for it.
[[gnu::always_inline]] inline const Value* at_hint(const Value& map, const Value& key,
                                                   const std::atomic<uint32_t>& hint) {
  const uint32_t at = hint.load(std::memory_order_relaxed);
  if (at >= map.size()) return nullptr;
  const MapEntry& entry = map.as_map().data()[at];
  const bool found = entry.key.raw_head() == key.raw_head() && same_short_rest(entry.key, key) == Same::Yes;
  return found ? &entry.value : nullptr;
}

// Looks for a string key in a map, and remembers its position.
const Value* find_slowly(const Value& map, const Value& key, std::atomic<uint32_t>& shared);

// Finds a string key in a map; `hint` is that of find_text_key, for all threads.
[[gnu::always_inline]] inline const Value* find_hinted(const Value& map, const Value& key,
                                                       std::atomic<uint32_t>& hint) {
  const Value* found = at_hint(map, key, hint);
  return found != nullptr ? found : find_slowly(map, key, hint);
}

// Copies a value that an instruction may have written just before, word by word: a load of all its 16 bytes would wait
// until both stores have left the processor. The copy is written at once, so its readers do not wait.
[[gnu::always_inline]] inline void copy_fresh(Value& to, const Value& from) {
  uint64_t head = from.raw_head(), payload = from.raw_payload();
  asm("" : "+r"(head), "+r"(payload));  // keeps the compiler from one load
  using Words [[gnu::vector_size(sizeof(Value))]] = uint64_t;
  const Words words = {head, payload};
  std::memcpy(static_cast<void*>(&to), &words, sizeof words);
}

// Whether the interrupt is set or the deadline has passed.
bool is_interrupted(const Limits& limits);

class Machine {
 public:
  Machine(const Code& code, Activation& activation, Context::State& state, const Limits& limits, Watch* watch,
          Outcome& outcome)
      : code_(code),
        start_(code.instructions.data()),
        limit_(limits.cost_limit),
        activation_(activation),
        arena_(state.arena),
        call_(state.arena, state.regexes),
        limits_(limits),
        watch_(watch),
        outcome_(outcome) {}
  // Runs the program; `outcome` gets the result. `r` are the registers.
  void run(Value* r);

 private:
  using Slot = Activation::Slot;
  using Handler = void(const Instruction* pc, Value* r, uint64_t cost, Machine& m);

#define OPCODE(name, a, b, c, cost, sentence) static Handler op_##name;
#include "interpreter/compile/opcodes.def"
  static Handler exceeded_by_unit, exceeded, aborted;
  // The unusual cases of the opcodes of these names.
  static Handler no_variable, fill_path, read_path, has_path, read_field, has_field, access, keep,
      read_kept_field, has_kept_field, next_element, compare_slowly, equal_slowly, combine;
  static Handler* const kHandlers[kOpcodeCount];

  // ops_attributes.cc
  Value missing_variable(uint32_t variable);
  const Slot& path(uint32_t node) {
    Slot& slot = activation_.slot(node);
    if (activation_.filled(slot)) [[likely]]
      return slot;
    return fill(node);
  }
  const Slot& fill(uint32_t number);
  const Slot& fill_slowly(uint32_t number);
  const Slot& fill_unset(uint32_t number);
  Value container(const Slot& slot, uint32_t node);
  uint64_t has(const Value& object, const Instruction& i, Value& out);
  uint64_t qualify(const Value& base, const Instruction& i, size_t count, Value& out);
  struct Qualified;
  Qualified take_constant(Value* attribute, const Instruction& i);
  Qualified take_computed(Value* attribute, const Value& index, bool is_optional);
  Value native_field(const Value& object, const Key& key);

  // ops_logic.cc
  Value logic(const Value& a, const Value& b, bool decisive);
  Value either(const UnknownValue& a, const UnknownValue& b);
  Value as_predicate(const Value& v);

  // ops_calls.cc
  Value call(const CallSite& site, const Value* args);
  uint64_t call(const CallSite& site, const Value* args, uint64_t cost, Value& out);
  Value equality(const Value* args, bool negated);
  uint64_t equal_to_constant(const Instruction& i, const Value& value, Value& out);
  uint64_t compare(const Instruction& i, const Value* args, Value& out);
  uint64_t equal_and_cost(const Value* args, bool negated, Value& out);

  // ops_loops.cc
  bool begin_range(Value& range, bool two);
  void load(Value* range, int64_t position, Value* element, bool two);
  void load_hidden(const MapEntry& entry, Value* element, bool two);
  template <bool decisive>
  static Handler quantifier_step;
  template <bool decisive>
  static Handler quantifier_step_slowly;

  const Code& code_;
  const Instruction* const start_;
  const uint64_t limit_;
  Activation& activation_;
  Arena& arena_;
  CallContext call_;
  const Limits& limits_;
  Watch* const watch_;
  uint32_t countdown_ = Limits::kCheckFrequency;  // iterations until the next check for an interrupt
  const Instruction* pc_ = nullptr;               // without tail calls: the next instruction; null: the end
  Outcome& outcome_;
};

// The function of an opcode.
#define OP(name) void Machine::op_##name(const Instruction* pc, Value* r, uint64_t cost, Machine& m)

#if !defined(__OPTIMIZE__)
#define CONTINUE_AT(to)     \
  do {                      \
    m.pc_ = (to);           \
    m.outcome_.cost = cost; \
    return;                 \
  } while (0)
#define TAIL_CALL(function) return function
#else
#if defined(__clang__)
#define TAIL_CALL(function) [[clang::musttail]] return function
#else
#define TAIL_CALL(function) return function
#endif
#define CONTINUE_AT(to)                                                       \
  do {                                                                        \
    const Instruction* const next_pc = (to);                                  \
    TAIL_CALL(kHandlers[static_cast<int>(next_pc->op)])(next_pc, r, cost, m); \
  } while (0)
#endif
// Continues with the next instruction, or with instruction number `target`.
#define NEXT() CONTINUE_AT(pc + 1)
#define GO(target) CONTINUE_AT(m.start_ + (target))

// Ends an opcode whose result in register a is a bool, and continues `length` instructions further. If the instruction
// there is the only reader of that register (a Branch, or an And whose left operand is true), it is executed here,
// and the register is not written.
#define TEST_RESULT(result, length)                             \
  do {                                                          \
    const bool passes = (result);                               \
    const Instruction* const then = pc + (length);              \
    if (then->op == Opcode::And && r[then->a].is(Kind::Bool)) { \
      if (passes) CONTINUE_AT(then + 1);                        \
      r[then->a] = Value::boolean(false);                       \
      GO(then->c);                                              \
    }                                                           \
    if (then->op == Opcode::Branch && then->a == pc->a) {       \
      if (passes) CONTINUE_AT(then + 1);                        \
      GO(then->b);                                              \
    }                                                           \
    r[pc->a] = Value::boolean(passes);                          \
    CONTINUE_AT(then);                                          \
  } while (0)

// Charges k steps of one unit each: if the limit is exceeded, the cost is limit + 1.
#define UNITS(k)                                   \
  do {                                             \
    cost += (k);                                   \
    if (cost > m.limit_) [[unlikely]]              \
      TAIL_CALL(exceeded_by_unit)(pc, r, cost, m); \
  } while (0)
// Charges k units in one step.
#define LUMP(k)                            \
  do {                                     \
    cost += (k);                           \
    if (cost > m.limit_) [[unlikely]]      \
      TAIL_CALL(exceeded)(pc, r, cost, m); \
  } while (0)

}  // namespace portcullis
