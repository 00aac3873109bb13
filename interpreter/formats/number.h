// Numbers as text, as Go writes and reads them.
//
// Idea: CEL's conversions and messages are Go's `strconv` and `fmt`, so these follow their rules to the byte:
// shortest digits that read back, exponents of at least two digits, hexadecimal floats, underscores between
// digits of floats. Limits: 64-bit values; a precision above kMaxPrecision is refused by Go's fmt and has no
// meaning here. Tested by interpreter/formats/number_test.cc.
#pragma once

#include <cstdint>
#include <string_view>

#include "interpreter/values/builder.h"

namespace portcullis {

// Go's fmt takes no width or precision above this (fmt.tooLarge).
inline constexpr int64_t kMaxPrecision = 1'000'000;

// strconv.FormatInt and FormatUint in base 2..16, lower case unless `upper`.
void append_int(TextBuilder& out, int64_t value, int base = 10, bool upper = false);
void append_uint(TextBuilder& out, uint64_t value, int base = 10, bool upper = false);

// %g: shortest digits, with an exponent if it is below -4 or at least 6 digits ("1e+06");
// "NaN", "+Inf", "-Inf".
void append_general(TextBuilder& out, double value);
// FormatFloat(value, 'f', -1): shortest digits, never an exponent; "NaN", "+Inf", "-Inf".
void append_decimal(TextBuilder& out, double value);
// %.Nf and %.Ne: exact digits, rounded half to even; "NaN", "+Inf", "-Inf". 0 <= precision <= kMaxPrecision.
void append_fixed(TextBuilder& out, double value, int precision);
void append_scientific(TextBuilder& out, double value, int precision);

enum class ParseStatus : uint8_t { Ok, Syntax, Range };

template <class T>
struct Parsed {
  ParseStatus status = ParseStatus::Syntax;
  T value = {};
  explicit operator bool() const { return status == ParseStatus::Ok; }
};

// strconv.ParseInt(text, 10, 64), also Atoi: optional sign, digits.
Parsed<int64_t> read_int(std::string_view text);
// strconv.ParseUint(text, 10, 64): digits only.
Parsed<uint64_t> read_uint(std::string_view text);
// strconv.ParseFloat(text, 64): decimal or hexadecimal, "inf", "infinity" with sign and "nan" without, in any
// case; underscores between digits; too small is 0, too large is Range.
Parsed<double> read_float(std::string_view text);
// strconv.ParseBool: 1 t T TRUE true True, 0 f F FALSE false False.
Parsed<bool> read_bool(std::string_view text);

// What strconv.Atoi says of a failed read_int: `strconv.Atoi: parsing "x": invalid syntax`.
void append_atoi_error(TextBuilder& out, std::string_view text, ParseStatus status);

}  // namespace portcullis
