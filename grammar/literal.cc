#include "grammar/literal.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "grammar/utf8.h"

namespace portcullis {
namespace {

constexpr char kBadEscape[] = "unable to unescape string";
constexpr char kBadOctal[] = "unable to unescape octal sequence in string";
constexpr char kBadRune[] = "invalid unicode code point";
constexpr char kTrailingBackslash[] = "unable to unescape string, found '\\' as last character";

// "\r\n" and "\r" become "\n", in raw strings too.
std::string normalize_newlines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out += text[i];
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      out += '\n';
    }
  }
  return out;
}

// Removes the quotes, one or three on each side; false if they do not match.
bool strip_quotes(std::string_view& text) {
  if (text.size() < 2) return false;
  const char quote = text.front();
  if ((quote != '"' && quote != '\'') || text.back() != quote) return false;
  const std::string_view three = quote == '"' ? R"(""")" : "'''";
  size_t count = 1;
  if (text.size() >= 6 && text.starts_with(three)) {
    if (!text.ends_with(three)) return false;
    count = 3;
  }
  text = text.substr(count, text.size() - 2 * count);
  return true;
}

// The character that \a, \n, ... stands for, or 0 if `letter` is no such escape.
char simple_escape(char letter) {
  switch (letter) {
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    case '\\':
    case '\'':
    case '"':
    case '`':
    case '?': return letter;
    default: return 0;
  }
}

size_t hex_digits(char letter) {
  switch (letter) {
    case 'x':
    case 'X': return 2;
    case 'u': return 4;
    case 'U': return 8;
    default: return 0;
  }
}

// Appends what an \x, \u, \U or octal escape stands for: a byte in bytes, a code point in strings.
Result<void> append_number(std::string& out, uint32_t value, bool bytes) {
  if (bytes) {
    out += static_cast<char>(value);
    return {};
  }
  if (!utf8::is_scalar(value)) return Error{kBadRune};
  utf8::append(out, value);
  return {};
}

// Reads one escape from the front of `text`, which starts behind the backslash.
Result<void> unescape_one(std::string_view& text, bool bytes, std::string& out) {
  const char letter = text.front();
  if (const char c = simple_escape(letter)) {
    out += c;
    text.remove_prefix(1);
    return {};
  }
  const bool octal = letter >= '0' && letter <= '3';
  const size_t skip = octal ? 0 : 1, digits = octal ? 3 : hex_digits(letter);
  const char* const bad = octal ? kBadOctal : kBadEscape;
  if (digits == 0 || (bytes && digits > 3) || text.size() < skip + digits) return Error{bad};
  uint32_t value = 0;
  const char *first = text.data() + skip, *last = first + digits;
  if (std::from_chars(first, last, value, octal ? 8 : 16).ptr != last) return Error{bad};
  text.remove_prefix(skip + digits);
  return append_number(out, value, bytes);
}

template <class T>
std::optional<T> parse_digits(std::string_view text, bool negative) {
  int base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  }
  const std::string signed_text = (negative ? "-" : "") + std::string(text);
  const char *first = signed_text.data(), *last = first + signed_text.size();
  T value = 0;
  const auto [end, error] = std::from_chars(first, last, value, base);
  if (error != std::errc() || end != last) return std::nullopt;
  return value;
}

// Whether a number that a double cannot hold is too small rather than too large; its decimal exponent tells.
bool is_tiny(std::string_view text) {
  const size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, e);
  std::string_view exponent = text.substr(std::min(e + 1, text.size()));
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  const size_t digit = mantissa.find_first_not_of("0.");
  if (digit == std::string_view::npos) return true;
  const size_t point = std::min(mantissa.find('.'), mantissa.size());
  const auto magnitude = static_cast<int64_t>(point) - static_cast<int64_t>(digit);
  int64_t power = 0;
  if (!exponent.empty()) {
    const auto result = std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
    if (result.ec == std::errc::result_out_of_range) return exponent.starts_with('-');
  }
  return power < -magnitude;
}

}  // namespace

Result<std::string> unescape(std::string_view token, bool bytes) {
  const std::string normal = normalize_newlines(token);
  std::string_view text = normal;
  if (text.size() < 2) return Error{kBadEscape};
  const bool raw = text.front() == 'r' || text.front() == 'R';
  if (raw) text.remove_prefix(1);
  if (!strip_quotes(text)) return Error{kBadEscape};
  if (raw) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c != '\\') {
      out += c;
    } else if (text.empty()) {
      return Error{kTrailingBackslash};
    } else if (const Result<void> done = unescape_one(text, bytes, out); !done) {
      return done.error();
    }
  }
  return out;
}

std::optional<int64_t> parse_int(std::string_view token, bool negative) {
  return parse_digits<int64_t>(token, negative);
}

std::optional<uint64_t> parse_uint(std::string_view token) {
  if (token.empty()) return std::nullopt;
  token.remove_suffix(1);
  return parse_digits<uint64_t>(token, false);
}

std::optional<double> parse_double(std::string_view token, bool negative) {
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error == std::errc::result_out_of_range) {
    if (!is_tiny(token)) return std::nullopt;
    value = 0;
  } else if (error != std::errc() || end != token.data() + token.size()) {
    return std::nullopt;
  }
  return negative ? -value : value;
}

}  // namespace portcullis
