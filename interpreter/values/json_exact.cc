// The exact JSON reader: accepts and refuses what Go's encoding/json does, with Go's texts and a position.
//
// Idea: one loop over the text with an explicit stack, so nesting uses heap instead of stack. The values of
// open containers are kept in one vector and move to the arena when their container closes. It is far slower
// than simdjson, but sees only what simdjson refuses: large integers, broken surrogates and UTF-8, deep
// nesting, invalid documents. As in Go, invalid UTF-8 and lone surrogates become U+FFFD (one for each byte
// that starts no character), a number that is no int64 is a double, and 1e400 is an error.
// Tested by interpreter/values/json_test.cc.
#include <charconv>
#include <cstring>
#include <vector>

#include "grammar/ascii.h"
#include "grammar/utf8.h"
#include "interpreter/values/json.h"
#include "interpreter/values/native.h"

namespace portcullis {
namespace {

constexpr std::string_view kEarlyEnd = "unexpected end of JSON input";
constexpr std::string_view kLargeNumber = "json: cannot unmarshal number ";

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

class ExactParser {
 public:
  ExactParser(std::string_view text, Arena& arena) : text_(text), arena_(arena) {}

  Result<Value> run() {
    // Each round reads one value or the start of a container, then closes the containers that end behind it.
    do {
      if (!begin_value()) return failure();
    } while (!stack_.empty());
    skip_space();
    if (at_ < text_.size()) {
      bad("after top-level value");
      return failure();
    }
    return values_.front();
  }

 private:
  struct Open {
    bool map;
    size_t first;  // index in values_ of its first value; a map alternates keys and values
  };

