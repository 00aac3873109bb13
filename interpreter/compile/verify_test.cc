// Tests each opcode, by its row, at the limits of its registers, tables and flags.
#include "interpreter/compile/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "interpreter/values/value.h"

namespace portcullis {
namespace {

// A program with one instruction of `opcode`, and what must be behind it: some skip an instruction, others stand for
// those that follow. Its tables have one entry each, and there are as many registers as the operands need if each of
// them begins at register 0.
class OneInstruction {
 public:
  explicit OneInstruction(Opcode opcode) : row_(kOpcodes[static_cast<int>(opcode)]) {
    code_.paths = std::make_shared<PathTable>();
    uint32_t variable = code_.paths->variable("v");
    uint32_t path = code_.paths->child(variable, PathTable::kNone, "k");
    code_.keys.emplace_back();
    code_.checks.emplace_back();  // the end of a chain
    code_.calls.emplace_back();
    instruction_ = {.op = opcode, .n = kArguments};
    code_.calls[0].count = kArguments;
    bool text = row_.a == Operand::text || row_.b == Operand::text || row_.c == Operand::text;
    Arena& arena = code_.paths->constants();
    if (text)
      code_.constants.push_back(make_error(arena, "error"));
    else if (opcode == Opcode::In)
      code_.constants.push_back(Value::map(nullptr, 0));
    else
      code_.constants.push_back(Value::list(nullptr, 0));
    for (auto [kind, x] : operands()) {
      if (kind == Operand::path) *x = path;
      if (kind == Operand::variable) *x = variable;
      if (kind == Operand::keys || kind == Operand::checks) instruction_.n = 1;
      code_.registers = std::max(code_.registers, registers_of(kind, *x, instruction_).count);
    }
  }

  std::array<std::pair<Operand, uint32_t*>, 3> operands() {
    return {{{row_.a, &instruction_.a}, {row_.b, &instruction_.b}, {row_.c, &instruction_.c}}};
  }
  Instruction& instruction() { return instruction_; }
  Code& code() { return code_; }
  bool verifies() {
    code_.instructions = {instruction_};
    for (const ReadAndTest& row : kReadAndTest) {
      if (row.both != instruction_.op) continue;
      if (row.has_const()) code_.instructions.push_back({.op = Opcode::Const});
      code_.instructions.push_back({.op = row.test, .n = kArguments});
      code_.registers = std::max(code_.registers, uint32_t{kArguments});
    }
    code_.instructions.insert(code_.instructions.end(), 2, {.op = Opcode::Return});
    return verify(code_).ok();
  }

 private:
  static constexpr uint16_t kArguments = 3;
  const OpcodeRow& row_;
  Instruction instruction_;
  Code code_;
};

TEST(Verify, KnowsEveryRegisterOfEveryOpcode) {
  for (int op = 0; op < kOpcodeCount; ++op) {
    OneInstruction one(static_cast<Opcode>(op));
    one.code().registers = std::max(one.code().registers, 1u);  // the Return behind it reads one
    SCOPED_TRACE(kOpcodes[op].name);
    ASSERT_TRUE(one.verifies());
    for (auto [kind, x] : one.operands()) {
      Registers touched = registers_of(kind, *x, one.instruction());
      if (touched.count == 0) continue;
      *x = one.code().registers - touched.count;
      EXPECT_TRUE(one.verifies()) << "the last registers are its own";
      *x += 1;
      EXPECT_FALSE(one.verifies()) << "one register beyond the last";
      *x = UINT32_MAX;
      EXPECT_FALSE(one.verifies()) << "the sum does not wrap";
      *x = 0;
    }
  }
}

TEST(Verify, KnowsEveryTable) {
  for (int op = 0; op < kOpcodeCount; ++op) {
    OneInstruction one(static_cast<Opcode>(op));
    one.code().registers = std::max(one.code().registers, 1u);
    SCOPED_TRACE(kOpcodes[op].name);
    for (auto [kind, x] : one.operands()) {
      if (kind == Operand::none || kind == Operand::num || registers_of(kind, 0, one.instruction()).count > 0)
        continue;
      uint32_t was = *x;
      *x = 1000;
      EXPECT_FALSE(one.verifies()) << "an entry that is not there";
      *x = was;
    }
  }
}

TEST(Verify, TakesNoFlagWithoutAName) {
  for (int op = 0; op < kOpcodeCount; ++op) {
    OneInstruction one(static_cast<Opcode>(op));
    one.code().registers = std::max(one.code().registers, 1u);
    SCOPED_TRACE(kOpcodes[op].name);
    for (int bit = 0; bit < 8; ++bit) {
      uint8_t flag = static_cast<uint8_t>(1 << bit);
      bool named = std::ranges::any_of(flag_rows(), [&](const FlagRow& row) {
        return row.bit == flag && has_flag(row, static_cast<Opcode>(op));
      });
      one.instruction().flags = flag;
      EXPECT_EQ(one.verifies(), named) << "flag " << int{flag};
    }
  }
}

// A flag of an opcode that does not exist would never be checked.
TEST(Verify, EveryFlagIsOfOpcodes) {
  for (const FlagRow& flag : flag_rows()) {
    size_t words = 1 + static_cast<size_t>(std::ranges::count(flag.opcodes, ' ')), found = 0;
    for (int op = 0; op < kOpcodeCount; ++op) found += has_flag(flag, static_cast<Opcode>(op));
    EXPECT_EQ(found, words) << flag.name;
  }
}

TEST(Verify, KnowsTheChecksOfChains) {
  using enum Check::Kind;
  const auto verifies = [](std::vector<Check> checks) {
    OneInstruction one(Opcode::Chain);
    one.code().checks = std::move(checks);
    one.instruction().n = static_cast<uint16_t>(one.code().checks.size());
    return one.verifies();
  };
  const Check reads{.kind = Register, .read = 3}, end{};
  EXPECT_TRUE(verifies({reads, end}));
  EXPECT_TRUE(verifies({reads, {.kind = Range, .of = 3}, end}));
  EXPECT_FALSE(verifies({}));
  EXPECT_FALSE(verifies({reads})) << "no end";
  EXPECT_FALSE(verifies({end, end})) << "an end before the end";
  EXPECT_FALSE(verifies({{.at = 1000}})) << "an instruction that is not there";
  EXPECT_FALSE(verifies({{.kind = static_cast<Check::Kind>(100)}, end}));
  EXPECT_FALSE(verifies({{.kind = Register, .read = Check::kReads}, end}));
  for (const Check::Kind kind : {Variable, Path, Register, Field, Present, Absent, Equal, Starts, Ends}) {
    EXPECT_TRUE(verifies({reads, {.kind = kind, .of = 3}, end})) << static_cast<int>(kind);
    EXPECT_FALSE(verifies({reads, {.kind = kind, .of = 3, .operand = 1000}, end})) << static_cast<int>(kind);
  }
  for (const Check::Kind kind : {Field, Present, Absent, Range, Equal, Starts, Ends}) {
    EXPECT_FALSE(verifies({reads, {.kind = kind, .of = 2}, end}))
        << "has not been read: " << static_cast<int>(kind);
    EXPECT_FALSE(verifies({reads, {.kind = kind, .of = 200}, end})) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace portcullis
