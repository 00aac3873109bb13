// Value: a CEL value. JSON, params, constants and results share this 16-byte representation.
//
// Representation: a value is two words, `head` and a payload.
//   head: bits 0-7 Kind | 8-31 depends on the kind | 32-63 size
//   String, Bytes, Type: bits 8-31 the first three bytes of the text, size = its length in bytes;
//     payload points to the text. Two strings can be equal only if their heads are, so comparing keys
//     starts with one integer comparison, and for short texts nearly always ends there.
//   List: bits 8-15 ListFlags; size = number of elements; payload points to that many Values.
//   Map:  bits 8-15 MapFlags; 16-31 of a Go struct its number; size = number of entries; payload points to that
//     many MapEntry, in document order, with distinct keys. Large maps have an index in front (kIndexed, see map.h).
//   Timestamp: bits 8-23 UTC offset in minutes (signed), size = nanoseconds 0..999999999; payload Unix
//     seconds.
//   Duration: payload nanoseconds. Bool, Int, Uint, Double: payload.
//   Optional: payload points to the value, null for optional.none().
//   Struct: payload points to a StructValue (made by `T{...}` literals).
//   Opaque: payload points to an Opaque (quantity, ip, url, authorizer, ...), which names its class.
//   Error: payload points to an ErrorValue. Unknown: payload points to an UnknownValue.
// A Value is trivially copyable and owns nothing: what it points to lives in an Arena or in the program
// (constants), which must outlive it.
// Limits: texts, lists and maps of at most 2^32-1 bytes or elements (the size of a request is far smaller).
// Tested by interpreter/values/json_test.cc.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "interpreter/values/arena.h"

namespace portcullis {

enum class Kind : uint8_t {
  Null,
  Bool,
  Int,
  Uint,
  Double,
  String,
  Bytes,
  Timestamp,
  Duration,
  List,
  Map,
  Type,
  Optional,
  Struct,
  Opaque,
  Unknown,
  Error,
};
inline constexpr int kKindCount = 17;

struct MapEntry;
struct StructValue;
struct Opaque;
struct ErrorValue;
struct UnknownValue;

// How a list differs from a plain JSON array.
enum ListFlags : uint8_t {
  kPlainList = 0,
  kConcatList = 1,  // made by `+`: equality returns errors of elements (cel-go keeps concatenations apart)
  kSetList = 2,     // x-kubernetes-list-type: set
  kMapList = 4,     // x-kubernetes-list-type: map; the names of its keys lie before the first element
  kTypedList = 8,   // data under a schema; a set or map list without this flag is the result of `+`
  kGoList = 16,     // a slice in a Go struct, see interpreter/values/go_values.h
  // 64: kNativeList of interpreter/values/native.h
};
// Lists with their own equality and `+`, see interpreter/values/list_types.h and
// interpreter/values/go_values.h.
inline constexpr uint8_t kSpecialList = kSetList | kMapList | kTypedList | kGoList;

enum MapFlags : uint8_t {
  kPlainMap = 0,
  kIndexed = 1,  // an index lies before the first entry
  // Data under a schema, with its own equality (interpreter/values/list_types.h); entries whose key is Bytes
  // are hidden.
  kTypedMap = 2,
  // With kTypedMap: the keys are escaped names of fields; any other spelling of such a name finds its field
  // as well.
  kTypedObject = 4,
  kGoMap = 8,      // a map in a Go struct, see interpreter/values/go_values.h
  kGoStruct = 16,  // a Go struct
  // 64: kNativeMap of interpreter/values/native.h
};
// Maps with their own equality and keys, see interpreter/values/list_types.h and
// interpreter/values/go_values.h.
inline constexpr uint8_t kSpecialMap = kTypedMap | kGoMap | kGoStruct;

class Value {
 public:
  constexpr Value() : head_(0), int_(0) {}  // null

