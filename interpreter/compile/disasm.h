// Prints bytecode for people. Tested by fuzz/expression.cc.
#pragma once

#include <string>

#include "interpreter/compile/bytecode.h"

namespace portcullis {

// One line per instruction: number, name, and each operand with what it refers to.
std::string disassemble(const Code& code);

}  // namespace portcullis
