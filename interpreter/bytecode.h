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
#include <string_view>
#include <vector>

#include "interpreter/dispatch.h"
#include "interpreter/paths.h"
#include "interpreter/plan.h"
#include "interpreter/regex.h"
#include "interpreter/value.h"

namespace portcullis {

enum class Opcode : uint8_t {
#define OPCODE(name, a, b, c, cost, sentence) name,
#include "interpreter/opcodes.def"
#undef OPCODE
};
#define OPCODE(name, a, b, c, cost, sentence) +1
inline constexpr int kOpcodeCount = 0
#include "interpreter/opcodes.def"
    ;
#undef OPCODE

enum class Operand : uint8_t {
  none,
  dst,
  src,
  args,
  two,
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

// Flags.
inline constexpr uint8_t kNegated = 1;   // Equal, EqualConst: !=
inline constexpr uint8_t kTwo = 1;       // FoldBegin, FoldNext, LoopBegin, LoopNext: two iteration variables
inline constexpr uint8_t kOptional = 1;  // Qualify, QualifyBy
inline constexpr uint8_t kEntry = 1;     // CheckOptional: the value of an entry of a map
inline constexpr uint8_t kField = 2;     // CheckOptional: the value of a field of a struct
inline constexpr uint8_t kOfAccumulator = 1;  // LazyReturn: of a comprehension
inline constexpr uint8_t kPresence = 4;       // Qualify: the last qualifier of has()

inline constexpr uint8_t kInner = 1;    // Path: qualifiers follow
inline constexpr uint8_t kCharged = 1;  // Access: the attribute itself costs 1
// Access, HasPath, HasField: has() that is a value of its own, so a bool.
inline constexpr uint8_t kObserved = 8;

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
