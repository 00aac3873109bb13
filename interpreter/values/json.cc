// The fast JSON reader: one pass over simdjson's index of a copy of the text.
//
// Representation: simdjson's first stage checks UTF-8, control characters and ends of strings, and gives the offsets at
// which brackets, commas, colons, strings, numbers and words start. Between such a token and the next one is nothing
// but white space, so the next offset tells where a token ends. Texts without escapes stay in the copy, which is part
// of the arena. The values of containers that are open lie on a stack and move to the arena when their container
// closes. The pass recurses; kMaxDepth bounds that. What it refuses goes to the exact reader, which accepts more, and
// tells errors.
// Tested by interpreter/values/json_test.cc, fuzz/json.cc; measured by bench/.
#include "interpreter/values/json.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "grammar/ascii.h"
#include "interpreter/values/map.h"
#include "interpreter/values/native.h"

namespace portcullis {
namespace {

// Internal to simdjson, but what its own readers stand on: no public one gives the index.
using Parser = simdjson::internal::dom_parser_implementation;

// Deeper texts, and larger ones (ten times what the API server accepts), go to the exact reader.
constexpr int kMaxDepth = 1024;
constexpr size_t kMaxFastText = 32 << 20;
// In maps up to this size, comparing all keys with each other is faster than make_map.
constexpr size_t kSmallMap = 8;
// The bytes behind the text that simdjson and quoted_string may read.
constexpr size_t kPadding = simdjson::SIMDJSON_PADDING;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// The values that are on the stack at once, for a text of `tokens`: a value that ends, or a key with its value, is
// followed by a comma or a bracket; one that is open has at most a key.
size_t stack_room(size_t tokens) { return tokens / 2 + 2 * kMaxDepth + 2; }

// Makes values from an index. Each function takes the position of a token and returns the position behind what it read,
// or null if the fast reader cannot read it; as a parameter the position stays in a register.
class IndexWalk {
 public:
  // `text` is padded; the offset of its end lies behind the last one of `parser`.
  IndexWalk(const char* text, size_t size, const Parser& parser, Arena& arena)
      : text_(text), end_(text + size), escape_(next_escape(text)), parser_(parser), arena_(arena) {}

  bool repeats_keys() const { return repeats_keys_; }

  // Reads the whole text into the first of the stack_room() values of `stack`.
  bool read(Value* stack) {
    const uint32_t* first = parser_.structural_indexes.get();
    return value(first, stack, 0) == first + parser_.n_structural_indexes;
  }

 private:
  // The value at `at` into *top, the top of the stack.
  [[gnu::always_inline]] const uint32_t* value(const uint32_t* at, Value* top, int depth) {
    switch (text_[*at]) {
      case '"': return string(at, *top) ? at + 1 : nullptr;
      case '{': return object(at + 1, top, depth + 1);
      case '[': return list(at + 1, top, depth + 1);
      default: return word_or_number(at, *top) ? at + 1 : nullptr;
    }
  }

  const uint32_t* object(const uint32_t* at, Value* const first, int depth) {
    if (depth > kMaxDepth) return nullptr;
    Value* top = first;
    char separator = text_[*at];
    if (separator == '}') {
      at++;
    } else {
      do {
        if (text_[*at] != '"' || text_[at[1]] != ':' || !string(at, *top)) return nullptr;
        at = value(at + 2, top + 1, depth);
        if (at == nullptr) return nullptr;
        top += 2;
        separator = text_[*at++];
      } while (separator == ',');
      if (separator != '}') return nullptr;
    }
    const size_t n = static_cast<size_t>(top - first) / 2;
    MapEntry* entries = n <= kIndexThreshold ? arena_.array<MapEntry>(n) : alloc_entries(arena_, n);
    for (size_t i = 0; i < n; i++) entries[i] = {first[2 * i], first[2 * i + 1]};
    if (n > kSmallMap || may_repeat(entries, n)) {
      *first = make_native_map(entries, n);
      repeats_keys_ |= first->size() < n;
    } else {
      *first = Value::map(entries, n, kNativeMap);
    }
    return at;
  }

  // Whether two keys have the same head; only such keys can be equal.
  static bool may_repeat(const MapEntry* entries, size_t n) {
    bool found = false;
    for (size_t i = 1; i < n; i++) {
      for (size_t j = 0; j < i; j++) found |= entries[i].key.raw_head() == entries[j].key.raw_head();
    }
    return found;
  }

  const uint32_t* list(const uint32_t* at, Value* const first, int depth) {
    if (depth > kMaxDepth) return nullptr;
    Value* top = first;
    char separator = text_[*at];
    if (separator == ']') {
      at++;
    } else {
      do {
        at = value(at, top++, depth);
        if (at == nullptr) return nullptr;
        separator = text_[*at++];
      } while (separator == ',');
      if (separator != ']') return nullptr;
    }
    const size_t n = static_cast<size_t>(top - first);
    Value* items = arena_.array<Value>(n);
    std::copy(first, top, items);
    *first = Value::list(items, n, kNativeList);
    return at;
  }

  // Inlined, because with a call the pass takes a third longer.
  [[gnu::always_inline]] bool string(const uint32_t* at, Value& out) {
    const char* start = text_ + at[0] + 1;
    const char* end = text_ + at[1] - 1;
    while (*end != '"') end--;
    if (end > escape_) [[unlikely]]
      return unescape(start, end, out);
    out = Value::quoted_string(start, static_cast<uint32_t>(end - start));
    return true;
  }

