// literal: the values of literal tokens (numbers, strings, bytes).
//
// Idea: the lexer has checked the form of a token; these functions check ranges and escapes, with cel-go's
// error texts. Tested by grammar/literal_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "grammar/result.h"

namespace portcullis {

// The content of a string literal token. `token` includes the quotes and an r or R prefix, but no b or B.
// With `bytes`, \x and octal escapes are raw bytes, and \u and \U are refused. Errors carry cel-go's text
// ("unable to unescape string").
Result<std::string> unescape(std::string_view token, bool bytes);

// The value of an integer token, decimal or 0x; `negative` if a '-' precedes it. Nothing if out of range.
std::optional<int64_t> parse_int(std::string_view token, bool negative);
// The same for an unsigned token, whose last character is u or U.
std::optional<uint64_t> parse_uint(std::string_view token);
// The value of a decimal number without a sign in front: digits, a point, an exponent. Nothing on overflow;
// underflow gives zero or the nearest subnormal (strconv.ParseFloat). All that reads such numbers uses it, since
// strtod follows the locale of the program.
std::optional<double> parse_double(std::string_view token, bool negative);

}  // namespace portcullis
