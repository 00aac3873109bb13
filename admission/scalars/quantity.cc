// Quantity: see quantity.h.
#include "admission/scalars/quantity.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>

#include "grammar/ascii.h"

namespace portcullis {

int Quantity::sign() const {
  if (big) return decimal.sign();
  return value == 0 ? 0 : value < 0 ? -1 : 1;
}

namespace quantity {
namespace {

using Format = Quantity::Format;
__extension__ typedef __int128 Wide;

constexpr int kFastDigits = 18;        // the most decimal digits of the fast form
constexpr int kFastBinaryDigits = 15;  // the same for binary suffixes, whose factor takes digits, too
constexpr int kNano = -9;              // the smallest exponent of a quantity

struct Suffix {
  std::string_view text;
  int base;
  int exponent;
};
constexpr Suffix kSuffixes[] = {
    {"", 10, 0},   {"n", 10, -9}, {"u", 10, -6}, {"m", 10, -3}, {"k", 10, 3},  {"M", 10, 6},
    {"G", 10, 9},  {"T", 10, 12}, {"P", 10, 15}, {"E", 10, 18}, {"Ki", 2, 10}, {"Mi", 2, 20},
    {"Gi", 2, 30}, {"Ti", 2, 40}, {"Pi", 2, 50}, {"Ei", 2, 60},
};

// The parts of the text of a quantity. `number` is everything before the suffix, with the sign; `whole` has
// no leading zeros.
struct Parts {
  bool positive = true;
  std::string_view number, whole, fraction, suffix;
};

// Splits the text; false if it is malformed. This scanner never backtracks, so it differs from the expression
// in the message: "Ki" and "." are zero.
bool split(std::string_view s, Parts& out) {
  size_t i = !s.empty() && (s[0] == '-' || s[0] == '+');
  out.positive = s[0] != '-';
  while (i < s.size() && s[i] == '0') i++;
  if (i == s.size()) {
    out.number = out.whole = "0";
    return true;
  }
  size_t start = i;
  while (i < s.size() && is_digit(s[i])) i++;
  out.whole = s.substr(start, i - start);
  if (out.whole.empty() && i < s.size()) out.whole = "0";
  if (i < s.size() && s[i] == '.') {
    start = ++i;
    while (i < s.size() && is_digit(s[i])) i++;
    out.fraction = s.substr(start, i - start);
  }
  out.number = s.substr(0, i);
  out.suffix = s.substr(i);
  while (i < s.size() && std::string_view("eEinumkKMGTP").find(s[i]) != std::string_view::npos) i++;
  if (i < s.size() && (s[i] == '-' || s[i] == '+')) i++;
  while (i < s.size() && is_digit(s[i])) i++;
  return i == s.size();
}

// "e3" and "E-2". The exponent is truncated to 32 bits, as upstream. False if this is no exponent.
bool parse_exponent(std::string_view s, int32_t& exponent) {
  if (s.size() < 2 || (s[0] != 'e' && s[0] != 'E')) return false;
  s.remove_prefix(s[1] == '+' ? 2 : 1);
  if (s.empty() || (s[0] == '-' && s.size() == 1)) return false;
  int64_t n = 0;
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
  if (error != std::errc() || end != s.data() + s.size()) return false;
  exponent = static_cast<int32_t>(n);
  return true;
}

bool parse_suffix(std::string_view s, int& base, int32_t& exponent, Format& format) {
  for (const Suffix& suffix : kSuffixes) {
    if (s != suffix.text) continue;
    base = suffix.base;
    exponent = suffix.exponent;
    format = base == 2 ? Format::BinarySI : Format::DecimalSI;
    return true;
  }
  base = 10;
  format = Format::DecimalExponent;
  return parse_exponent(s, exponent);
}

std::string_view find_suffix(int base, int32_t exponent) {
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.base == base && suffix.exponent == exponent) return suffix.text;
  }
  return {};  // no suffix is that large: upstream prints none either
}

// Whether the text is printed unchanged. This cheap test fails for some canonical texts and passes some
// others ("1.500").
bool keeps_text(const Parts& p, Format format, int64_t digits, int32_t exponent) {
  if (format == Format::BinarySI) return (digits & 7) != 0;
  return exponent % 3 == 0 && digits % 1000 != 0 && p.whole[0] != '0';
}

// Parses the fast form; false if the text has too many digits.
bool parse_fast(std::string_view text, const Parts& p, int32_t exponent, Quantity& out) {
  int64_t digits = static_cast<int64_t>(p.whole.size() + p.fraction.size());
  bool binary = out.format == Format::BinarySI;
  if (binary && !p.fraction.empty()) return false;
  int64_t precision = binary ? kFastBinaryDigits - digits - exponent * 3 / 10 - 1 : kFastDigits - digits;
  int64_t scale = (binary ? 0 : exponent) - static_cast<int64_t>(p.fraction.size());
  if (precision < 0 || scale < kNano) return false;
  int64_t value = 0, result = 0;
  for (char c : p.whole) value = value * 10 + (c - '0');
  for (char c : p.fraction) value = value * 10 + (c - '0');
  if (__builtin_mul_overflow(value, binary ? int64_t{1} << exponent : 1, &result)) return false;
  out.value = p.positive ? result : -result;
  out.exponent = static_cast<int32_t>(scale);
  if (keeps_text(p, out.format, value, out.exponent)) out.text = text;
  return true;
}

// Parses the Decimal form, rounded away from zero to nano, and capped at 2^63-1 with a binary suffix.
std::string_view parse_big(Arena& arena, const Parts& p, int base, int32_t exponent, Quantity& out) {
  std::optional<Decimal> d = decimal::parse(arena, p.number);
  if (!d) return kBadNumber;
  bool negative = d->negative;
  d->negative = false;
  if (base == 10) {
    d->scale = static_cast<int32_t>(int64_t{d->scale} - exponent);
  } else {
    d = decimal::times_power_of_two(arena, *d, exponent);
  }
  if (d->sign() != 0) d = decimal::round_up(arena, *d, -kNano);
  if (!d) return kTooLarge;
  if (out.format == Format::BinarySI) {
    Decimal most = decimal::from_int(arena, std::numeric_limits<int64_t>::max());
    if (decimal::compare(*d, most) > 0) d = most;
    if (d->sign() > 0 && decimal::compare(*d, decimal::from_int(arena, 1)) < 0)
      out.format = Format::DecimalSI;
  }
  out.big = true;
  out.decimal = negative ? decimal::negate(*d) : *d;
  return {};
}

Decimal as_decimal(Arena& arena, const Quantity& q) {
  return q.big ? q.decimal : decimal::from_int(arena, q.value, -q.exponent);
}

// value * 10^exponent for exponent >= 0, if it fits.
std::optional<int64_t> scaled(int64_t value, int64_t exponent) {
  if (value == 0) return 0;
  if (exponent > kFastDigits) return std::nullopt;
  for (; exponent > 0; exponent--) {
    if (__builtin_mul_overflow(value, int64_t{10}, &value)) return std::nullopt;
  }
  return value;
}

// Adds value * 10^exponent to `a`, at the smaller exponent. Returns false and leaves `a` unchanged if the sum
// does not fit.
bool add_fast(Quantity& a, int64_t value, int32_t exponent) {
  if (value == 0) return true;
  if (a.value == 0) {
    a.value = value;
    a.exponent = exponent;
    return true;
  }
  std::optional<int64_t> x = a.value, y = value;
  if (a.exponent > exponent) x = scaled(a.value, int64_t{a.exponent} - exponent);
  if (a.exponent < exponent) y = scaled(value, int64_t{exponent} - a.exponent);
  int64_t sum = 0;
  if (!x || !y || __builtin_add_overflow(*x, *y, &sum)) return false;
  a.value = sum;
  a.exponent = std::min(a.exponent, exponent);
  return true;
}

std::optional<Quantity> add_signed(Arena& arena, const Quantity& a, const Quantity& b, bool negate) {
  Quantity out = a;
  out.text = {};
  if (a.is_zero()) out.format = b.format;
  // -INT64_MIN wraps to INT64_MIN, as upstream.
  int64_t addend = negate ? static_cast<int64_t>(-static_cast<uint64_t>(b.value)) : b.value;
  if (!a.big && !b.big && add_fast(out, addend, b.exponent)) return out;
  Decimal right = as_decimal(arena, b);
  std::optional<Decimal> sum =
      decimal::add(arena, as_decimal(arena, a), negate ? decimal::negate(right) : right);
  if (!sum) return std::nullopt;
  out.big = true;
  out.decimal = *sum;
  return out;
}

// 10^n as Go's math.Pow10 computes it (a product or quotient of two table entries, not always
// the nearest double).
double power_of_ten(int64_t n) {
  static constexpr double kSmall[] = {1e00, 1e01, 1e02, 1e03, 1e04, 1e05, 1e06, 1e07, 1e08, 1e09, 1e10,
                                      1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
                                      1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31};
  static constexpr double kLarge[] = {1e00, 1e32, 1e64, 1e96, 1e128, 1e160, 1e192, 1e224, 1e256, 1e288};
  static constexpr double kTiny[] = {1e-00,  1e-32,  1e-64,  1e-96,  1e-128, 1e-160,
                                     1e-192, 1e-224, 1e-256, 1e-288, 1e-320};
  if (n > 308) return std::numeric_limits<double>::infinity();
  if (n >= 0) return kLarge[n / 32] * kSmall[n % 32];
  if (n < -323) return 0;
  return kTiny[-n / 32] / kSmall[-n % 32];
}

// Mantissa and suffix; the exponent is the largest multiple of three that leaves no fraction.
std::string print_decimal(Arena& arena, const Decimal& d, Format format) {
  int zeros = 0;
  Decimal mantissa = decimal::remove_tens(arena, d, zeros);
  int64_t exponent = int64_t{zeros} - d.scale;
  std::string out = decimal::digits(mantissa);
  for (; exponent % 3 != 0; exponent--) out += '0';
  if (format == Format::DecimalSI) return out.append(find_suffix(10, static_cast<int32_t>(exponent)));
  return exponent == 0 ? out : out + "e" + std::to_string(exponent);
}

}  // namespace

