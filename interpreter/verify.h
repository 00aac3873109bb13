// Verify: nothing runs that could read or write outside of its tables.
//
// Guarantees: every register, constant, key, path, call site and variable that an instruction names exists;
// every jump goes to an instruction; execution cannot run off the end; argument counts fit their call sites.
// Tested by fuzz/expression.cc.
#pragma once

#include "grammar/result.h"
#include "interpreter/bytecode.h"

namespace portcullis {

// An error names the first bad instruction; it means a defect of the compiler.
Result<void> verify(const Code& code);

}  // namespace portcullis
