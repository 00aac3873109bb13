#include "interpreter/run/vm.h"

#include "interpreter/run/machine.h"
#include "interpreter/values/nesting.h"

namespace portcullis {

Machine::Handler* const Machine::kHandlers[kOpcodeCount] = {
#define OPCODE(name, a, b, c, cost, sentence) &Machine::op_##name,
#include "interpreter/compile/opcodes.def"
};

void Machine::exceeded(const Instruction*, Value*, uint64_t cost, Machine& m) {
  m.pc_ = nullptr;
  m.outcome_ = {m.call_.error(Limits::kCostLimitText), cost, true};
}

void Machine::exceeded_by_unit(const Instruction* pc, Value* r, uint64_t, Machine& m) {
  exceeded(pc, r, m.limit_ + 1, m);
}

void Machine::aborted(const Instruction*, Value*, uint64_t cost, Machine& m) {
  m.pc_ = nullptr;
  m.outcome_ = {m.call_.error(Limits::kInterruptedText), cost, true};
}

OP(Return) {
  m.pc_ = nullptr;
  copy_fresh(m.outcome_.value, r[pc->a]);
  m.outcome_.cost = cost;
}

void Machine::run(Value* r) {
#if defined(__OPTIMIZE__)
  kHandlers[static_cast<int>(start_->op)](start_, r, 0, *this);
#else
  outcome_.cost = 0;
  for (pc_ = start_; pc_ != nullptr;) kHandlers[static_cast<int>(pc_->op)](pc_, r, outcome_.cost, *this);
#endif
}

// Looks at interrupt and deadline while a function compares values.
class Interrupt final : public Arena::Stop {
 public:
  Interrupt(Arena& arena, const Limits& limits) : Stop(arena), limits_(limits) {}
  bool wanted() const override { return is_interrupted(limits_); }

 private:
  const Limits& limits_;
};

// The levels of Nesting that stand for the stack of an evaluation, which a variable begins within another one.
static constexpr int kLevels = 10;

static bool may_stop(const Limits& limits) { return limits.interrupt != nullptr || limits.deadline; }

Outcome run(const Code& code, Activation& activation, Context::State& state, const Limits& limits,
            Watch* watch) {
  Outcome outcome;  // the only one that is returned, so the machine writes where the caller wants it
  static constexpr ErrorValue kInterrupted{Limits::kInterruptedText};
  activation.fit();
  const Arena::Bounds bounds(state.arena, limits.max_memory, limits.max_steps);
  std::optional<Interrupt> interrupt;
  if (may_stop(limits)) [[unlikely]] {
    if (is_interrupted(limits)) {
      outcome = {Value::error(&kInterrupted), 0, true};
      return outcome;
    }
    interrupt.emplace(state.arena, limits);
  }
  const size_t top = state.top;
  const auto cancel = [&](const ErrorValue& error) {
    outcome = {Value::error(&error), limits.cost_limit == Limits::kNoCostLimit ? 0 : limits.cost_limit + 1,
               true};
  };
  try {
    const Nesting level(kLevels);
    size_t need = code.registers;
    bool fits = top + need <= Context::State::kRegisters;
    Value* registers = fits ? &state.registers[top] : state.arena.array<Value>(need);
    if (fits) state.top += need;
    Machine(code, activation, state, limits, watch, outcome).run(registers);
  } catch (const NestedTooDeep&) {
    static constexpr ErrorValue kTooDeep{"evaluation is nested too deep"};
    cancel(kTooDeep);
  } catch (const std::bad_alloc&) {
    static constexpr ErrorValue kExceeded{"evaluation exceeds its bounds of memory or steps"};
    cancel(is_interrupted(limits) ? kInterrupted : kExceeded);
  }
  state.top = top;
  return outcome;
}

Outcome evaluate(const Program& program, Activation& activation, Context& context, const Limits& limits) {
  // A program that is a constant costs nothing and needs no machine.
  const Code& code = program.code();
  const Instruction* const first = code.instructions.data();
  if (first->op == Opcode::Const && first[1].op == Opcode::Return && !may_stop(limits))
    return {code.constants[first->b], 0, false};
  return run(code, activation, context.state(), limits, nullptr);
}

}  // namespace portcullis
