#include "grammar/quote.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "grammar/utf8.h"

namespace portcullis {
namespace {

// The letter of a two-character escape, or 0.
char escape_letter(char32_t rune) {
  switch (rune) {
    case '\a': return 'a';
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    case '\v': return 'v';
    case '"': return '"';
    case '\\': return '\\';
    default: return 0;
  }
}

void append_rune(std::string& out, char32_t rune) {
  if (const char letter = escape_letter(rune)) {
    out.append({'\\', letter});
  } else if (is_printable(rune)) {
    utf8::append(out, rune);
  } else if (rune < 0x80) {
    out += fmt::format("\\x{:02x}", static_cast<uint32_t>(rune));
  } else if (rune < 0x10000) {
    out += fmt::format("\\u{:04x}", static_cast<uint32_t>(rune));
  } else {
    out += fmt::format("\\U{:08x}", static_cast<uint32_t>(rune));
  }
}

}  // namespace

std::string quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const utf8::Rune rune = utf8::decode(text);
    if (rune.size == 1 && rune.value == utf8::kReplacement) {
      out += fmt::format("\\x{:02x}", static_cast<uint8_t>(text.front()));
    } else {
      append_rune(out, rune.value);
    }
    text.remove_prefix(rune.size);
  }
  return out + '"';
}

std::string format_double(double value, int limit) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
  char buffer[400];
  const auto scientific = std::to_chars(buffer, std::end(buffer), value, std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<size_t>(scientific.ptr - buffer));
  int exponent = 0;
  const size_t e = text.find('e');
  const std::string_view digits = text.substr(e + (text[e + 1] == '+' ? 2 : 1));
  std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (exponent < -4 || exponent >= limit) return std::string(text);
  const auto fixed = std::to_chars(buffer, std::end(buffer), value, std::chars_format::fixed);
  return std::string(buffer, fixed.ptr);
}

}  // namespace portcullis
