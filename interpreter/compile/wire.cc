#include "interpreter/compile/wire.h"

#include <bit>
#include <cstring>
#include <vector>

#include "grammar/utf8.h"
#include "interpreter/compile/wellknown.h"

namespace portcullis {
namespace {

enum WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kLengthPrefixed = 2,
  kGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5
};

// How deeply groups may nest (protowire.DefaultRecursionLimit).
constexpr int kMostGroups = 10000;

struct WireField {
  uint64_t number = 0;
  uint8_t type = 0;
  uint64_t scalar = 0;     // of the three scalar types
  std::string_view bytes;  // kLengthPrefixed
};

class WireReader {
 public:
  explicit WireReader(std::string_view data) : rest_(data) {}

  // Reads the next field; false at the end or if the data is bad.
  bool next(WireField& field) {
    if (rest_.empty() || bad_) return false;
    read_tag(field);
    switch (field.type) {
      case kVarint: field.scalar = varint(); break;
      case kFixed64: field.scalar = fixed<uint64_t>(); break;
      case kFixed32: field.scalar = fixed<uint32_t>(); break;
      case kLengthPrefixed: field.bytes = take(varint()); break;
      case kGroup: skip_group(field.number); break;
      default: bad_ = true;
    }
    return !bad_;
  }
  bool bad() const { return bad_; }

 private:
  void read_tag(WireField& field) {
    constexpr uint64_t kMostNumber = (1 << 29) - 1;
    uint64_t tag = varint();
    field.number = tag >> 3;
    field.type = tag & 7;
    bad_ = bad_ || field.number == 0 || field.number > kMostNumber;
  }

  // Skips to the end of group `number`, without recursion, because hostile data may nest groups deeply.
  void skip_group(uint64_t number) {
    std::vector<uint64_t> open = {number};
    while (!open.empty() && !bad_) {
      WireField f;
      read_tag(f);
      switch (f.type) {
        case kVarint: varint(); break;
        case kFixed64: take(sizeof(uint64_t)); break;
        case kFixed32: take(sizeof(uint32_t)); break;
        case kLengthPrefixed: take(varint()); break;
        case kGroup:
          open.push_back(f.number);
          bad_ = bad_ || open.size() > kMostGroups;
          break;
        case kEndGroup:
          bad_ = bad_ || f.number != open.back();
          open.pop_back();
          break;
        default: bad_ = true;
      }
    }
  }

  uint64_t varint() {
    constexpr int kMostBytes = 10;
    uint64_t value = 0;
    for (int i = 0; i < kMostBytes && !rest_.empty(); ++i) {
      uint8_t byte = static_cast<uint8_t>(rest_[0]);
      rest_.remove_prefix(1);
      if (i == kMostBytes - 1 && byte > 1) break;
      value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
      if (byte < 0x80) return value;
    }
    bad_ = true;
    return 0;
  }

  template <class T>
  T fixed() {
    T value = 0;
    std::string_view raw = take(sizeof value);
    if (!bad_) std::memcpy(&value, raw.data(), sizeof value);
    return value;
  }

  std::string_view take(uint64_t size) {
    if (size > rest_.size()) bad_ = true;
    if (bad_) return {};
    std::string_view out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }

  std::string_view rest_;
  bool bad_ = false;
};

// Reads the type URL and the value of an Any.
bool read_any(std::string_view data, std::string_view& url, std::string_view& value) {
  WireReader reader(data);
  bool valid = true;
  for (WireField f; reader.next(f);) {
    if (f.type == kLengthPrefixed && f.number == 1) {
      url = f.bytes;
      valid = valid && utf8::valid(url);
    } else if (f.type == kLengthPrefixed && f.number == 2) {
      value = f.bytes;
    }
  }
  return !reader.bad() && valid;
}

// The message name in the type URL of an Any.
std::string_view message_name(std::string_view type_url) { return type_url.substr(type_url.rfind('/') + 1); }

class Unpacker {
 public:
  explicit Unpacker(Arena& arena) : arena_(arena) {}

  std::optional<Value> message(std::string_view name, std::string_view data, int depth) {
    if (depth > kMostWireDepth) return std::nullopt;
    if (name == "Any") return any(data, depth);
    if (name == "Value") return json(data, depth);
    if (name == "ListValue") return list(data, depth);
    if (name == "Struct") return structure(data, depth);
    if (name == "Duration" || name == "Timestamp") return time(name, data);
    if (name == "Empty") return empty(data);
    return wrapper(name, data);
  }

 private:
  static bool valid(std::string_view text) { return utf8::valid(text); }

  std::optional<Value> any(std::string_view data, int depth) {
    std::string_view url, value;
    if (!read_any(data, url, value)) return std::nullopt;
    return unpack(url, value, depth + 1);
  }

 public:
  std::optional<Value> unpack(std::string_view url, std::string_view data, int depth) {
    constexpr std::string_view kPackage = "google.protobuf.";
    std::string_view name = message_name(url);
    if (!name.starts_with(kPackage)) return std::nullopt;
    return message(name.substr(kPackage.size()), data, depth);
  }

