// Prints bytecode for people: the disassembly of a program, and the page about the machine
// (docs/bytecode.md).
// Tested by fuzz/expression.cc, tests/docs.cc.
#pragma once

#include <string>

#include "interpreter/compile/bytecode.h"

namespace portcullis {

// One line per instruction: number, name, and each operand with what it refers to.
std::string disassemble(const Code& code);

// The whole text of docs/bytecode.md, from opcodes.def.
std::string bytecode_markdown();

}  // namespace portcullis
