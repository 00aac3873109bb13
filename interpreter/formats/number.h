// Numbers as text, read and printed as Go does.
//
// Idea: CEL's conversions and messages come from Go's `strconv` and `fmt`, so these functions follow their
// rules to the byte: shortest digits that read back as the same number, exponents of at least two digits,
// hexadecimal floats, underscores between digits of floats.
// Limits: 64-bit values; the caller bounds the precision.
// Tested by interpreter/formats/number_test.cc.
#pragma once

#include <cstdint>
#include <string_view>

#include "interpreter/values/builder.h"

namespace portcullis {

// The largest integer up to which doubles hold all; JSON of CEL and protobuf has larger ones as strings.
inline constexpr int64_t kMostExact = (int64_t{1} << 53) - 1;
// Whether the integer lies within these bounds.
constexpr bool is_exact_in_double(int64_t i) { return i >= -kMostExact && i <= kMostExact; }
constexpr bool is_exact_in_double(uint64_t u) { return u <= static_cast<uint64_t>(kMostExact); }

// strconv.FormatInt and FormatUint in base 2..16, lower case unless `upper`.
void append_int(TextBuilder& out, int64_t value, int base = 10, bool upper = false);
void append_uint(TextBuilder& out, uint64_t value, int base = 10, bool upper = false);

// %g: the shortest digits, in exponent form if the decimal exponent is below -4 or there are more than 6
// digits ("1e+06"); "NaN", "+Inf", "-Inf".
void append_general(TextBuilder& out, double value);
// FormatFloat(value, 'f', -1): the shortest digits, never in exponent form; "NaN", "+Inf", "-Inf".
void append_decimal(TextBuilder& out, double value);
// %.Nf and %.Ne: exact digits, rounded half to even; "NaN", "+Inf", "-Inf". 0 <= precision.
void append_fixed(TextBuilder& out, double value, int precision);
void append_scientific(TextBuilder& out, double value, int precision);

enum class ParseStatus : uint8_t { Ok, Syntax, Range };

template <class T>
struct ReadValue {
  ParseStatus status = ParseStatus::Syntax;
  T value = {};
  explicit operator bool() const { return status == ParseStatus::Ok; }
};

// strconv.ParseInt(text, 10, 64), also Atoi: an optional sign and digits.
ReadValue<int64_t> read_int(std::string_view text);
// strconv.ParseUint(text, 10, 64): digits only.
ReadValue<uint64_t> read_uint(std::string_view text);
// strconv.ParseFloat(text, 64): decimal or hexadecimal; "inf" and "infinity" with or without sign, "nan"
// without, in any case; underscores between digits. A number that is too small gives 0, one that is too large
// gives Range.
ReadValue<double> read_float(std::string_view text);
// strconv.ParseBool: 1 t T TRUE true True, 0 f F FALSE false False.
ReadValue<bool> read_bool(std::string_view text);

// The error of strconv.Atoi for a failed read_int: `strconv.Atoi: parsing "x": invalid syntax`.
void append_atoi_error(TextBuilder& out, std::string_view text, ParseStatus status);

}  // namespace portcullis
