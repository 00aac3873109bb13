#include "interpreter/bytecode.h"

namespace portcullis {

#define OPCODE(name, a, b, c, cost, sentence) {#name, Operand::a, Operand::b, Operand::c, cost, sentence},
const OpcodeRow kOpcodes[kOpcodeCount] = {
#include "interpreter/opcodes.def"
};
#undef OPCODE

}  // namespace portcullis
