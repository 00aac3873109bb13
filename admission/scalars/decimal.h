// Decimal: an exact decimal number of any length, unscaled / 10^scale, for quantities that
// do not fit 64 bits.
//
// Idea: limbs in base 10^9, so that everything Kubernetes does with such numbers (shift by powers of ten,
// compare, add, print) is one pass; the only other operations are times a power of two and division by 1024.
// Limbs live in the arena. The scale is kept as gopkg.in/inf.v0 keeps it, because asApproximateFloat() and
// canonical texts show it. Limits: an operation that would have to append more than kMaxShift zeros fails;
// the API server would try (and with `quantity("1e2000000000")` run out of memory). Tested by
// admission/scalars/decimal_test.cc.
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

// Most zeros that are appended to align two numbers: 20000 digits are 9 kB, far more than
// a sensible quantity.
inline constexpr int64_t kMaxShift = 20000;

// value / 10^scale.
Decimal from_int(Arena& arena, int64_t value, int32_t scale = 0);
// Sign, digits, at most one dot, at least one digit; nothing else. The scale is the number of
// digits after the dot.
std::optional<Decimal> parse(Arena& arena, std::string_view text);
// unscaled * 2^exponent, same scale; exponent 0..63.
Decimal times_power_of_two(Arena& arena, const Decimal& d, int exponent);
// The number at this scale, rounded away from zero; nothing if that needs more than kMaxShift zeros.
std::optional<Decimal> round_up(Arena& arena, const Decimal& d, int32_t scale);
// -1, 0, 1. Takes time in the number of digits, whatever the scales.
int compare(const Decimal& a, const Decimal& b);
// At the greater of the two scales; nothing if that needs more than kMaxShift zeros.
std::optional<Decimal> add(Arena& arena, const Decimal& a, const Decimal& b);
Decimal negate(Decimal d);
// The unscaled number, and how often `factor` (10 or 1024) was taken out of it; zero stays zero.
Decimal remove_factors(Arena& arena, const Decimal& d, uint32_t factor, int& times);
// The unscaled number in digits, with sign.
std::string digits(const Decimal& d);
// The unscaled number as the nearest double; infinity beyond the range.
double unscaled_double(const Decimal& d);

}  // namespace decimal
}  // namespace portcullis
