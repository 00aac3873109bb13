// Characters of ASCII, whatever the locale is. Bytes above 127 belong to no class.
// Tested by its users, such as grammar/escape_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace portcullis {

constexpr bool is_digit(int c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower(int c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_upper(int c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_letter(int c) { return is_lower(c) || is_upper(c); }
constexpr bool is_alphanumeric(int c) { return is_letter(c) || is_digit(c); }
// The value of a hexadecimal digit; -1 for any other character.
constexpr int hex_value(int c) {
  if (is_digit(c)) return c - '0';
  const int lower = c | 0x20;
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}
constexpr bool is_hex_digit(int c) { return hex_value(c) >= 0; }
inline constexpr std::string_view kHexDigits = "0123456789abcdef", kUpperHexDigits = "0123456789ABCDEF";
inline constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Letters in the other case; every other byte as it is.
constexpr char to_lower(char c) { return is_upper(c) ? static_cast<char>(c | 0x20) : c; }
inline std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = to_lower(c);
  return out;
}
constexpr char to_upper(char c) { return is_lower(c) ? static_cast<char>(c & ~0x20) : c; }

}  // namespace portcullis