  static Value null() { return {}; }
  static constexpr Value boolean(bool b) { return Value(head(Kind::Bool), uint64_t{b}); }
  static constexpr Value integer(int64_t i) { return Value(head(Kind::Int), static_cast<uint64_t>(i)); }
  static Value uinteger(uint64_t u) { return Value(head(Kind::Uint), u); }
  static Value real(double d) { return Value(head(Kind::Double), std::bit_cast<uint64_t>(d)); }
  // Does not copy the text.
  static constexpr Value string(std::string_view s) { return text(Kind::String, s); }
  // The same for a text with a byte before it, from which 4 bytes can be read whatever its size; needs no branches.
  static Value quoted_string(const char* s, uint32_t size) {
    static constexpr uint32_t kMasks[] = {0, 0xff00, 0xffff00, 0xffffff00};
    uint32_t start;
    std::memcpy(&start, s - 1, sizeof start);
    return Value(head(Kind::String, size) | (start & kMasks[size < 3 ? size : 3]), s);
  }
  static Value bytes(std::string_view s) { return text(Kind::Bytes, s); }
  template <class Text>
    requires std::same_as<std::remove_const_t<Text>, std::string>
  static Value string(Text&&) = delete;  // the text would be gone
  template <class Text>
    requires std::same_as<std::remove_const_t<Text>, std::string>
  static Value bytes(Text&&) = delete;
  // A type as a value, by its run-time name ("int", "google.protobuf.Timestamp"). Does not copy the name.
  static Value type(std::string_view name) { return text(Kind::Type, name); }
  // `nanos` 0..999999999; `offset_minutes` is the UTC offset that it is printed with.
  static Value timestamp(int64_t seconds, uint32_t nanos, int16_t offset_minutes = 0) {
    uint64_t h = head(Kind::Timestamp, nanos) | (uint64_t{static_cast<uint16_t>(offset_minutes)} << 8);
    return Value(h, static_cast<uint64_t>(seconds));
  }
  static Value duration(int64_t nanoseconds) {
    return Value(head(Kind::Duration), static_cast<uint64_t>(nanoseconds));
  }
  static Value list(const Value* items, size_t count, uint8_t flags = kPlainList) {
    return Value(head(Kind::List, count) | (uint64_t{flags} << 8), items);
  }
  static Value map(const MapEntry* entries, size_t count, uint8_t flags = kPlainMap) {
    return Value(head(Kind::Map, count) | (uint64_t{flags} << 8), entries);
  }
  // The same list or map with more flags.
  Value with_more_flags(uint8_t flags) const { return Value(head_ | (uint64_t{flags} << 8), uint_); }
  // The same map as a Go struct, which has this number in the table of whoever makes structs.
  Value as_go_struct(uint16_t number) const {
    return Value(head_ | (uint64_t{kGoStruct} << 8) | (uint64_t{number} << 16), uint_);
  }
  // `some` null: optional.none().
  static Value optional(const Value* some) { return Value(head(Kind::Optional), some); }
  static Value structure(const StructValue* s) { return Value(head(Kind::Struct), s); }
  static Value opaque(const Opaque* o) { return Value(head(Kind::Opaque), o); }
  static constexpr Value error(const ErrorValue* e) { return Value(head(Kind::Error), e); }
  static constexpr Value unknown(const UnknownValue* u) { return Value(head(Kind::Unknown), u); }

  Kind kind() const { return static_cast<Kind>(head_ & 0xff); }
  bool is(Kind k) const { return kind() == k; }
  bool is_null() const { return is(Kind::Null); }
  bool is_error() const { return is(Kind::Error); }
  bool is_unknown() const { return is(Kind::Unknown); }
  bool is_true() const { return is(Kind::Bool) && uint_ != 0; }
  bool is_false() const { return is(Kind::Bool) && uint_ == 0; }

  // Accessors. Each may be called only on a value of its kind.
  bool as_bool() const { return uint_ != 0; }
  int64_t as_int() const { return int_; }
  uint64_t as_uint() const { return uint_; }
  double as_double() const { return double_; }
  // String, Bytes, Type.
  std::string_view as_text() const { return {text_, size()}; }
  int64_t seconds() const { return int_; }
  uint32_t nanos() const { return size(); }
  int16_t offset_minutes() const { return static_cast<int16_t>(head_ >> 8); }
  int64_t as_duration() const { return int_; }
  std::span<const Value> as_list() const { return {items_, size()}; }
  std::span<const MapEntry> as_map() const;
  const Value* as_optional() const { return items_; }
  const StructValue& as_struct() const { return *struct_; }
  const Opaque& as_opaque() const { return *opaque_; }
  const ErrorValue& as_error() const { return *error_; }
  const UnknownValue& as_unknown() const { return *unknown_; }

  // The bytes of a text, elements of a list or entries of a map.
  uint32_t size() const { return static_cast<uint32_t>(head_ >> 32); }
  uint8_t flags() const { return static_cast<uint8_t>(head_ >> 8); }
  // The number of a Go struct.
  uint16_t go_struct() const { return static_cast<uint16_t>(head_ >> 16); }
  // The first word. It is equal for equal texts, so compare it before the bytes.
  uint64_t raw_head() const { return head_; }
  uint64_t raw_payload() const { return uint_; }
  // Whether both words are the same: equal scalars, or the same text, list or other data at the same place.
  bool is_identical(const Value& other) const { return head_ == other.head_ && uint_ == other.uint_; }

 private:
  static constexpr uint64_t head(Kind k, size_t size = 0) {
    return static_cast<uint64_t>(k) | (static_cast<uint64_t>(size) << 32);
  }
  static constexpr Value text(Kind k, std::string_view s) {
    uint64_t prefix = 0;
    switch (s.size()) {
      default: prefix |= uint64_t{static_cast<uint8_t>(s[2])} << 24; [[fallthrough]];
      case 2: prefix |= uint64_t{static_cast<uint8_t>(s[1])} << 16; [[fallthrough]];
      case 1: prefix |= uint64_t{static_cast<uint8_t>(s[0])} << 8; [[fallthrough]];
      case 0: break;
    }
    return Value(head(k, s.size()) | prefix, s.data());
  }
  constexpr Value(uint64_t h, uint64_t payload) : head_(h), uint_(payload) {}
  constexpr Value(uint64_t h, const void* payload) : head_(h), pointer_(payload) {}

