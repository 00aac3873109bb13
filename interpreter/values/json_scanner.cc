// See json_scanner.h.
#include "interpreter/values/json_scanner.h"

#include <cstdint>
#include <cstring>
#include <utility>

#include "grammar/ascii.h"
#include "grammar/utf8.h"

namespace portcullis {
namespace {

// A byte as Go's error texts quote it: a character of Latin-1.
std::string quote_char(unsigned char c) {
  static const char* const kShort[] = {"\\a", "\\b", "\\t", "\\n", "\\v", "\\f", "\\r"};
  if (c == '\'') return "'\\''";
  if (c == '\\') return "'\\\\'";
  if (c >= 7 && c <= 13) return "'" + std::string(kShort[c - 7]) + "'";
  std::string hex = {kHexDigits[c >> 4], kHexDigits[c & 15]};
  if (c < ' ' || c == 0x7f) return "'\\x" + hex + "'";
  if (c < 0x80) return std::string("'") + static_cast<char>(c) + "'";
  // Characters that Go does not print: C1 controls, no-break space, soft hyphen.
  if (c <= 0xa0 || c == 0xad) return "'\\u00" + hex + "'";
  return {'\'', static_cast<char>(0xc0 | c >> 6), static_cast<char>(0x80 | (c & 0x3f)), '\''};
}

// The value of the four hex digits at `at` (behind `\u`), or -1.
int hex4(std::string_view s, size_t at) {
  int value = 0;
  for (size_t i = at; i < at + 4; i++) {
    int digit = i < s.size() ? hex_value(s[i]) : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

}  // namespace

void JsonScanner::skip_space() {
  while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_]) != nullptr && text_[at_] != 0) at_++;
}

bool JsonScanner::fail(std::string text) {
  error_ = std::move(text);
  return false;
}

Error JsonScanner::failure() const {
  Error error{error_, {1, 1}};
  for (char c : text_.substr(0, at_)) {
    if (c == '\n') {
      error.position.line++;
      error.position.column = 1;
    } else if ((c & 0xc0) != 0x80) {
      error.position.column++;
    }
  }
  return error;
}

bool JsonScanner::bad(std::string_view context) {
  // At the end of a text Go feeds its scanner one space. If a space is wrong there, the error names the
  // space.
  bool within_token =
      context != "in string literal" && (context.starts_with("in ") || context.ends_with("numeric literal"));
  if (at_ >= text_.size() && !within_token) return fail(std::string(kJsonEndsEarly));
  char c = at_ < text_.size() ? text_[at_] : ' ';
  return fail("invalid character " + quote_char(static_cast<unsigned char>(c)) + " " + std::string(context));
}

bool JsonScanner::word(std::string_view word) {
  for (size_t i = 0; i < word.size(); i++, at_++) {
    if (peek() != word[i]) return bad("in literal " + std::string(word) + " (expecting '" + word[i] + "')");
  }
  return true;
}

bool JsonScanner::colon() {
  skip_space();
  if (peek() != ':') return bad("after object key");
  at_++;
  return true;
}

bool JsonScanner::digits(std::string_view context) {
  if (!is_digit(peek())) return bad(context);
  while (is_digit(peek())) at_++;
  return true;
}

bool JsonScanner::number() {
  if (peek() == '-') at_++;
  if (peek() == '0') {
    at_++;
  } else if (!digits("in numeric literal")) {
    return false;
  }
  if (peek() == '.') {
    at_++;
    if (!digits("after decimal point in numeric literal")) return false;
  }
  if (peek() == 'e' || peek() == 'E') {
    at_++;
    if (peek() == '+' || peek() == '-') at_++;
    if (!digits("in exponent of numeric literal")) return false;
  }
  return true;
}

bool JsonScanner::string(std::string& out) {
  at_++;
  for (;;) {
    int c = peek();
    if (c == '"') break;
    if (c < ' ') return bad("in string literal");
    if (c == '\\') {
      if (!escape(out)) return false;
    } else if (c < 0x80) {
      out += static_cast<char>(c);
      at_++;
    } else {
      const utf8::Rune rune = utf8::decode(text_.substr(at_));
      utf8::append(out, rune.value);
      at_ += rune.size;
    }
  }
  at_++;
  return true;
}

bool JsonScanner::escape(std::string& out) {
  at_++;
  static const char kFrom[] = "\"\\/bfnrt", kTo[] = "\"\\/\b\f\n\r\t";
  int c = peek();
  if (const char* p = c > 0 ? std::strchr(kFrom, c) : nullptr) {
    out += kTo[p - kFrom];
    at_++;
    return true;
  }
  if (c != 'u') return bad("in string escape code");
  at_++;
  for (size_t i = 0; i < 4; i++, at_++) {
    if (hex_value(peek()) < 0) return bad("in \\u hexadecimal character escape");
  }
  utf8::append(out, code_point(static_cast<uint32_t>(hex4(text_, at_ - 4))));
  return true;
}

// The character of the \u escape before at_. Reads the second half of a surrogate pair as well; a lone half
// gives U+FFFD.
uint32_t JsonScanner::code_point(uint32_t unit) {
  if (unit < 0xd800 || unit > 0xdfff) return unit;
  int low = text_.substr(at_, 2) == "\\u" ? hex4(text_, at_ + 2) : -1;
  if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff) return 0xfffd;
  at_ += 6;
  return 0x10000 + ((unit - 0xd800) << 10) + (static_cast<uint32_t>(low) - 0xdc00);
}

}  // namespace portcullis
