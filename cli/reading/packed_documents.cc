// See packed_documents.h.
#include "cli/reading/packed_documents.h"

#include <cstring>
#include <unordered_map>

#include "interpreter/values/map.h"
#include "interpreter/values/native.h"

namespace portcullis {
namespace {

// What stands before a value. A text, a list and a map have their size behind it.
enum class Tag : char { Null, False, True, Int, NegativeInt, Uint, Double, String, List, Map };

class Packer {
 public:
  explicit Packer(std::string& out) : out_(out) {}

  bool document(const YamlDocument& d) {
    limit_ += kPlaces + d.size;
    number(d.start);
    number(d.size);
    for (const int n : {d.line, d.column, d.index}) number(static_cast<uint64_t>(n));
    number(d.json ? 1 : 0);
    return value(d.value);
  }

 private:
  static constexpr size_t kPlaces = 50;  // the places of a document take less

  // Seven bits in a byte, the lowest first; the last byte has its highest bit clear.
  void number(uint64_t n) {
    for (; n >= 0x80; n >>= 7) out_ += static_cast<char>(n | 0x80);
    out_ += static_cast<char>(n);
  }
  void tagged(Tag tag, uint64_t n) {
    out_ += static_cast<char>(tag);
    number(n);
  }

  bool value(const Value& v) {
    if (out_.size() > limit_) return false;
    switch (v.kind()) {
      case Kind::Null: out_ += static_cast<char>(Tag::Null); return true;
      case Kind::Bool: out_ += static_cast<char>(v.as_bool() ? Tag::True : Tag::False); return true;
      case Kind::Int:
        if (v.as_int() < 0) {
          tagged(Tag::NegativeInt, ~v.as_uint());
        } else {
          tagged(Tag::Int, v.as_uint());
        }
        return true;
      case Kind::Uint: tagged(Tag::Uint, v.as_uint()); return true;
      case Kind::Double: {
        const double d = v.as_double();
        out_ += static_cast<char>(Tag::Double);
        out_.append(reinterpret_cast<const char*>(&d), sizeof d);
        return true;
      }
      case Kind::String:
        tagged(Tag::String, v.size());
        out_ += v.as_text();
        return true;
      case Kind::List:
        tagged(Tag::List, v.size());
        for (const Value& item : v.as_list()) {
          if (!value(item)) return false;
        }
        return true;
      case Kind::Map:
        tagged(Tag::Map, v.size());
        for (const MapEntry& e : v.as_map()) {
          if (!e.key.is(Kind::String)) return false;
          key(e.key.as_text());
          if (!value(e.value)) return false;
        }
        return true;
      default: return false;
    }
  }

  // The number of the key, from 1 on; the first time 0 and its text.
  void key(std::string_view text) {
    const auto [known, fresh] = keys_.try_emplace(text, keys_.size() + 1);
    if (!fresh) return number(known->second);
    number(0);
    number(text.size());
    out_ += text;
  }

  std::string& out_;
  size_t limit_ = 0;
  std::unordered_map<std::string_view, uint64_t> keys_;
};

class Unpacker {
 public:
  Unpacker(std::string_view packed, Arena& arena) : rest_(packed), arena_(arena) {}

  bool done() const { return rest_.empty(); }

  YamlDocument document() {
    YamlDocument d;
    d.start = number();
    d.size = number();
    for (int* n : {&d.line, &d.column, &d.index}) *n = static_cast<int>(number());
    d.json = number() != 0;
    d.value = value();
    return d;
  }

 private:
  uint64_t number() {
    uint64_t out = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      out |= uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return out;
    }
  }

  std::string_view take(size_t size) {
    const std::string_view out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }

  Value value() {
    const Tag tag{take(1)[0]};
    switch (tag) {
      case Tag::Null: return {};
      case Tag::False: return Value::boolean(false);
      case Tag::True: return Value::boolean(true);
      case Tag::Int: return Value::integer(static_cast<int64_t>(number()));
      case Tag::NegativeInt: return Value::integer(static_cast<int64_t>(~number()));
      case Tag::Uint: return Value::uinteger(number());
      case Tag::Double: {
        double d;
        std::memcpy(&d, take(sizeof d).data(), sizeof d);
        return Value::real(d);
      }
      case Tag::String: return Value::string(take(number()));
      case Tag::List: {
        const size_t size = number();
        Value* items = arena_.array<Value>(size);
        for (size_t i = 0; i < size; i++) items[i] = value();
        return Value::list(items, size, kNativeList);
      }
      case Tag::Map: {
        const size_t size = number();
        MapEntry* entries = alloc_entries(arena_, size);
        for (size_t i = 0; i < size; i++) {
          entries[i].key = Value::string(key());
          entries[i].value = value();
        }
        // Keys differ; a larger map needs its index.
        return size <= kIndexThreshold ? Value::map(entries, size, kNativeMap)
                                       : make_native_map(entries, size);
      }
    }
    return {};
  }

  std::string_view key() {
    const size_t known = number();
    return known > 0 ? keys_[known - 1] : keys_.emplace_back(take(number()));
  }

  std::string_view rest_;
  Arena& arena_;
  std::vector<std::string_view> keys_;
};

}  // namespace

std::shared_ptr<const std::string> pack(std::span<const YamlDocument> documents) {
  auto out = std::make_shared<std::string>();
  Packer packer(*out);
  for (const YamlDocument& d : documents) {
    if (!packer.document(d)) return nullptr;
  }
  out->shrink_to_fit();
  return out;
}

void unpack(const std::string& packed, Arena& arena, std::vector<YamlDocument>& out) {
  for (Unpacker in(packed, arena); !in.done();) out.push_back(in.document());
}

}  // namespace portcullis