  uint64_t head_;
  union {
    int64_t int_;
    uint64_t uint_;
    double double_;
    const char* text_;
    const Value* items_;
    const MapEntry* entries_;
    const StructValue* struct_;
    const Opaque* opaque_;
    const ErrorValue* error_;
    const UnknownValue* unknown_;
    const void* pointer_;
  };
};
static_assert(sizeof(Value) == 16 && std::is_trivially_copyable_v<Value>);

struct MapEntry {
  Value key;
  Value value;
};

inline std::span<const MapEntry> Value::as_map() const { return {entries_, size()}; }

// Equality of two texts of the same kind. An empty text may have a null address.
inline bool same_text(const Value& a, const Value& b) {
  return a.raw_head() == b.raw_head() &&
         (a.size() == 0 || std::memcmp(a.as_text().data(), b.as_text().data(), a.size()) == 0);
}

// A CEL error: cel-go's text without a place.
struct ErrorValue {
  std::string_view message;
};

// An unknown value: the ids of the nodes whose attributes are missing.
struct UnknownValue {
  std::span<const int32_t> nodes;
};

// The value of a literal `T{field: value}`.
struct StructValue {
  std::string_view type_name;
  std::span<const MapEntry> fields;  // keys are strings; only the fields that were set
};

// What a lookup asks for: the value, the value if present (x.?k), or whether the key is present (has).
enum class Ask : uint8_t { Value, ValueIfThere, Presence };

// The operations of a class of opaque values. One constant instance per class; classes are compared by
// address.
struct OpaqueClass {
  std::string_view type_name;  // the name that type(x) shows, "net.IP"
  // CEL `==` with any other value: a bool or an error.
  Value (*equal)(const Opaque& self, const Value& other, Arena& arena);
  // The text in batch answers and --explain ("1Gi", "10.0.0.1"); lives in the arena.
  std::string_view (*print)(const Opaque& self, Arena& arena);
  // The size for cost accounting (cel-go's traits.Sizer). Null: no size, counts 1.
  uint64_t (*size)(const Opaque& self) = nullptr;
  // Looks up a field or key (cel-go's traits.Indexer and FieldTester). True: `out` is the value or an error.
  // False: the key is absent (asking for its value then gives "no such key"). Null: the class has no fields.
  bool (*find)(const Opaque& self, const Value& key, Ask ask, Arena& arena, Value* out) = nullptr;
  // Reads a field of a struct type whose StructForm has native_fields: its value, with `test` whether it is
  // set, or an error.
  Value (*field)(const Opaque& self, std::string_view name, bool test, Arena& arena) = nullptr;
  // The names of the fields that a comprehension iterates over, see entry_of() of interpreter/values/map.h.
  // Null: it cannot iterate. cel-go takes a class that has names for a map, so it has `size` and `find` as
  // well.
  std::span<const std::string_view> (*names)(const Opaque& self) = nullptr;
  // cel-go's Zeroer. Null: never zero.
  bool (*is_zero)(const Opaque& self) = nullptr;
  // The result of type(x) if it is not type_name; or its error.
  std::string_view type_of = {}, type_error = {};
  // Go's name of the type in error texts (%T). Empty: type_name.
  std::string_view go_type = {};
  // Whether Go converts a value to its text where a message needs a string.
  bool has_text = true;

  // The name in Go's errors of conversions: of classes of package cel the Go type without the package.
  std::string_view conversion_name() const {
    constexpr std::string_view kPackage = "cel.";
    const size_t at = go_type.find(kPackage);
    return at == go_type.npos ? type_name : go_type.substr(at + kPackage.size());
  }
};

// The base of every opaque value; `cls` says which type it is.
struct Opaque {
  const OpaqueClass* cls;
};

// An error value with a copy of `message` in the arena.
inline Value make_error(Arena& arena, std::string_view message) {
  return Value::error(arena.make<ErrorValue>(arena.copy(message)));
}

// Finds the string `key` in a map; null if absent. Searches linearly, or through the index of a large map.
// Source of behaviour: cel-go common/types/map.go (string keys only match strings).
const Value* find_key(const Value& map, const Value& key);

// Makes a map of `entries`, which must come from alloc_entries and stay where they are. Of
// equal string keys the last value wins, as in Go's JSON reader; large maps get their index. Entries keep
// their order.
MapEntry* alloc_entries(Arena& arena, size_t count);
Value make_map(MapEntry* entries, size_t count);

}  // namespace portcullis
