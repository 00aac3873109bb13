// Disassembly of bytecode, for people, and the reference of opcodes in Markdown (docs/bytecode.md).
// Tested by fuzz/expression.cc.
#pragma once

#include <string>

#include "interpreter/bytecode.h"

namespace portcullis {

// One line an instruction: number, name, operands with what they refer to.
std::string disassemble(const Code& code);

// The table of opcodes.def as Markdown.
std::string opcode_reference();

}  // namespace portcullis
