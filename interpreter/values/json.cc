// The fast JSON reader: one pass over the tape of simdjson's document.
//
// Representation: simdjson's tape is an array of 64-bit words, one per element (two for a number). The top
// byte is the type ('{', '[', '"', 'l', 'u', 'd', 't', 'f', 'n'); the rest is an offset into the string
// buffer or, at the start of a container, the number of elements (bits 32-55) and the index behind its end. A
// string in the buffer is a 32-bit length, the bytes and a zero. The pass recurses; simdjson's limit of 1,024
// levels bounds that, and deeper texts go to the exact reader. The arena of a request lends simdjson the string buffer,
// so texts are not copied afterwards; documents that stay get a copy of what is used of it, about a third.
// Tested by interpreter/values/json_test.cc; measured by bench/.
#include "interpreter/values/json.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "interpreter/values/map.h"
#include "interpreter/values/native.h"

namespace portcullis {
namespace {

constexpr uint64_t kPayload = 0x00FFFFFFFFFFFFFF;
constexpr uint64_t kCount = 0xFFFFFF;
// In maps up to this size, comparing all keys with each other is faster than make_map.
constexpr size_t kSmallMap = 8;
// simdjson's count of elements saturates. An element takes at least two bytes, so smaller texts cannot reach
// that; larger ones (32 MB, ten times what the API server accepts) go to the exact reader.
constexpr size_t kMaxFastText = 2 * kCount;

// The bytes behind the last string that may be read (TapeWalk::text).
constexpr size_t kBehindStrings = 4;

// The bytes that simdjson needs for the strings of a document of `length` bytes (its document::allocate).
size_t string_room(size_t length) { return (5 * length / 3 + simdjson::SIMDJSON_PADDING + 63) / 64 * 64; }

// Makes values from a tape. Each function takes the position of an element and returns the position behind
// it; as a parameter the position stays in a register.
class TapeWalk {
 public:
  TapeWalk(const uint8_t* strings, Arena& arena) : strings_(strings), arena_(arena) {}

  const uint64_t* element(const uint64_t* at, Value& out) const {
    uint64_t word = *at++;
    switch (word >> 56) {
      case '"': out = text(word); return at;
      case '{': return object(word, at, out);
      case '[': return list(word, at, out);
      case 'l': out = Value::integer(static_cast<int64_t>(*at)); return at + 1;
      case 'u':
        out = Value::real(static_cast<double>(*at));
        return at + 1;  // above int64: Go reads a float64
      case 'd': out = Value::real(std::bit_cast<double>(*at)); return at + 1;
      case 't': out = Value::boolean(true); return at;
      case 'f': out = Value::boolean(false); return at;
      default: out = Value::null(); return at;
    }
  }

 private:
  Value text(uint64_t word) const {
    // Behind a string there are at least a zero and the padding of the buffer, so 4 bytes can be read.
    const char* at = reinterpret_cast<const char*>(strings_ + (word & kPayload));
    uint32_t length;
    std::memcpy(&length, at, sizeof length);
    return Value::terminated_string(at + sizeof length, length);
  }

  const uint64_t* object(uint64_t word, const uint64_t* at, Value& out) const {
    size_t n = (word >> 32) & kCount;
    MapEntry* entries = n <= kIndexThreshold ? arena_.array<MapEntry>(n) : alloc_entries(arena_, n);
    for (MapEntry *entry = entries, *end = entries + n; entry != end; entry++) {
      entry->key = text(*at++);
      if (*at >> 56 == '"') [[likely]] {
        entry->value = text(*at++);
      } else {
        at = element(at, entry->value);
      }
    }
    out = n > kSmallMap || may_repeat(entries, n) ? make_native_map(arena_, entries, n)
                                                  : Value::map(entries, n, kNativeMap);
    return at + 1;  // '}'
  }

  // Whether two keys have the same head; only such keys can be equal.
  static bool may_repeat(const MapEntry* entries, size_t n) {
    bool found = false;
    for (size_t i = 1; i < n; i++) {
      for (size_t j = 0; j < i; j++) found |= entries[i].key.raw_head() == entries[j].key.raw_head();
    }
    return found;
  }