std::string_view parse(Arena& arena, std::string_view text, Quantity& out) {
  out = Quantity{};
  if (text.empty()) return kBadFormat;
  Parts parts;
  if (!split(text, parts)) return kBadFormat;
  int base = 10;
  int32_t exponent = 0;
  if (!parse_suffix(parts.suffix, base, exponent, out.format)) return kBadSuffix;
  if (text == "0") {
    out.text = text;
    return {};
  }
  if (parse_fast(text, parts, exponent, out)) return {};
  return parse_big(arena, parts, base, exponent, out);
}

Quantity from_int(int64_t value) {
  Quantity q;
  q.format = Format::DecimalExponent;
  q.value = value;
  return q;
}

int compare(Arena& arena, const Quantity& a, const Quantity& b) {
  int64_t distance = int64_t{a.exponent} - b.exponent;
  if (!a.big && !b.big && std::abs(distance) <= kFastDigits) {  // 63 bits and 18 digits: fits 128 bits
    Wide x = a.value, y = b.value;
    for (; distance > 0; distance--) x *= 10;
    for (; distance < 0; distance++) y *= 10;
    return x == y ? 0 : x < y ? -1 : 1;
  }
  return decimal::compare(as_decimal(arena, a), as_decimal(arena, b));
}

std::optional<Quantity> add(Arena& arena, const Quantity& a, const Quantity& b) {
  return add_signed(arena, a, b, false);
}

