// Bytecode: the instructions and tables of a program.
//
// Representation: a flat array of 16-byte instructions over registers, and tables beside it for constants,
// call sites, keys and paths. Registers hold Values; the variables of a comprehension have registers below
// the temporaries of its body. Jump targets are absolute. opcodes.def describes each instruction and the
// machine as a whole; verify.h states what is guaranteed.
// Tested by interpreter/compile/verify_test.cc, fuzz/expression.cc.
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

// clang-format off
#define OPERANDS(X)                                                                                       \
  X(none) X(dst) X(src) X(args) X(two) X(element) X(loop) X(constant) X(path) X(key) X(keys) X(call)      \
  X(jump) X(variable) X(text) X(num) X(checks)
// clang-format on
enum class Operand : uint8_t {
#define X(name) name,
  OPERANDS(X)
#undef X
};

struct OpcodeRow {
  std::string_view name;
  Operand a, b, c;
  std::string_view cost;
  std::string_view sentence;
};
// The rows of opcodes.def, by opcode.
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

// The flags of instructions: kLump, kTwo and so on.
#define FLAG(name, bit, opcodes, sentence) inline constexpr uint8_t k##name = bit;
#include "interpreter/compile/opcodes.def"

struct FlagRow {
  std::string_view name;
  uint8_t bit;
  std::string_view opcodes;  // the opcodes that have it, separated by spaces
  std::string_view sentence;
};
struct MachineNote {
  std::string_view title, text;
};
// The FLAG and NOTE rows of opcodes.def.
std::span<const FlagRow> flag_rows();
std::span<const MachineNote> machine_notes();
// Whether the flag exists for instructions of `opcode`.
bool has_flag(const FlagRow& flag, Opcode opcode);

// An opcode that reads a value and tests it at once, and the instructions behind it that it stands for: `test`, and
// before it the Const with its second operand, unless that is part of the test.
struct ReadAndTest {
  Opcode both, read, test;
  constexpr bool has_const() const { return test != Opcode::EqualConst; }
};
inline constexpr ReadAndTest kReadAndTest[] = {
#define FUSED(read, suffix, test, a, b, c, cost, sentence) {Opcode::read##suffix, Opcode::read, Opcode::test},
#include "interpreter/compile/opcodes.def"
};

// Whether the instruction may skip the next one.
constexpr bool skips_next(Opcode op) {
  return op == Opcode::Kept || op == Opcode::HasKept || op == Opcode::KeptField || op == Opcode::HasKeptField;
}

// A step of a Chain: it reads a value, or checks one that was read. If the value is not as it should be, the chain
// ends.
struct Check {
  enum class Kind : uint8_t {
    Variable,  // reads variable `operand`
    Path,      // reads the value of path `operand`, which has `low` keys
    Register,  // reads register `operand`
    Field,     // reads key `operand` of `of`
    Present,   // map `of` has key `operand`
    Absent,    // it has not
    Range,  // `of`, a bool, an int or the head of a text, is at least `low`, and no more than `width` above; both wrap
    Equal,   // text `of` is constant `operand`
    Starts,  // text `of` starts with constant `operand` (low: 1), or does not (0)
    Ends,    // likewise
    End,     // the end of the chain
  };
  static constexpr uint8_t kReads = 8;  // values that a chain may read

  Kind kind = Kind::End;
  uint8_t read = 0;  // the number of what it reads
  uint8_t of = 0;    // the number of what it checks, or takes the key from
  portcullis::Kind wanted = portcullis::Kind::
      Unknown;  // of what it reads: a bool, int or text that is not empty; Unknown: anything
  uint32_t operand = 0;
  uint32_t at = 0;    // where its term begins; of End: what comes behind the chain
  uint32_t cost = 0;  // of the terms before
  uint64_t low = 0, width = 0;
};
static_assert(sizeof(Check) == 32);

// The registers of a comprehension, counted from its first one; behind them what is kept in an iteration, then
// temporaries.
enum LoopRegister : uint32_t {
  kRange,
  kPosition,
  kResult,  // of a comprehension that is not fused: the accumulator, and with it the next register
  kCount,
  kElement,
  kSecond,  // the second element
  kLoopRegisters,
};

// The registers that an operand refers to: `count` from `first` on; none if the operand is not a register.
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
    case Operand::loop: return {x, kLoopRegisters};
    default: return {};
  }
}

enum class Loop : uint8_t { All, Exists, ExistsOne, Map };

// A constant qualifier.
struct Key {
  Value value;
  bool optional = false;
  bool test_only = false;
  mutable std::atomic<uint32_t> hint{0};  // index of the entry where a map had the key last

  Key() = default;
  Key(const Key& o) : value(o.value), optional(o.optional), test_only(o.test_only), hint(o.hint.load()) {}
};

// The immutable content of a Program.
struct Code {
  std::vector<Instruction> instructions;
  std::vector<Value> constants;
  std::vector<CallSite> calls;
  std::vector<Key> keys;
  std::vector<Check> checks;
  std::vector<uint32_t> reads;  // the activation's variables that it reads
  uint32_t registers = 0;
  bool pure = true;                         // calls no late-bound function
  const NamedCost* equality_costs[2] = {};  // of == and !=, for opaque values; null: as for others
  std::shared_ptr<PathTable> paths;         // also has the memory of the constants
  std::vector<std::unique_ptr<Regex>> regexes;
};

}  // namespace portcullis
