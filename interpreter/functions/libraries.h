// The function libraries of CEL itself and of cel-go's extensions.
//
// In reading order: logic.cc, arithmetic.cc, comparison.cc, collections.cc, conversions.cc, texts.cc and
// times.cc make up "stdlib"; each of strings.cc (with format.h), lists.cc, sets.cc, math.cc, encoders.cc,
// regexes.cc, optionals.cc, comprehensions.cc and network.cc is one library. libraries.cc combines the tables
// with their macros and validators. To add a function, add a row: it holds everything about an overload
// (typecheck/function.h).
// Tested by admission/expressions/environment_test.cc and, row by row, by tests/examples.cc.
#pragma once

#include <span>
#include <string_view>

#include "typecheck/function.h"
#include "typecheck/validate.h"

namespace portcullis {

// "stdlib", "strings", "lists", "sets", "math", "encoders", "regex", "bindings", "optional",
// "two-var-comprehensions", "network", "protos", "block". Made when first used; constant; they live as long
// as the program.
std::span<const Library> standard_libraries();

// The library of that name, or null.
const Library* find_standard_library(std::string_view name);

// cel-go's validators of literals that Kubernetes uses: duration('x'), timestamp('x'), x.matches('[').
extern const Validator kDurationLiterals;
extern const Validator kTimestampLiterals;
extern const Validator kPatternLiterals;

}  // namespace portcullis
