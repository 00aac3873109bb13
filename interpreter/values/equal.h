// CEL equality of any two values, with cel-go's quirks.
//
// Rules (cel-go common/types, cel-language.md 9): null equals only null; int, uint and double are compared
// numerically; NaN equals nothing; values of other different kinds are unequal, without an error. Lists are
// equal by element, maps by key with numeric key equivalence; opaque values ask their class. An error inside
// a plain list counts as equal; inside a list made by `+` it becomes the result.
// Limits: values nested too deep throw (nesting.h); those of JSON are not.
// Tested by tests/language.
#pragma once

#include "interpreter/values/value.h"

namespace portcullis {

// `a == b`: a bool or, rarely, an error (opaque classes). Neither operand may be an error or unknown.
Value equal(const Value& a, const Value& b, Arena& arena);

// Whether `a == b` is true; an error counts as false. For `in`, distinct() and sets.
bool equals(const Value& a, const Value& b, Arena& arena);

// Equality of numbers of any kinds: both must be Int, Uint or Double.
bool equal_numbers(const Value& a, const Value& b);

}  // namespace portcullis
