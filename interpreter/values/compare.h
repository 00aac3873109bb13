// The order of values: `<`, sort(), min(), max().
//
// Rules (cel-go common/types): bool, int, uint, double, string, bytes, timestamp and duration are ordered;
// int, uint and double also among each other, doubles and integers as doubles after a range check; NaN cannot
// be ordered.
// Tested by tests/language.
#pragma once

#include "interpreter/values/value.h"

namespace portcullis {

enum class Order : int8_t { Less = -1, Equal = 0, Greater = 1, NaN = 2, None = 3 };

// NaN: an operand is NaN ("NaN values cannot be ordered"). None: the kinds have no order ("no such
// overload").
Order compare(const Value& a, const Value& b);

// The same as cel-go's Comparer returns it: -1, 0 or 1 as an int value, or the error value.
Value compare_value(const Value& a, const Value& b, Arena& arena);

// Whether values of this kind can be ordered.
bool is_ordered(Kind kind);

}  // namespace portcullis
