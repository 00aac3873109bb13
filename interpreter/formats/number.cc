#include "interpreter/formats/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "grammar/ascii.h"
#include "grammar/literal.h"
#include "interpreter/formats/text.h"

namespace portcullis {
namespace {

constexpr size_t kIntDigits = 66;  // 64 binary digits, a sign, one spare

// The shortest digits d of a finite value, which is 0.ddd * 10^point. No trailing zeros, except that 0 has
// one digit.
struct Shortest {
  char digits[24];
  int count = 0;
  int point = 0;
  bool negative = false;
};

Shortest shortest(double value) {
  Shortest s;
  char text[32];
  auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  const char* p = text;
  if (*p == '-') s.negative = true, ++p;
  for (; *p != 'e'; ++p) {
    if (*p != '.') s.digits[s.count++] = *p;
  }
  int exponent = 0;
  std::from_chars(p + (p[1] == '+' ? 2 : 1), end, exponent);
  s.point = exponent + 1;
  if (value == 0) s.point = 0;
  return s;
}

// "NaN", "+Inf" or "-Inf"; false for finite values.
bool append_special(TextBuilder& out, double value) {
  if (std::isfinite(value)) return false;
  out.append(std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
  return true;
}

void append_exponent(TextBuilder& out, int exponent) {
  out.append('e');
  out.append(exponent < 0 ? '-' : '+');
  int e = std::abs(exponent);
  if (e < 10) out.append('0');
  append_int(out, e);
}

void append_digits(TextBuilder& out, const Shortest& s) {
  std::string_view digits(s.digits, static_cast<size_t>(s.count));
  if (s.point <= 0) {
    out.append('0');
    if (digits == "0") return;
    out.append('.');
    out.append(static_cast<size_t>(-s.point), '0');
    out.append(digits);
  } else if (s.count <= s.point) {
    out.append(digits);
    out.append(static_cast<size_t>(s.point - s.count), '0');
  } else {
    out.append(digits.substr(0, static_cast<size_t>(s.point)));
    out.append('.');
    out.append(digits.substr(static_cast<size_t>(s.point)));
  }
}

// Appends the result of to_chars; `bound` is an upper bound of its length.
void append_chars(TextBuilder& out, double value, std::chars_format format, int precision, size_t bound) {
  char* p = out.extend(bound);
  auto end = std::to_chars(p, p + bound, value, format, precision).ptr;
  out.drop(bound - static_cast<size_t>(end - p));
}

bool is_hex_letter(char c) { return to_lower(c) >= 'a' && to_lower(c) <= 'f'; }

bool equals_ignoring_case(std::string_view text, std::string_view lower_case) {
  if (text.size() != lower_case.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (to_lower(text[i]) != lower_case[i]) return false;
  }
  return true;
}

// Whether each underscore of a number is between two digits or behind a base prefix.
bool underscores_ok(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  char saw = '^';
  bool hex = text.size() >= 2 && text[0] == '0' && to_lower(text[1]) == 'x';
  if (hex) text.remove_prefix(2), saw = '0';
  for (char c : text) {
    if (is_digit(c) || (hex && is_hex_letter(c))) {
      saw = '0';
    } else if (c == '_') {
      if (saw != '0') return false;
      saw = '_';
    } else {
      if (saw == '_') return false;
      saw = '!';
    }
  }
  return saw != '_';
}

// The parts of a float's text, without underscores.
struct FloatText {
  bool negative = false;
  bool hex = false;
  std::string_view mantissa;
  long exponent = 0;  // decimal, or binary if hex; saturated
};

constexpr long kExponentCap = 100000;  // no double has a larger exponent, so more digits change nothing

// Splits `text` by the grammar of strconv's readFloat; false if it is no number.
bool split_float(std::string_view text, FloatText& out) {
  size_t i = 0;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) out.negative = text[i++] == '-';
  if (i + 2 < text.size() && text[i] == '0' && to_lower(text[i + 1]) == 'x') out.hex = true, i += 2;
  size_t start = i;
  bool dot = false, digits = false;
  for (; i < text.size(); ++i) {
    char c = text[i];
    if (c == '_') continue;
    if (c == '.') {
      if (dot) break;
      dot = true;
    } else if (is_digit(c) || (out.hex && is_hex_letter(c))) {
      digits = true;
    } else {
      break;
    }
  }
  if (!digits) return false;
  out.mantissa = text.substr(start, i - start);
  if (i < text.size() && to_lower(text[i]) == (out.hex ? 'p' : 'e')) {
    if (++i >= text.size()) return false;
    bool minus = text[i] == '-';
    if (text[i] == '+' || text[i] == '-') ++i;
    if (i >= text.size() || !is_digit(text[i])) return false;
    for (; i < text.size() && (is_digit(text[i]) || text[i] == '_'); ++i) {
      if (text[i] != '_' && out.exponent < kExponentCap) out.exponent = out.exponent * 10 + (text[i] - '0');
    }
    if (minus) out.exponent = -out.exponent;
  } else if (out.hex) {
    return false;
  }
  return i == text.size() && (text.find('_') == text.npos || underscores_ok(text));
}

// Rounds a hexadecimal mantissa * 2^exponent to nearest, ties to even; infinity if too large.
double hex_value(const FloatText& f) {
  uint64_t mantissa = 0;
  bool sticky = false;
  long shift = f.exponent;
  bool after_dot = false;
  for (char c : f.mantissa) {
    if (c == '_') continue;
    if (c == '.') {
      after_dot = true;
      continue;
    }
    uint64_t d = static_cast<uint64_t>(is_digit(c) ? c - '0' : to_lower(c) - 'a' + 10);
    if (after_dot) shift -= 4;
    if (mantissa >> 60 == 0) {
      mantissa = mantissa << 4 | d;
    } else {
      shift += 4;
      sticky = sticky || d != 0;
    }
  }
  if (mantissa == 0) return 0;
  while (mantissa >> 63 == 0) mantissa <<= 1, --shift;
  // value = mantissa * 2^shift with 64 bits. A double keeps 53 bits, fewer if it is subnormal.
  long top = shift + 63;  // exponent of the first bit
  if (top > 1100) return std::numeric_limits<double>::infinity();
  long keep = top >= -1022 ? 53 : 53 - (-1022 - top);
  if (keep < 0) return 0;
  uint64_t kept = keep == 0 ? 0 : mantissa >> (64 - keep);
  uint64_t half = uint64_t{1} << (63 - keep);
  uint64_t rest = keep == 0 ? mantissa : mantissa & ((half << 1) - 1);
  bool up = rest > half || (rest == half && (sticky || (kept & 1)));
  if (up) ++kept;
  return std::ldexp(static_cast<double>(kept), static_cast<int>(shift + 64 - keep));
}

// The decimal value; infinity if too large. `text` is without sign.
double decimal_value(std::string_view text, bool negative) {
  // Nobody writes longer numbers by hand; for those the heap is good enough.
  char small[128];
  std::string large;
  char* clean = small;
  if (text.size() > sizeof small) large.resize(text.size()), clean = large.data();
  const char* const end = std::copy_if(text.begin(), text.end(), clean, [](char c) { return c != '_'; });
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return parse_double({clean, static_cast<size_t>(end - clean)}, negative)
      .value_or(negative ? -kInfinity : kInfinity);
}

}  // namespace

void append_int(TextBuilder& out, int64_t value, int base, bool upper) {
  if (value < 0) {
    out.append('-');
    return append_uint(out, uint64_t{0} - static_cast<uint64_t>(value), base, upper);
  }
  append_uint(out, static_cast<uint64_t>(value), base, upper);
}

void append_uint(TextBuilder& out, uint64_t value, int base, bool upper) {
  char digits[kIntDigits];
  char* end = std::to_chars(digits, digits + sizeof digits, value, base).ptr;
  if (upper) {
    for (char* p = digits; p != end; ++p) {
      if (*p >= 'a') *p = static_cast<char>(*p - 32);
    }
  }
  out.append({digits, static_cast<size_t>(end - digits)});
}

void append_general(TextBuilder& out, double value) {
  if (append_special(out, value)) return;
  Shortest s = shortest(value);
  if (s.negative) out.append('-');
  int exponent = s.point - 1;
  if (value != 0 && (exponent < -4 || exponent >= 6)) {
    out.append(s.digits[0]);
    if (s.count > 1) {
      out.append('.');
      out.append({s.digits + 1, static_cast<size_t>(s.count - 1)});
    }
    return append_exponent(out, exponent);
  }
  append_digits(out, s);
}

void append_decimal(TextBuilder& out, double value) {
  if (append_special(out, value)) return;
  Shortest s = shortest(value);
  if (s.negative) out.append('-');
  append_digits(out, s);
}

void append_fixed(TextBuilder& out, double value, int precision) {
  if (append_special(out, value)) return;
  append_chars(out, value, std::chars_format::fixed, precision, static_cast<size_t>(precision) + 320);
}

void append_scientific(TextBuilder& out, double value, int precision) {
  if (append_special(out, value)) return;
  append_chars(out, value, std::chars_format::scientific, precision, static_cast<size_t>(precision) + 16);
}

ReadValue<int64_t> read_int(std::string_view text) {
  bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  ReadValue<uint64_t> u = read_uint(text);
  if (u.status == ParseStatus::Syntax) return {};
  uint64_t limit = uint64_t{1} << 63;
  if (u.status == ParseStatus::Range || u.value > limit || (u.value == limit && !negative))
    return {ParseStatus::Range, 0};
  return {ParseStatus::Ok, static_cast<int64_t>(negative ? uint64_t{0} - u.value : u.value)};
}

ReadValue<uint64_t> read_uint(std::string_view text) {
  if (text.empty()) return {};
  uint64_t value = 0;
  bool range = false;
  for (char c : text) {
    if (!is_digit(c)) return {};
    range = range || __builtin_mul_overflow(value, uint64_t{10}, &value) ||
            __builtin_add_overflow(value, static_cast<uint64_t>(c - '0'), &value);
  }
  if (range) return {ParseStatus::Range, 0};
  return {ParseStatus::Ok, value};
}

ReadValue<double> read_float(std::string_view text) {
  std::string_view word = text;
  bool negative = !word.empty() && word[0] == '-';
  if (!word.empty() && (word[0] == '-' || word[0] == '+')) word.remove_prefix(1);
  if (equals_ignoring_case(word, "inf") || equals_ignoring_case(word, "infinity")) {
    double infinity = std::numeric_limits<double>::infinity();
    return {ParseStatus::Ok, negative ? -infinity : infinity};
  }
  if (equals_ignoring_case(text, "nan")) return {ParseStatus::Ok, std::numeric_limits<double>::quiet_NaN()};
  FloatText f;
  if (!split_float(text, f)) return {};
  double value = f.hex ? hex_value(f) * (f.negative ? -1.0 : 1.0) : decimal_value(word, negative);
  if (std::isinf(value)) return {ParseStatus::Range, value};
  return {ParseStatus::Ok, value};
}

ReadValue<bool> read_bool(std::string_view text) {
  for (std::string_view t : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == t) return {ParseStatus::Ok, true};
  }
  for (std::string_view f : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == f) return {ParseStatus::Ok, false};
  }
  return {};
}

void append_atoi_error(TextBuilder& out, std::string_view text, ParseStatus status) {
  out.append("strconv.Atoi: parsing ");
  append_quoted(out, text);
  out.append(status == ParseStatus::Range ? ": value out of range" : ": invalid syntax");
}

}  // namespace portcullis
