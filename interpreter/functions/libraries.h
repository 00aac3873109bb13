// The function tables of CEL itself and of cel-go's extension libraries.
//
// In reading order: logic.cc, arithmetic.cc, comparison.cc, collections.cc, conversions.cc, texts.cc,
// times.cc make "stdlib"; then one file a library: strings.cc (with format.h), lists.cc, sets.cc, math.cc,
// encoders.cc, regexes.cc, optionals.cc, comprehensions.cc, network.cc. libraries.cc puts them together with
// their macros and validators. A row says everything about an overload (typecheck/function.h); adding a
// function is adding a row. Tested by admission/expressions/environment_test.cc and, row by row, by tests/examples.cc.
#pragma once

#include <span>
#include <string_view>

#include "typecheck/function.h"
#include "typecheck/validate.h"

namespace portcullis {

// "stdlib", "strings", "lists", "sets", "math", "encoders", "regex", "bindings", "optional",
// "two-var-comprehensions", "network", "protos", "block". Made at first use, constant, live as
// long as the program.
std::span<const Library> standard_libraries();

// The library of that name, or null.
const Library* find_standard_library(std::string_view name);

// The validators of literals that cel-go offers and Kubernetes turns on: duration('x'), timestamp('x'),
// x.matches('[').
extern const Validator kDurationLiterals;
extern const Validator kTimestampLiterals;
extern const Validator kPatternLiterals;

}  // namespace portcullis
