// The exact JSON reader: accepts and refuses what Go's encoding/json does, with Go's texts and a position.
//
// Idea: one loop over the text with an explicit stack, so nesting uses heap instead of stack. The values of
// open containers are kept in one vector and move to the arena when their container closes. It is far slower
// than simdjson, but sees only what simdjson refuses: large integers, broken surrogates and UTF-8, deep
// nesting, invalid documents. As in Go, a number that is no int64 is a double, and 1e400 is an error.
// Tested by interpreter/values/json_test.cc.
#include <charconv>
#include <optional>
#include <vector>

#include "grammar/ascii.h"
#include "grammar/literal.h"
#include "interpreter/values/json.h"
#include "interpreter/values/json_scanner.h"
#include "interpreter/values/native.h"

namespace portcullis {
namespace {

constexpr std::string_view kLargeNumber = "json: cannot unmarshal number ";

class ExactParser : JsonScanner {
 public:
  ExactParser(std::string_view text, Arena& arena) : JsonScanner(text), arena_(arena) {}

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
    if (large_) {  // Go looks at numbers when the whole text is well-formed
      at_ = *large_;
      return failure();
    }
    return values_.front();
  }

 private:
  struct Open {
    bool map;
    size_t first;  // index in values_ of its first value; a map alternates keys and values
  };

  bool begin_value() {
    skip_space();
    switch (int c = peek()) {
      case '{':
      case '[': return open(c == '{');
      case '"': return text() && finish_value();
      case 't': return literal("true", Value::boolean(true));
      case 'f': return literal("false", Value::boolean(false));
      case 'n': return literal("null", Value::null());
      default:
        if (c == '-' || is_digit(c)) {
          const size_t start = at_;
          if (!number()) return false;
          convert(start);
          return finish_value();
        }
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
    return text() && colon();
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

  bool literal(std::string_view name, Value value) {
    if (!word(name)) return false;
    values_.push_back(value);
    return finish_value();
  }

  // Makes a value of the number that was read since `start`.
  void convert(size_t start) {
    const std::string_view digits = since(start);
    const char* end = digits.data() + digits.size();
    int64_t integer = 0;
    const auto read = std::from_chars(digits.data(), end, integer);
    if (read.ec == std::errc() && read.ptr == end) {
      values_.push_back(Value::integer(integer));
      return;
    }
    const bool negative = digits.starts_with('-');
    const auto real = parse_double(digits.substr(negative), negative);
    values_.push_back(Value::real(real.value_or(0)));
    if (!real && !large_) {
      fail(std::string(kLargeNumber) + std::string(digits) + " into Go value of type float64");
      large_ = start;
    }
  }

  bool text() {
    scratch_.clear();
    if (!string(scratch_)) return false;
    values_.push_back(Value::string(arena_.copy(scratch_)));
    return true;
  }

  Arena& arena_;
  std::vector<Open> stack_;
  std::vector<Value> values_;
  std::string scratch_;
  std::optional<size_t> large_;  // where the first number begins that is no double
};

}  // namespace

Result<Value> read_json(std::string_view text, Arena& arena) { return ExactParser(text, arena).run(); }

bool is_early_end(const Error& error) { return error.text.ends_with(kJsonEndsEarly); }

bool is_large_number(const Error& error) { return error.text.find(kLargeNumber) != error.text.npos; }

}  // namespace portcullis
