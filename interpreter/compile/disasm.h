// Disassembly of bytecode, for people, and the page about the machine (docs/bytecode.md).
// Tested by fuzz/expression.cc.
#pragma once

#include <string>

#include "interpreter/compile/bytecode.h"

namespace portcullis {

// One line an instruction: number, name, operands with what they refer to.
std::string disassemble(const Code& code);

// The whole of docs/bytecode.md, made of opcodes.def.
std::string bytecode_markdown();

}  // namespace portcullis