std::optional<Quantity> subtract(Arena& arena, const Quantity& a, const Quantity& b) {
  return add_signed(arena, a, b, true);
}

void round_up(Arena& arena, Quantity& q, int32_t exponent) {
  if (q.big) {
    q.text = {};
    if (std::optional<Decimal> rounded = decimal::round_up(arena, q.decimal, -exponent)) q.decimal = *rounded;
    return;
  }
  if (q.exponent >= exponent) return;
  q.text = {};
  bool fraction = false;
  int64_t value = q.value;
  for (; q.exponent < exponent; ++q.exponent) {
    fraction |= value % 10 != 0;
    value /= 10;
  }
  q.value = value + (fraction ? (q.value > 0 ? 1 : -1) : 0);
}

std::optional<int64_t> as_int(const Quantity& q) {
  if (q.big || q.exponent < 0) return std::nullopt;
  return scaled(q.value, q.exponent);
}

double as_double(const Quantity& q) {
  double base = q.big ? decimal::unscaled_double(q.decimal) : static_cast<double>(q.value);
  int64_t exponent = q.big ? -int64_t{q.decimal.scale} : q.exponent;
  return exponent == 0 ? base : base * power_of_ten(exponent);
}

std::string print(Arena& arena, const Quantity& q) {
  if (!q.text.empty()) return std::string(q.text);
  if (q.is_zero()) return "0";
  Decimal d = as_decimal(arena, q);
  if (q.format != Format::BinarySI) return print_decimal(arena, d, q.format);
  Decimal magnitude = d.negative ? decimal::negate(d) : d;
  std::optional<Decimal> whole = decimal::round_up(arena, d, 0);
  if (!whole || decimal::compare(magnitude, decimal::from_int(arena, 1024)) < 0 ||
      decimal::compare(*whole, d) != 0) {
    return print_decimal(arena, d, Format::DecimalSI);
  }
  // The loop of upstream cannot negate the smallest int64, so it removes no factor from it.
  if (as_int(q) == std::numeric_limits<int64_t>::min()) return decimal::digits(*whole);
  int times = 0;
  Decimal mantissa = decimal::remove_1024(arena, *whole, times);
  return decimal::digits(mantissa).append(find_suffix(2, times * 10));
}

}  // namespace quantity
}  // namespace portcullis