  const uint64_t* list(uint64_t word, const uint64_t* at, Value& out) const {
    size_t n = (word >> 32) & kCount;
    Value* items = arena_.array<Value>(n);
    for (size_t i = 0; i < n; i++) at = element(at, items[i]);
    out = Value::list(items, n, kNativeList);
    return at + 1;  // ']'
  }

  const uint8_t* strings_;
  Arena& arena_;
};

// The bytes of the string buffer that a tape uses: strings are in the order of the tape.
size_t used_strings(const uint64_t* tape, const uint8_t* strings) {
  uint64_t last = 0;
  bool any = false;
  for (uint64_t i = 1, end = tape[0] & kPayload; i < end; i++) {
    switch (tape[i] >> 56) {
      case '"': last = tape[i] & kPayload, any = true; break;
      case 'l':
      case 'u':
      case 'd': i++; break;
      default: break;
    }
  }
  if (!any) return 0;
  uint32_t length;
  std::memcpy(&length, strings + last, sizeof length);
  return last + sizeof length + length + 1;
}

}  // namespace

static_assert(JsonReader::kPadding >= simdjson::SIMDJSON_PADDING);

struct JsonReader::State {
  simdjson::dom::parser parser;
  simdjson::dom::document document;
  std::unique_ptr<char[]> padded;  // a copy of a text without padding
  size_t padded_size = 0;

  // Returns false if simdjson refuses the text; the exact reader then decides.
  bool read(std::string_view text, Arena& arena, Value& value) {
    // The document must be large enough already: to grow, simdjson would free the lent buffer.
    size_t wanted = std::max(text.size(), kPadding);
    if (document.capacity() < wanted && document.allocate(2 * wanted) != simdjson::SUCCESS) return false;
    auto own = document.string_buf.release();
    document.string_buf.reset(arena.array<uint8_t>(string_room(wanted)));
    auto error = parser.parse_into_document(document, text.data(), text.size(), false).error();
    const uint8_t* strings = document.string_buf.release();
    document.string_buf.reset(own);
    if (error) return false;
    TapeWalk(strings, arena).element(document.tape.get() + 1, value);  // behind the root
    return true;
  }

  // The same with no more memory of the arena than the value takes.
  bool read_tightly(std::string_view text, Arena& arena, Value& value) {
    if (document.capacity() < text.size() && document.allocate(2 * text.size()) != simdjson::SUCCESS)
      return false;
    if (parser.parse_into_document(document, text.data(), text.size(), false).error()) return false;
    const uint8_t* used = document.string_buf.get();
    const size_t size = used_strings(document.tape.get(), used) + kBehindStrings;
    uint8_t* kept = arena.array<uint8_t>(size);
    std::memcpy(kept, used, size);
    TapeWalk(kept, arena).element(document.tape.get() + 1, value);
    return true;
  }

  std::string_view pad(std::string_view text) {
    if (padded_size < text.size() + kPadding) {
      padded_size = 2 * text.size() + kPadding;
      padded = std::make_unique_for_overwrite<char[]>(padded_size);
    }
    std::memcpy(padded.get(), text.data(), text.size());
    std::memset(padded.get() + text.size(), 0, kPadding);
    return {padded.get(), text.size()};
  }
};

JsonReader::JsonReader() : state_(std::make_unique<State>()) {}
JsonReader::~JsonReader() = default;
JsonReader::JsonReader(JsonReader&&) noexcept = default;
JsonReader& JsonReader::operator=(JsonReader&&) noexcept = default;

Result<Value> JsonReader::read_padded(std::string_view text, Arena& arena) {
  Value value;
  if (text.size() < kMaxFastText && !text.empty() && state_->read(text, arena, value)) return value;
  return read_json(text, arena);
}

Result<Value> JsonReader::read(std::string_view text, Arena& arena) {
  if (text.size() >= kMaxFastText) return read_json(text, arena);
  return read_padded(text.empty() ? text : state_->pad(text), arena);
}

Result<Value> JsonReader::read_tightly(std::string_view text, Arena& arena) {
  Value value;
  if (text.size() < kMaxFastText && !text.empty() && state_->read_tightly(state_->pad(text), arena, value))
    return value;
  return read_json(text, arena);
}

}  // namespace portcullis
