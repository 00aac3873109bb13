// Verify: nothing runs that could read or write outside of its tables.
//
// Guarantees: every register that an instruction touches exists (registers_of, by the rows of opcodes.def), so
// does every constant, key, path, call site and variable that it names; every jump goes to an instruction;
// execution cannot run off the end; argument counts fit their call sites; no flag is set that has no name.
// Tested by interpreter/compile/verify_test.cc, fuzz/expression.cc.
#pragma once

#include "grammar/result.h"
#include "interpreter/compile/bytecode.h"

namespace portcullis {

// An error names the first bad instruction; it means a defect of the compiler.
Result<void> verify(const Code& code);

}  // namespace portcullis
