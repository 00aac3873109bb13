// Bytecode: what a program is made of.
//
// Representation: a flat array of 16-byte instructions over registers, with side tables for constants, call
// sites, keys and paths. Registers hold Values; locals of comprehensions live in registers below the
// temporaries of their body. Jumps are absolute. The rows of opcodes.def say what each instruction does;
// verify.h says what is guaranteed. Tested by fuzz/expression.cc.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "interpreter/compile/plan.h"
#include "interpreter/functions/dispatch.h"
#include "interpreter/functions/regex.h"
#include "interpreter/values/paths.h"
#include "interpreter/values/value.h"

namespace portcullis {

enum class Opcode : uint8_t {
#define OPCODE(name, a, b, c, cost, sentence) name,
#include "interpreter/compile/opcodes.def"
};
#define OPCODE(name, a, b, c, cost, sentence) +1
inline constexpr int kOpcodeCount = 0
#include "interpreter/compile/opcodes.def"
    ;

enum class Operand : uint8_t {
  none,
  dst,
  src,
  args,
  two,
  element,
  loop,
  constant,
  path,
  key,
  keys,
  call,
  jump,
  variable,
  text,
  num,
};

struct OpcodeRow {
  std::string_view name;
  Operand a, b, c;
  std::string_view cost;
  std::string_view sentence;
};
// The rows, by opcode.
extern const OpcodeRow kOpcodes[kOpcodeCount];

struct Instruction {
  Opcode op;
  uint8_t flags = 0;
  uint16_t n = 0;
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
};
static_assert(sizeof(Instruction) == 16);

// Flags of instructions: kLump, kTwo and so on.
#define FLAG(name, bit, opcodes, sentence) inline constexpr uint8_t k##name = bit;
#include "interpreter/compile/opcodes.def"

struct FlagRow {
  std::string_view name;
  uint8_t bit;
  std::string_view opcodes;  // those that have it, separated by spaces
  std::string_view sentence;
};
struct MachineNote {
  std::string_view title, text;
};
// What opcodes.def says of flags, and of the machine as a whole.
std::span<const FlagRow> flag_rows();
std::span<const MachineNote> machine_notes();
// Whether instructions of `opcode` have the flag of the row.
bool has_flag(const FlagRow& flag, Opcode opcode);

// The registers that an operand stands for: `count` from `first` on; none for operands that are no registers.
struct Registers {
  uint32_t first = 0, count = 0;
};
constexpr Registers registers_of(Operand kind, uint32_t x, const Instruction& i) {
  switch (kind) {
    case Operand::dst:
    case Operand::src: return {x, 1};
    case Operand::args: return {x, i.n};
    case Operand::two:
    case Operand::element: return {x, 2};
    case Operand::loop: return {x, 6};
    default: return {};
  }
}

enum class Loop : uint8_t { All, Exists, ExistsOne, Map };

// A constant qualifier.
struct Key {
  Value value;
  bool optional = false;
  bool test_only = false;
  mutable std::atomic<uint32_t> hint{0};  // where a map had it last

  Key() = default;
  Key(const Key& o) : value(o.value), optional(o.optional), test_only(o.test_only), hint(o.hint.load()) {}
};

// The immutable inside of a Program.
struct Code {
  std::vector<Instruction> instructions;
  std::vector<Value> constants;
  std::vector<CallSite> calls;
  std::vector<Key> keys;
  std::vector<uint32_t> reads;  // variables of the activation
  uint32_t registers = 0;
  bool pure = true;  // calls nothing late-bound
  bool presence_test_cost = true;
  uint32_t equal_call = 0;  // call sites of == and !=
  uint32_t not_equal_call = 0;
  uint32_t memo = PathTable::kNone;
  std::shared_ptr<PathTable> paths;
  PlanConstants owned;  // memory of constants
};

}  // namespace portcullis