  int peek() const { return at_ < text_.size() ? static_cast<unsigned char>(text_[at_]) : -1; }
  void skip_space() {
    while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_]) != nullptr && text_[at_] != 0) at_++;
  }

  bool fail(std::string text) {
    error_ = std::move(text);
    return false;
  }
  bool bad(std::string_view context) {
    // At the end of a text Go feeds its scanner one space. If a space is wrong there, the error names the
    // space.
    bool within_token = context != "in string literal" &&
                        (context.starts_with("in ") || context.ends_with("numeric literal"));
    if (at_ >= text_.size() && !within_token) return fail(std::string(kEarlyEnd));
    char c = at_ < text_.size() ? text_[at_] : ' ';
    return fail("invalid character " + quote_char(static_cast<unsigned char>(c)) + " " +
                std::string(context));
  }

  Error failure() const {
    Error error{error_, {1, 1}};
    for (size_t i = 0; i < at_ && i < text_.size(); i++) {
      if (text_[i] == '\n') {
        error.position.line++;
        error.position.column = 1;
      } else if ((text_[i] & 0xc0) != 0x80) {
        error.position.column++;
      }
    }
    return error;
  }

  bool begin_value() {
    skip_space();
    switch (int c = peek()) {
      case '{':
      case '[': return open(c == '{');
      case '"': return string() && finish_value();
      case 't': return literal("true", Value::boolean(true));
      case 'f': return literal("false", Value::boolean(false));
      case 'n': return literal("null", Value::null());
      default:
        if (c == '-' || is_digit(c)) return number() && finish_value();
        return bad("looking for beginning of value");
    }
  }

  bool open(bool map) {
    if (stack_.size() >= static_cast<size_t>(kMaxJsonDepth)) return bad("exceeded max depth");
    at_++;
    stack_.push_back({map, values_.size()});
    skip_space();
    if (peek() == (map ? '}' : ']')) {
      close();
      return finish_value();
    }
    return map ? key() : true;
  }

  bool key() {
    skip_space();
    if (peek() != '"') return bad("looking for beginning of object key string");
    if (!string()) return false;
    skip_space();
    if (peek() != ':') return bad("after object key");
    at_++;
    return true;
  }

  // The value is complete, at the end of values_. Reads what follows it in its container and closes
  // containers that end.
  bool finish_value() {
    while (!stack_.empty()) {
      skip_space();
      bool map = stack_.back().map;
      if (peek() == ',') {
        at_++;
        return map ? key() : true;
      }
      if (peek() != (map ? '}' : ']'))
        return bad(map ? "after object key:value pair" : "after array element");
      close();
    }
    return true;
  }

  // Makes a value of the innermost container, whose closing bracket is at at_.
  void close() {
    at_++;
    Open open = stack_.back();
    stack_.pop_back();
    Value* first = values_.data() + open.first;
    size_t n = values_.size() - open.first;
    Value made;
    if (open.map) {
      n /= 2;
      MapEntry* entries = alloc_entries(arena_, n);
      for (size_t i = 0; i < n; i++) entries[i] = {first[2 * i], first[2 * i + 1]};
      made = make_native_map(entries, n);
    } else {
      Value* items = arena_.array<Value>(n);
      std::copy(first, first + n, items);
      made = Value::list(items, n, kNativeList);
    }
    values_.resize(open.first);
    values_.push_back(made);
  }

  bool literal(std::string_view word, Value value) {
    for (size_t i = 0; i < word.size(); i++, at_++) {
      if (peek() != word[i]) {
        return bad("in literal " + std::string(word) + " (expecting '" + word[i] + "')");
      }
    }
    values_.push_back(value);
    return finish_value();
  }

  bool digits(std::string_view context) {
    if (!is_digit(peek())) return bad(context);
    while (is_digit(peek())) at_++;
    return true;
  }

  bool number() {
    size_t start = at_;
    bool whole = true;
    if (peek() == '-') at_++;
    if (peek() == '0') {
      at_++;
    } else if (!digits("in numeric literal")) {
      return false;
    }
    if (peek() == '.') {
      whole = false;
      at_++;
      if (!digits("after decimal point in numeric literal")) return false;
    }
    if (peek() == 'e' || peek() == 'E') {
      whole = false;
      at_++;
      if (peek() == '+' || peek() == '-') at_++;
      if (!digits("in exponent of numeric literal")) return false;
    }
    return convert(text_.substr(start, at_ - start), start, whole);
  }

  bool convert(std::string_view digits, size_t start, bool whole) {
    const char* end = digits.data() + digits.size();
    int64_t integer = 0;
    if (whole && std::from_chars(digits.data(), end, integer).ec == std::errc()) {
      values_.push_back(Value::integer(integer));
      return true;
    }
    // strtod instead of from_chars: a number that is too small gives 0 without an error, one that is too
    // large infinity.
    double real = std::strtod(std::string(digits).c_str(), nullptr);
    if (real - real != 0) {
      at_ = start;
      return fail(std::string(kLargeNumber) + std::string(digits) + " into Go value of type float64");
    }
    values_.push_back(Value::real(real));
    return true;
  }

  bool string() {
    at_++;
    std::string& out = scratch_;
    out.clear();
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
    values_.push_back(Value::string(arena_.copy(out)));
    return true;
  }

  bool escape(std::string& out) {
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
  uint32_t code_point(uint32_t unit) {
    if (unit < 0xd800 || unit > 0xdfff) return unit;
    int low = text_.substr(at_, 2) == "\\u" ? hex4(text_, at_ + 2) : -1;
    if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff) return 0xfffd;
    at_ += 6;
    return 0x10000 + ((unit - 0xd800) << 10) + (static_cast<uint32_t>(low) - 0xdc00);
  }

  std::string_view text_;
  Arena& arena_;
  size_t at_ = 0;
  std::vector<Open> stack_;
  std::vector<Value> values_;
  std::string scratch_;
  std::string error_;
};

}  // namespace

Result<Value> read_json(std::string_view text, Arena& arena) { return ExactParser(text, arena).run(); }

bool is_early_end(const Error& error) { return error.text == kEarlyEnd; }

bool is_large_number(const Error& error) { return error.text.starts_with(kLargeNumber); }

}  // namespace portcullis
