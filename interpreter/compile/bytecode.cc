#include "interpreter/compile/bytecode.h"

#include <algorithm>

namespace portcullis {
namespace {

constexpr FlagRow kFlags[] = {
#define FLAG(name, bit, opcodes, sentence) {#name, bit, opcodes, sentence},
#include "interpreter/compile/opcodes.def"
};

constexpr MachineNote kNotes[] = {
#define NOTE(title, text) {title, text},
#include "interpreter/compile/opcodes.def"
};

}  // namespace

constinit const OpcodeRow kOpcodes[kOpcodeCount] = {
#define OPCODE(name, a, b, c, cost, sentence) {#name, Operand::a, Operand::b, Operand::c, cost, sentence},
#include "interpreter/compile/opcodes.def"
};

std::span<const FlagRow> flag_rows() { return kFlags; }
std::span<const MachineNote> machine_notes() { return kNotes; }

bool has_flag(const FlagRow& flag, Opcode opcode) {
  std::string_view rest = flag.opcodes, name = kOpcodes[static_cast<int>(opcode)].name;
  while (!rest.empty()) {
    std::string_view word = rest.substr(0, rest.find(' '));
    if (word == name) return true;
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return false;
}

}  // namespace portcullis
