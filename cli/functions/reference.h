// The reference of functions, macros and opcodes, made from their rows.
//
// Idea: docs/functions.md is the output of these functions, and a test compares them, so the documentation is
// always correct. `portcullis functions` prints the same rows. Tested by tests/docs.cc, tests/cli.py.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "typecheck/function.h"

namespace portcullis {

// All libraries: first those of the language, then those of Kubernetes.
std::vector<const Library*> all_libraries();
// All libraries, in the order of use: first Kubernetes' own, then others of its environment, then those that
// no release has.
std::vector<const Library*> libraries_by_use();

// Whether the environment of a minor has a row that version `since` of its library introduced and `until`
// removed.
bool kubernetes_has(const Library& library, uint8_t since, uint8_t until, uint32_t minor);

// The first minor of Kubernetes whose environment has such a row ("1.30"); empty if none does.
std::string kubernetes_since(const Library& library, uint8_t since, uint8_t until = 255);

// The name that users call a function by: "startsWith", "sets.contains".
std::string name_of(const Function& row);

// What a call costs: in policies and rules of definitions, if Kubernetes has the row, else by the row itself.
std::string_view cost_of(const Library& library, const Function& row);

// Selects rows by their library, their name, and the versions of the library that have them.
using RowFilter =
    std::function<bool(const Library& library, const std::string& name, uint8_t since, uint8_t until)>;

// The whole of docs/functions.md, or its part about the rows that `wanted` selects.
std::string functions_markdown(const RowFilter& wanted = {});

}  // namespace portcullis
