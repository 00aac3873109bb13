// The reference of functions, macros and opcodes, made of their rows alone.
//
// Idea: docs/functions.md is what these functions return; a test compares them
// (tests/docs.cc), so the documentation cannot lie. `portcullis functions` prints the same rows.
// Tested by tests/docs.cc, tests/cli.py.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "typecheck/function.h"

namespace portcullis {

// All libraries, those of the language first, then those of Kubernetes.
std::vector<const Library*> all_libraries();
// The same, sorted by what a policy can use: Kubernetes' own libraries first, then others of its environment, then
// those that no release has.
std::vector<const Library*> libraries_by_use();

// Whether the environment of a minor has a row that came to its library with version `since` and left it with `until`.
bool kubernetes_has(const Library& library, uint8_t since, uint8_t until, uint32_t minor);

// Since which minor of Kubernetes such a row is in its environment ("1.30"), or empty if never.
std::string kubernetes_since(const Library& library, uint8_t since, uint8_t until = 255);

// The name that users call a function by: "startsWith", "sets.contains".
std::string name_of(const Function& row);

// Tells which rows are wanted: their library, their name, and the versions of the library that have them.
using RowFilter =
    std::function<bool(const Library& library, const std::string& name, uint8_t since, uint8_t until)>;

// The whole of docs/functions.md, or what is in it of the rows that `wanted` takes.
std::string functions_markdown(const RowFilter& wanted = {});

}  // namespace portcullis
