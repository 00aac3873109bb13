// verify: checks that running a program cannot read or write outside its tables.
//
// Guarantees: every register that an instruction touches exists (registers_of, by the rows of opcodes.def),
// and so do the constants, keys, paths, call sites and variables that it names; every jump leads to an
// instruction; execution cannot run past the end; argument counts fit their call sites; every flag that is
// set has a name. It trusts the compiler for the kinds of constants that fused tests and Struct read, and for the
// instruction to which a LazyReturn goes.
// Tested by interpreter/compile/verify_test.cc, fuzz/expression.cc.
#pragma once

#include "grammar/result.h"
#include "interpreter/compile/bytecode.h"

namespace portcullis {

// An error names the first bad instruction. It reveals a bug of the compiler.
Result<void> verify(const Code& code);

}  // namespace portcullis