  // Strings are read in the order of the text, so only one that ends behind the next escape has escapes.
  [[gnu::noinline]] bool unescape(const char* start, const char* end, Value& out) {
    escape_ = next_escape(end);
    auto* made = arena_.array<uint8_t>(static_cast<size_t>(end - start) + kPadding);
    const uint8_t* made_end = parser_.parse_string(reinterpret_cast<const uint8_t*>(start), made);
    if (made_end == nullptr) return false;
    out = Value::string({reinterpret_cast<const char*>(made), static_cast<size_t>(made_end - made)});
    return true;
  }

  const char* next_escape(const char* from) const {
    const void* found = std::memchr(from, '\\', static_cast<size_t>(end_ - from));
    return found == nullptr ? end_ : static_cast<const char*>(found);
  }

  // Whether the token that starts at `at` ends before `p`.
  bool ends(const uint32_t* at, const char* p) const { return p == text_ + at[1] || is_space(*p); }

  [[gnu::noinline]] bool word_or_number(const uint32_t* at, Value& out) const {
    const char* p = text_ + *at;
    auto word = [&](std::string_view text, Value value) {
      out = value;
      return std::memcmp(p, text.data(), text.size()) == 0 && ends(at, p + text.size());
    };
    switch (*p) {
      case 't': return word("true", Value::boolean(true));
      case 'f': return word("false", Value::boolean(false));
      case 'n': return word("null", Value::null());
      default: return number(at, out);
    }
  }

  bool number(const uint32_t* at, Value& out) const {
    constexpr ptrdiff_t kSafeDigits = 18;  // so many fit an int64
    const char* p = text_ + *at;
    const bool negative = *p == '-';
    const char* digits = p + negative;
    uint64_t i = 0;
    for (p = digits; is_digit(*p); p++) i = i * 10 + static_cast<uint64_t>(*p - '0');
    if (p == digits || p - digits > kSafeDigits || (*digits == '0' && p - digits > 1) || !ends(at, p))
      return unusual_number(at, out);
    out = Value::integer(static_cast<int64_t>(negative ? -i : i));
    return true;
  }

  // A fraction, or a number with many digits.
  bool unusual_number(const uint32_t* at, Value& out) const {
    const char* const start = text_ + *at;
    const char* p = start + (*start == '-');
    auto digits = [&] {
      const char* first = p;
      while (is_digit(*p)) p++;
      return p > first;
    };
    if (*p == '0') {
      p++;
    } else if (!digits()) {
      return false;
    }
    const char* const whole = p;
    if (*p == '.' && (p++, !digits())) return false;
    if (*p == 'e' || *p == 'E') {
      p++;
      p += *p == '+' || *p == '-';
      if (!digits()) return false;
    }
    if (!ends(at, p)) return false;
    int64_t integer;
    if (p == whole && std::from_chars(start, p, integer).ec == std::errc()) {
      out = Value::integer(integer);
      return true;
    }
    double real;  // one that is too small or too large is for the exact reader
    if (std::from_chars(start, p, real).ec != std::errc()) return false;
    out = Value::real(real);
    return true;
  }

  const char* text_;
  const char* end_;
  const char* escape_;  // the next backslash, or the end of the text
  const Parser& parser_;
  Arena& arena_;
  bool repeats_keys_ = false;
};

}  // namespace

struct JsonReader::State {
  simdjson::dom::parser parser;
  std::unique_ptr<char[]> stack;  // of values
  size_t stack_size = 0;          // in values
  bool may_repeat_keys = false;

  // Returns false if the text is for the exact reader.
  bool read(std::string_view text, Arena& arena, Value& value) {
    if (text.empty() || text.size() >= kMaxFastText) return false;
    if (parser.capacity() < text.size() && parser.allocate(2 * text.size()) != simdjson::SUCCESS)
      return false;
    char* copy = arena.array<char>(text.size() + kPadding);
    std::memcpy(copy, text.data(), text.size());
    std::memset(copy + text.size(), 0, kPadding);
    Parser& p = *parser.implementation;
    if (p.stage1(reinterpret_cast<const uint8_t*>(copy), text.size(), simdjson::stage1_mode::regular))
      return false;
    if (const size_t wanted = stack_room(p.n_structural_indexes); stack_size < wanted) {
      stack_size = 2 * wanted;
      stack = std::make_unique_for_overwrite<char[]>(stack_size * sizeof(Value));
    }
    auto* values = reinterpret_cast<Value*>(stack.get());
    IndexWalk walk(copy, text.size(), p, arena);
    if (!walk.read(values)) return false;
    value = *values;
    may_repeat_keys = walk.repeats_keys();
    return true;
  }
};

JsonReader::JsonReader() : state_(std::make_unique<State>()) {}
JsonReader::~JsonReader() = default;
JsonReader::JsonReader(JsonReader&&) noexcept = default;
JsonReader& JsonReader::operator=(JsonReader&&) noexcept = default;

Result<Value> JsonReader::read(std::string_view text, Arena& arena) {
  Value value;
  if (state_->read(text, arena, value)) return value;
  state_->may_repeat_keys = true;
  return read_json(text, arena);
}

bool JsonReader::may_repeat_keys() const { return state_->may_repeat_keys; }

}  // namespace portcullis
