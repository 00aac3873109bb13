// The fast path of JSON reading: simdjson's document, one pass over its tape.
//
// Representation: simdjson's tape is an array of 64-bit words, one an element (two for a number): the top byte says
// what it is ('{', '[', '"', 'l', 'u', 'd', 't', 'f', 'n'), the rest is an offset into the string buffer or, for the
// start of a container, the number of elements (bits 32-55, saturated) and the index behind its end. A text in the
// string buffer is a 32-bit length, the bytes, a zero. The pass is iterative in nothing: recursion is bounded by
// simdjson's own limit of 1,024 levels; whatever is deeper takes the exact parser.
// The string buffer is lent from the arena for each parse, so no text is copied afterwards.
// Tested by interpreter/json_test.cc; measured by bench/.
#include "interpreter/json.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>

namespace portcullis {
namespace {

constexpr uint64_t kPayload = 0x00FFFFFFFFFFFFFF;
// The count of a container on the tape stops here; larger ones take the exact parser.
constexpr size_t kSaturatedCount = 0xFFFFFF;
// Documents above this take the exact parser too: offsets in simdjson are 32 bits.
constexpr size_t kMaxFastText = size_t{1} << 31;

// Bytes that simdjson wants for the texts of a document of `length` bytes (its document::allocate).
size_t string_room(size_t length) { return (5 * length / 3 + simdjson::SIMDJSON_PADDING + 63) / 64 * 64; }

// Turns a tape into values. Sets `refused` where the tape cannot tell (saturated counts).
class TapeWalk {
 public:
  TapeWalk(const uint64_t* tape, const uint8_t* strings, Arena& arena)
      : next_(tape + 1), strings_(strings), arena_(arena) {}  // word 0 is the root

  Value element() {
    uint64_t word = *next_++;
    switch (word >> 56) {
      case '"': return text(word);
      case '{': return object(word);
      case '[': return list(word);
      case 'l': return Value::integer(static_cast<int64_t>(*next_++));
      case 'u': return Value::real(static_cast<double>(*next_++));  // above int64: Go reads a float64
      case 'd': return Value::real(std::bit_cast<double>(*next_++));
      case 't': return Value::boolean(true);
      case 'f': return Value::boolean(false);
      default: return Value::null();
    }
  }

  bool refused() const { return refused_; }

 private:
  Value text(uint64_t word) const {
    const uint8_t* at = strings_ + (word & kPayload);
    uint32_t length;
    std::memcpy(&length, at, sizeof length);
    return Value::string({reinterpret_cast<const char*>(at) + sizeof length, length});
  }

  size_t count(uint64_t word) {
    size_t n = (word >> 32) & kSaturatedCount;
    refused_ |= n == kSaturatedCount;
    return n;
  }

  Value object(uint64_t word) {
    size_t n = count(word);
    if (refused_) return {};
    MapEntry* entries = alloc_entries(arena_, n);
    for (size_t i = 0; i < n; i++) {
      entries[i].key = text(*next_++);
      entries[i].value = element();
    }
    next_++;  // '}'
    return make_map(arena_, entries, n);
  }

  Value list(uint64_t word) {
    size_t n = count(word);
    if (refused_) return {};
    Value* items = arena_.array<Value>(n);
    for (size_t i = 0; i < n; i++) items[i] = element();
    next_++;  // ']'
    return Value::list(items, n);
  }

  const uint64_t* next_;
  const uint8_t* strings_;
  Arena& arena_;
  bool refused_ = false;
};

}  // namespace

static_assert(JsonReader::kPadding >= simdjson::SIMDJSON_PADDING);

struct JsonReader::State {
  simdjson::dom::parser parser;
  simdjson::dom::document document;
  std::unique_ptr<char[]> padded;  // a copy of texts that have no padding
  size_t padded_size = 0;

  // False where simdjson refuses the text: the exact parser then has the last word.
  bool read(std::string_view text, Arena& arena, Value& value) {
    // simdjson must find its document large enough: it would free the lent buffer to grow.
    size_t wanted = std::max(text.size(), kPadding);
    if (document.capacity() < wanted && document.allocate(2 * wanted) != simdjson::SUCCESS) return false;
    auto own = document.string_buf.release();
    document.string_buf.reset(arena.array<uint8_t>(string_room(wanted)));
    auto error = parser.parse_into_document(document, text.data(), text.size(), false).error();
    TapeWalk walk(document.tape.get(), document.string_buf.release(), arena);
    document.string_buf.reset(own);
    if (error) return false;
    value = walk.element();
    return !walk.refused();
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

}  // namespace portcullis
