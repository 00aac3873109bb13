#include "interpreter/compile/verify.h"

#include <string>

namespace portcullis {
namespace {

class Verifier {
 public:
  explicit Verifier(const Code& code) : code_(code) {}

  Result<void> run() {
    if (code_.instructions.empty()) return Error{"empty program"};
    for (at_ = 0; at_ < code_.instructions.size(); ++at_) {
      const Instruction& i = code_.instructions[at_];
      if (static_cast<int>(i.op) >= kOpcodeCount) return bad("opcode");
      const OpcodeRow& row = kOpcodes[static_cast<int>(i.op)];
      if (!operand(row.a, i.a, i) || !operand(row.b, i.b, i) || !operand(row.c, i.c, i)) return bad(row.name);
      if (!flags(i) || !shape(i)) return bad(row.name);
    }
    Opcode last = code_.instructions.back().op;
    if (last != Opcode::Return && last != Opcode::Jump && last != Opcode::LazyReturn) return bad("end");
    return {};
  }

 private:
  Error bad(std::string_view what) {
    return Error{"bad bytecode at " + std::to_string(at_) + ": " + std::string(what)};
  }

  bool operand(Operand kind, uint32_t x, const Instruction& i) const {
    switch (kind) {
      case Operand::none:
      case Operand::num: return true;
      case Operand::dst:
      case Operand::src:
      case Operand::args:
      case Operand::two:
      case Operand::element:
      case Operand::loop: {
        Registers touched = registers_of(kind, x, i);
        return uint64_t{touched.first} + touched.count <= code_.registers;
      }
      case Operand::constant: return x < code_.constants.size();
      case Operand::text: return x < code_.constants.size() && code_.constants[x].is_error();
      case Operand::path: return x < code_.paths->node_count();
      case Operand::key: return x < code_.keys.size();
      case Operand::checks: return checks(x, i.n);
      case Operand::keys: return uint64_t{x} + i.n <= code_.keys.size();
      case Operand::call: return x < code_.calls.size();
      case Operand::jump: return x < code_.instructions.size();
      case Operand::variable: return x < code_.paths->variable_count();
    }
    return false;
  }

  // Whether the checks of a chain use what they read before, and end.
  bool checks(uint32_t first, uint32_t count) const {
    if (count == 0 || uint64_t{first} + count > code_.checks.size()) return false;
    uint32_t known = 0;  // a bit for each value that has been read
    for (const Check& check : std::span(code_.checks).subspan(first, count)) {
      using enum Check::Kind;
      const bool last = &check == &code_.checks[first + count - 1];
      Operand kind = Operand::none;
      bool reads = true, uses = true;
      switch (check.kind) {
        case Variable: kind = Operand::variable, uses = false; break;
        case Path: kind = Operand::path, uses = false; break;
        case Register: kind = Operand::src, uses = false; break;
        case Field: kind = Operand::key; break;
        case Present:
        case Absent: kind = Operand::key, reads = false; break;
        case Range: reads = false; break;
        case Equal:
        case Starts:
        case Ends: kind = Operand::constant, reads = false; break;
        case End: reads = uses = false; break;
        default: return false;
      }
      if ((check.kind == End) != last || check.at >= code_.instructions.size()) return false;
      if (check.read >= Check::kReads || (uses && (check.of >= Check::kReads || !(known >> check.of & 1))))
        return false;
      if (!operand(kind, check.operand, {})) return false;
      if (reads) known |= 1u << check.read;
    }
    return true;
  }

  // Whether opcodes.def names all flags of the instruction for its opcode.
  bool flags(const Instruction& i) const {
    uint8_t named = 0;
    if (i.flags == 0) return true;
    for (const FlagRow& flag : flag_rows()) {
      if (has_flag(flag, i.op)) named |= flag.bit;
    }
    return (i.flags & ~named) == 0;
  }

  // Checks that the rows cannot express.
  bool shape(const Instruction& i) const {
    switch (i.op) {
      case Opcode::Call:
      case Opcode::Less:
      case Opcode::Add:
      case Opcode::Subtract:
      case Opcode::Multiply:
      case Opcode::StartsWith:
      case Opcode::EndsWith:
      case Opcode::Equal: return code_.calls[i.c].count == i.n;
      case Opcode::In: return code_.constants[i.c].is(Kind::Map);
      case Opcode::ListOptional:
      case Opcode::MapOptional:
      case Opcode::Struct: return code_.constants[i.c].is(Kind::List);
      case Opcode::Kept:
      case Opcode::HasKept:
      case Opcode::KeptField:
      case Opcode::HasKeptField: return at_ + 2 < code_.instructions.size();
      case Opcode::LoopBegin:
      case Opcode::LoopNext:
      case Opcode::LoopEnd: return i.n <= static_cast<uint16_t>(Loop::Map);
      default: return stands_for_those_behind(i.op);
    }
  }

  // Whether what an opcode stands for is behind it.
  bool stands_for_those_behind(Opcode opcode) const {
    for (const ReadAndTest& row : kReadAndTest) {
      if (row.both != opcode) continue;
      return row.has_const() ? is_behind(1, Opcode::Const) && is_behind(2, row.test) : is_behind(1, row.test);
    }
    return true;
  }

  // Whether the instruction `distance` further is one of `opcode`, and not the last one.
  bool is_behind(size_t distance, Opcode opcode) const {
    return at_ + distance + 1 < code_.instructions.size() && code_.instructions[at_ + distance].op == opcode;
  }

  const Code& code_;
  size_t at_ = 0;
};

}  // namespace

Result<void> verify(const Code& code) { return Verifier(code).run(); }

}  // namespace portcullis
