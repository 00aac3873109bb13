// Decimal: see decimal.h. All loops go over limbs of nine digits, least significant first.
#include "admission/scalars/decimal.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>

#include "grammar/literal.h"

namespace portcullis::decimal {
namespace {

constexpr uint32_t kBase = 1000000000;
constexpr int kDigits = 9;  // of a limb
constexpr uint32_t kPowers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};

Decimal trimmed(bool negative, int32_t scale, const uint32_t* limbs, size_t n) {
  while (n > 0 && limbs[n - 1] == 0) n--;
  return {negative && n > 0, scale, {limbs, n}};
}

int digits_of(uint32_t limb) {
  int n = 1;
  while (n < kDigits && limb >= kPowers[n]) n++;
  return n;
}

int64_t digit_count(const Decimal& d) {
  if (d.limbs.empty()) return 0;
  return static_cast<int64_t>(d.limbs.size() - 1) * kDigits + digits_of(d.limbs.back());
}

// out = in * factor (at most 2^32-1); out has one limb more than in.
void multiply_small(std::span<const uint32_t> in, uint32_t factor, uint32_t* out) {
  uint64_t carry = 0;
  for (size_t i = 0; i < in.size(); i++) {
    carry += uint64_t{in[i]} * factor;
    out[i] = static_cast<uint32_t>(carry % kBase);
    carry /= kBase;
  }
  out[in.size()] = static_cast<uint32_t>(carry);
}

// out = in / divisor; returns the remainder. out may be in.
uint32_t divide_small(std::span<const uint32_t> in, uint32_t divisor, uint32_t* out) {
  uint64_t rest = 0;
  for (size_t i = in.size(); i-- > 0;) {
    rest = rest * kBase + in[i];
    out[i] = static_cast<uint32_t>(rest / divisor);
    rest %= divisor;
  }
  return static_cast<uint32_t>(rest);
}

// unscaled * 10^shift at scale + shift.
Decimal shift_left(Arena& arena, const Decimal& d, int64_t shift) {
  int32_t scale = static_cast<int32_t>(d.scale + shift);
  if (shift == 0 || d.limbs.empty()) return {d.negative, scale, d.limbs};
  size_t whole = static_cast<size_t>(shift / kDigits), n = whole + d.limbs.size() + 1;
  uint32_t* out = arena.array<uint32_t>(n);
  std::fill_n(out, whole, 0);
  multiply_small(d.limbs, kPowers[shift % kDigits], out + whole);
  return trimmed(d.negative, scale, out, n);
}

int compare_limbs(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  for (size_t i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

// Limb i of |d| * 10^shift, computed without the whole product.
uint32_t shifted_limb(const Decimal& d, int64_t shift, size_t i) {
  int64_t whole = shift / kDigits, part = shift % kDigits;
  int64_t k = static_cast<int64_t>(i) - whole, n = static_cast<int64_t>(d.limbs.size());
  uint64_t high = k >= 0 && k < n ? d.limbs[k] : 0;
  uint64_t low = k - 1 >= 0 && k - 1 < n ? d.limbs[k - 1] : 0;
  return static_cast<uint32_t>((high * kPowers[part]) % kBase + low / kPowers[kDigits - part]);
}

int compare_magnitude(const Decimal& a, const Decimal& b) {
  int64_t ma = digit_count(a) - a.scale, mb = digit_count(b) - b.scale;
  if (ma != mb) return ma < mb ? -1 : 1;
  int64_t sa = std::max<int64_t>(0, int64_t{b.scale} - a.scale),
          sb = std::max<int64_t>(0, int64_t{a.scale} - b.scale);
  size_t n = std::max(a.limbs.size() + sa / kDigits, b.limbs.size() + sb / kDigits) + 2;
  for (size_t i = n; i-- > 0;) {
    uint32_t x = shifted_limb(a, sa, i), y = shifted_limb(b, sb, i);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

// |a| + |b|, same scale.
Decimal add_magnitude(Arena& arena, const Decimal& a, const Decimal& b) {
  size_t n = std::max(a.limbs.size(), b.limbs.size()) + 1;
  uint32_t* out = arena.array<uint32_t>(n);
  uint32_t carry = 0;
  for (size_t i = 0; i < n; i++) {
    uint32_t sum = carry + (i < a.limbs.size() ? a.limbs[i] : 0) + (i < b.limbs.size() ? b.limbs[i] : 0);
    carry = sum >= kBase;
    out[i] = carry ? sum - kBase : sum;
  }
  return trimmed(a.negative, a.scale, out, n);
}

// |a| - |b| for |a| >= |b|, same scale; the sign of a.
Decimal subtract_magnitude(Arena& arena, const Decimal& a, const Decimal& b) {
  size_t n = a.limbs.size();
  uint32_t* out = arena.array<uint32_t>(n);
  int64_t borrow = 0;
  for (size_t i = 0; i < n; i++) {
    int64_t d = int64_t{a.limbs[i]} - borrow - (i < b.limbs.size() ? b.limbs[i] : 0);
    borrow = d < 0;
    out[i] = static_cast<uint32_t>(borrow ? d + kBase : d);
  }
  return trimmed(a.negative, a.scale, out, n);
}

// |d| / 10^shift rounded up, at scale - shift.
Decimal shift_right_up(Arena& arena, const Decimal& d, int64_t shift) {
  int32_t scale = static_cast<int32_t>(d.scale - shift);
  uint32_t* out = arena.array<uint32_t>(d.limbs.size() + 2);
  if (shift >= digit_count(d)) {
    out[0] = 1;
    return trimmed(d.negative, scale, out, d.limbs.empty() ? 0 : 1);
  }
  size_t whole = static_cast<size_t>(shift / kDigits), n = d.limbs.size() - whole;
  auto cut = d.limbs.first(whole);
  bool rest = std::any_of(cut.begin(), cut.end(), [](uint32_t limb) { return limb != 0; });
  rest |= divide_small(d.limbs.subspan(whole), kPowers[shift % kDigits], out) != 0;
  for (size_t i = 0; rest; i++) {
    if (i == n) out[n++] = 0;
    rest = ++out[i] == kBase;
    if (rest) out[i] = 0;
  }
  return trimmed(d.negative, scale, out, n);
}

}  // namespace

Decimal from_int(Arena& arena, int64_t value, int32_t scale) {
  uint64_t rest = value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  uint32_t* out = arena.array<uint32_t>(3);
  for (int i = 0; i < 3; i++, rest /= kBase) out[i] = static_cast<uint32_t>(rest % kBase);
  return trimmed(value < 0, scale, out, 3);
}

std::optional<Decimal> parse(Arena& arena, std::string_view text) {
  bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
  size_t dot = text.find('.');
  size_t count = text.size() - (dot != text.npos), n = count / kDigits + 1;
  if (count == 0) return std::nullopt;
  uint32_t* out = arena.array<uint32_t>(n);
  std::fill_n(out, n, 0);
  size_t k = 0;  // digits seen, from the end
  for (size_t i = text.size(); i-- > 0;) {
    if (i == dot) continue;
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    out[k / kDigits] += static_cast<uint32_t>(text[i] - '0') * kPowers[k % kDigits];
    k++;
  }
  return trimmed(negative, static_cast<int32_t>(dot == text.npos ? 0 : text.size() - dot - 1), out, n);
}

Decimal times_power_of_two(Arena& arena, const Decimal& d, int exponent) {
  Decimal out = d;
  for (; exponent > 0; exponent -= 30) {
    uint32_t* limbs = arena.array<uint32_t>(out.limbs.size() + 1);
    multiply_small(out.limbs, uint32_t{1} << std::min(exponent, 30), limbs);
    out = trimmed(d.negative, d.scale, limbs, out.limbs.size() + 1);
  }
  return out;
}

std::optional<Decimal> round_up(Arena& arena, const Decimal& d, int32_t scale) {
  int64_t shift = int64_t{scale} - d.scale;
  if (shift > kMaxShift) return std::nullopt;
  return shift >= 0 ? shift_left(arena, d, shift) : shift_right_up(arena, d, -shift);
}

int compare(const Decimal& a, const Decimal& b) {
  if (a.sign() != b.sign()) return a.sign() < b.sign() ? -1 : 1;
  return a.sign() * compare_magnitude(a, b);
}

std::optional<Decimal> add(Arena& arena, const Decimal& a, const Decimal& b) {
  int64_t shift = int64_t{a.scale} - b.scale;
  if (std::abs(shift) > kMaxShift) return std::nullopt;
  Decimal x = shift < 0 ? shift_left(arena, a, -shift) : a;
  Decimal y = shift > 0 ? shift_left(arena, b, shift) : b;
  if (x.limbs.empty()) return y;
  if (y.limbs.empty()) return x;
  if (x.negative == y.negative) return add_magnitude(arena, x, y);
  return compare_limbs(x.limbs, y.limbs) >= 0 ? subtract_magnitude(arena, x, y)
                                              : subtract_magnitude(arena, y, x);
}

Decimal negate(Decimal d) {
  d.negative = !d.negative && !d.limbs.empty();
  return d;
}

Decimal remove_tens(Arena& arena, const Decimal& d, int& times) {
  times = 0;
  if (d.limbs.empty()) return d;
  size_t whole = 0;
  while (d.limbs[whole] == 0) whole++;
  int part = 0;
  while (d.limbs[whole] % kPowers[part + 1] == 0) part++;
  times = static_cast<int>(whole) * kDigits + part;
  const size_t n = d.limbs.size() - whole;
  uint32_t* limbs = arena.array<uint32_t>(n);
  divide_small(d.limbs.subspan(whole), kPowers[part], limbs);
  return trimmed(d.negative, d.scale, limbs, n);
}

Decimal remove_1024(Arena& arena, const Decimal& d, int& times) {
  times = 0;
  const size_t n = d.limbs.size();
  uint32_t *from = arena.array<uint32_t>(n), *to = arena.array<uint32_t>(n);
  std::ranges::copy(d.limbs, from);
  size_t length = n;
  for (const int step : {3, 1}) {  // 1024^3 fits in 32 bits, and most of the work is done by it
    while (length > 0 && divide_small({from, length}, uint32_t{1} << (10 * step), to) == 0) {
      std::swap(from, to);
      while (length > 0 && from[length - 1] == 0) length--;
      times += step;
    }
  }
  return trimmed(d.negative, d.scale, from, length);
}

std::string digits(const Decimal& d) {
  if (d.limbs.empty()) return "0";
  std::string out = (d.negative ? "-" : "") + std::to_string(d.limbs.back());
  for (size_t i = d.limbs.size() - 1; i-- > 0;) {
    const std::string limb = std::to_string(d.limbs[i]);
    out.append(kDigits - limb.size(), '0').append(limb);
  }
  return out;
}

double unscaled_double(const Decimal& d) {
  // Rounds the exact decimal to nearest even, as the big.Float of 53 bits in Go does, and overflows to infinity.
  const std::string text = digits(d);
  const auto rounded = parse_double(std::string_view(text).substr(d.negative), d.negative);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return rounded.value_or(d.negative ? -kInfinity : kInfinity);
}

}  // namespace portcullis::decimal
