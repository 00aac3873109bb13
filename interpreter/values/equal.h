// CEL equality of any two values, with cel-go's quirks.
//
// Rules (cel-go common/types, cel-language.md 9): null equals only null; int, uint and double compare
// numerically across kinds, NaN equals nothing; other mixed kinds are unequal, not an error; lists element by
// element, maps by key with numeric key equivalence; opaque values ask their class. An error inside a plain
// list counts as equal, inside a list made by `+` it is the result.
// Nesting is bounded by that of the values (JSON depth, expression depth), so this recurses.
// Tested by tests/language.
#pragma once

#include "interpreter/values/value.h"

namespace portcullis {

// `a == b`: a bool or, rarely, an error value (opaque classes). Neither may be an error or unknown.
Value equal(const Value& a, const Value& b, Arena& arena);

// Whether `a == b` is true (errors are not): `in`, distinct(), sets.
bool equals(const Value& a, const Value& b, Arena& arena);

// Numeric comparison across kinds: both must be Int, Uint or Double.
bool equal_numbers(const Value& a, const Value& b);

}  // namespace portcullis
