// Decimal: an exact decimal number of any length, unscaled / 10^scale. Quantities that do not fit 64 bits use
// it.
//
// Idea: limbs in base 10^9 make each operation that Kubernetes applies to such numbers (shift by powers of
// ten, compare, add, print) a single pass. The only others are multiplication by a power of two and division
// by 1024. Limbs live in the arena. The scale follows gopkg.in/inf.v0, because asApproximateFloat() and
// canonical texts expose it.
// Limits: an operation fails if it would append more than kMaxShift zeros. The API server would try, and with
// `quantity("1e2000000000")` exhaust its memory.
// Source of behaviour: gopkg.in/inf.v0. Tested by admission/scalars/decimal_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "interpreter/values/arena.h"

namespace portcullis {

struct Decimal {
  bool negative = false;  // never with zero
  int32_t scale = 0;
  std::span<const uint32_t> limbs = {};  // least significant first; the last is not 0; empty: zero

  int sign() const { return limbs.empty() ? 0 : negative ? -1 : 1; }
};

namespace decimal {

// The most zeros that an operation appends to align two numbers. 20000 digits take 9 kB, far more than a
// sensible quantity has.
inline constexpr int64_t kMaxShift = 20000;

// value / 10^scale.
Decimal from_int(Arena& arena, int64_t value, int32_t scale = 0);
// Accepts an optional sign, digits with at most one dot, at least one digit, and nothing else. The scale is
// the number of digits after the dot.
std::optional<Decimal> parse(Arena& arena, std::string_view text);
// unscaled * 2^exponent, same scale; exponent 0..63.
Decimal times_power_of_two(Arena& arena, const Decimal& d, int exponent);
// The number rounded to `scale`, away from zero; nothing if that needs more than kMaxShift zeros.
std::optional<Decimal> round_up(Arena& arena, const Decimal& d, int32_t scale);
// Returns -1, 0 or 1. Takes time linear in the number of digits, independent of the scales.
int compare(const Decimal& a, const Decimal& b);
// The sum at the greater scale; nothing if aligning needs more than kMaxShift zeros.
std::optional<Decimal> add(Arena& arena, const Decimal& a, const Decimal& b);
Decimal negate(Decimal d);
// Divides the unscaled number by 10 while it divides evenly; `times` counts the divisions. Zero stays zero.
Decimal remove_tens(Arena& arena, const Decimal& d, int& times);
// The same with 1024.
Decimal remove_1024(Arena& arena, const Decimal& d, int& times);
// The unscaled number in digits, with sign.
std::string digits(const Decimal& d);
// The unscaled number as the nearest double; infinity beyond the range.
double unscaled_double(const Decimal& d);

}  // namespace decimal
}  // namespace portcullis
