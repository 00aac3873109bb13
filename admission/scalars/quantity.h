// Quantity: Kubernetes' numbers with units ("1.5Gi", "100m", "1e3"): parsing, exact
// arithmetic, canonical text.
//
// Idea: as upstream, a quantity is an int64 times a power of ten where that suffices (the fast form), else a
// Decimal. Expressions can tell the two forms apart (isInteger() is false for every Decimal), so the form
// changes exactly where upstream changes it.
// Source of behaviour: apimachinery pkg/api/resource. Limits: see decimal.h.
// Tested by admission/scalars/quantity_test.cc, the conformance table `quantity`, and against the oracle.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "admission/scalars/decimal.h"

namespace portcullis {

struct Quantity {
  enum class Format : uint8_t { DecimalSI, BinarySI, DecimalExponent };

  bool big = false;  // `decimal` holds the number
  Format format = Format::DecimalSI;
  int32_t exponent = 0;  // fast form: value * 10^exponent
  int64_t value = 0;
  Decimal decimal = {};
  std::string_view text = {};  // the parsed text, if it is printed unchanged

  bool is_zero() const { return sign() == 0; }
  int sign() const;
};

namespace quantity {

// Upstream's messages.
inline constexpr std::string_view kBadFormat =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
inline constexpr std::string_view kBadNumber = "unable to parse numeric part of quantity";
inline constexpr std::string_view kBadSuffix = "unable to parse quantity's suffix";
// Our message: see decimal::kMaxShift.
inline constexpr std::string_view kTooLarge = "quantity has too many digits";

// Parses `text` into `out`, which refers to the arena and to `text`. Returns "" or one of the messages.
std::string_view parse(Arena& arena, std::string_view text, Quantity& out);

// A plain number, without a unit.
Quantity from_int(int64_t value);
// Returns -1, 0 or 1; exact.
int compare(Arena& arena, const Quantity& a, const Quantity& b);
// a + b and a - b; nothing if decimal::kMaxShift is exceeded.
std::optional<Quantity> add(Arena& arena, const Quantity& a, const Quantity& b);
std::optional<Quantity> subtract(Arena& arena, const Quantity& a, const Quantity& b);
// The number as an int64; nothing unless it has the fast form, has no fraction and fits.
std::optional<int64_t> as_int(const Quantity& q);
// Mantissa times a power of ten in double arithmetic (two roundings, as upstream).
double as_double(const Quantity& q);
// Rounds `q` in place to a multiple of 10^exponent, away from zero. A number that is already coarser stays
// unchanged.
void round_up(Arena& arena, Quantity& q, int32_t exponent);
// Canonical text: "1500m", "1536Mi", "12e6".
std::string print(Arena& arena, const Quantity& q);

}  // namespace quantity
}  // namespace portcullis