 private:
  std::optional<Value> json(std::string_view data, int depth) {
    Value out;
    WireReader reader(data);
    for (WireField f; reader.next(f);) {
      if (f.number == 1 && f.type == kVarint) out = Value::null();
      if (f.number == 2 && f.type == kFixed64) out = Value::real(std::bit_cast<double>(f.scalar));
      if (f.number == 3 && f.type == kLengthPrefixed && !valid(f.bytes)) return std::nullopt;
      if (f.number == 3 && f.type == kLengthPrefixed) out = Value::string(f.bytes);
      if (f.number == 4 && f.type == kVarint) out = Value::boolean(f.scalar != 0);
      if ((f.number == 5 || f.number == 6) && f.type == kLengthPrefixed) {
        std::optional<Value> inner = message(f.number == 5 ? "Struct" : "ListValue", f.bytes, depth + 1);
        if (!inner) return std::nullopt;
        out = *inner;
      }
    }
    if (reader.bad()) return std::nullopt;
    return out;
  }

  std::optional<Value> list(std::string_view data, int depth) {
    std::vector<Value> items;
    WireReader reader(data);
    for (WireField f; reader.next(f);) {
      if (f.number != 1 || f.type != kLengthPrefixed) continue;
      std::optional<Value> item = message("Value", f.bytes, depth + 1);
      if (!item) return std::nullopt;
      items.push_back(*item);
    }
    if (reader.bad()) return std::nullopt;
    Value* copy = arena_.array<Value>(items.size());
    std::copy(items.begin(), items.end(), copy);
    return Value::list(copy, items.size());
  }

  // Reads an entry of a map: a message with a key and a value.
  bool entry(std::string_view data, int depth, MapEntry& out) {
    out = {Value::string(""), Value::null()};
    WireReader reader(data);
    for (WireField f; reader.next(f);) {
      if (f.type != kLengthPrefixed || f.number > 2) continue;
      if (f.number == 1 && !valid(f.bytes)) return false;
      if (f.number == 1) out.key = Value::string(f.bytes);
      if (f.number != 2) continue;
      std::optional<Value> value = message("Value", f.bytes, depth + 1);
      if (!value) return false;
      out.value = *value;
    }
    return !reader.bad();
  }

  std::optional<Value> structure(std::string_view data, int depth) {
    std::vector<MapEntry> entries;
    WireReader reader(data);
    for (WireField f; reader.next(f);) {
      if (f.number != 1 || f.type != kLengthPrefixed) continue;
      if (!entry(f.bytes, depth, entries.emplace_back())) return std::nullopt;
    }
    if (reader.bad()) return std::nullopt;
    MapEntry* copy = alloc_entries(arena_, entries.size());
    std::copy(entries.begin(), entries.end(), copy);
    return make_map(arena_, copy, entries.size());
  }

  std::optional<Value> empty(std::string_view data) {
    WireReader reader(data);
    for (WireField f; reader.next(f);) continue;
    if (reader.bad()) return std::nullopt;
    return Value::structure(arena_.make<StructValue>("google.protobuf.Empty", std::span<const MapEntry>()));
  }

  // A time from its seconds and nanos, checked like the fields of a literal.
  std::optional<Value> time(std::string_view name, std::string_view data) {
    int64_t seconds = 0, nanos = 0;
    WireReader reader(data);
    for (WireField f; reader.next(f);) {
      if (f.number == 1 && f.type == kVarint) seconds = static_cast<int64_t>(f.scalar);
      if (f.number == 2 && f.type == kVarint) nanos = static_cast<int32_t>(f.scalar);
    }
    if (reader.bad()) return std::nullopt;
    MapEntry fields[] = {{Value::string("seconds"), Value::integer(seconds)},
                         {Value::string("nanos"), Value::integer(nanos)}};
    std::string type = "google.protobuf." + std::string(name);
    const StructForm* form = literal_form(type, arena_);
    return form->make(*form, std::span<const MapEntry>(fields), arena_);
  }

  std::optional<Value> wrapper(std::string_view name, std::string_view data) {
    constexpr std::pair<std::string_view, uint8_t> kWireTypes[] = {
        {"BoolValue", kVarint},    {"Int32Value", kVarint},          {"Int64Value", kVarint},
        {"UInt32Value", kVarint},  {"UInt64Value", kVarint},         {"FloatValue", kFixed32},
        {"DoubleValue", kFixed64}, {"StringValue", kLengthPrefixed}, {"BytesValue", kLengthPrefixed},
    };
    for (auto [known, type] : kWireTypes) {
      if (known != name) continue;
      WireField last{.type = type};
      WireReader reader(data);
      for (WireField f; reader.next(f);) {
        if (f.number != 1 || f.type != type) continue;
        if (name == "StringValue" && !valid(f.bytes)) return std::nullopt;
        last = f;
      }
      if (reader.bad()) return std::nullopt;
      return scalar(name, last);
    }
    return std::nullopt;
  }

  static Value scalar(std::string_view name, const WireField& f) {
    if (name == "BoolValue") return Value::boolean(f.scalar != 0);
    if (name == "Int32Value") return Value::integer(static_cast<int32_t>(f.scalar));
    if (name == "Int64Value") return Value::integer(static_cast<int64_t>(f.scalar));
    if (name == "UInt32Value") return Value::uinteger(static_cast<uint32_t>(f.scalar));
    if (name == "UInt64Value") return Value::uinteger(f.scalar);
    if (name == "FloatValue") return Value::real(std::bit_cast<float>(static_cast<uint32_t>(f.scalar)));
    if (name == "DoubleValue") return Value::real(std::bit_cast<double>(f.scalar));
    return name == "StringValue" ? Value::string(f.bytes) : Value::bytes(f.bytes);
  }

  Arena& arena_;
};

}  // namespace

std::optional<Value> unpack_any(std::string_view type_url, std::string_view data, Arena& arena) {
  return Unpacker(arena).unpack(type_url, data, 0);
}

}  // namespace portcullis
