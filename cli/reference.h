// The reference of functions, macros and opcodes, made of their rows alone.
//
// Idea: docs/functions.md and docs/bytecode.md are what these functions return; a test compares them
// (tests/docs.cc), so the documentation cannot lie. `portcullis functions` prints the same rows.
// Tested by tests/docs.cc, tests/cli.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "typecheck/function.h"

namespace portcullis {

// All libraries, those of the language first, then those of Kubernetes.
std::vector<const Library*> all_libraries();

// Since which minor of Kubernetes the rows of a library at a version are in its environment
// ("1.30"), or empty if never.
std::string kubernetes_since(const Library& library, uint8_t version);

// The whole of docs/functions.md and docs/bytecode.md.
std::string functions_markdown();
std::string bytecode_markdown();

}  // namespace portcullis
