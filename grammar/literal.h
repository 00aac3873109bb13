// literal: the values of literal tokens.
//
// Idea: the lexer has checked the shape; here ranges and escapes are decided, with cel-go's error texts.
// Tested by grammar/literal_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "grammar/result.h"

namespace portcullis {

// The content of a string literal token with its quotes and r/R prefix (but without b/B). With
// `bytes`, \x and octal escapes are raw bytes and \u, \U are refused. Errors carry cel-go's text
// ("unable to unescape string").
Result<std::string> unescape(std::string_view token, bool bytes);

// Integer tokens: decimal or 0x, without sign; `negative` says that a '-' stood before.
// Nothing if out of range.
std::optional<int64_t> parse_int(std::string_view token, bool negative);
// With the trailing u or U.
std::optional<uint64_t> parse_uint(std::string_view token);
// Nothing on overflow; underflow gives zero or the nearest subnormal (strconv.ParseFloat).
std::optional<double> parse_double(std::string_view token, bool negative);

}  // namespace portcullis
