// Value: a value of JSON, YAML, params, constants or expressions, in 16 bytes. Memory: owns values.
//
//   Memory memory;
//   Result<Value> pod = memory.read_json(text);
//   if (pod) puts(std::string(pod->find_path("metadata.name").as_text()).c_str());
//
// A Value is a view: copying it is like copying a pointer, and it owns nothing. It is valid until the Memory
// that made it (or the Context, Evaluation or Program that returned it) is reset or destroyed. Values are
// immutable, so threads may share them. A Memory belongs to one thread at a time.
// Tested by library/cel_test.cc and tests/client.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <portcullis/result.h>

namespace portcullis::v1 {

// The kinds of values. Numbers without fraction and exponent that fit 64 bits are Int, all others Double, as
// Kubernetes reads JSON. The kinds from Type on come only from expressions.
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

class Value {
 public:
  Value() = default;  // null
  static Value boolean(bool b);
  static Value integer(int64_t i);
  static Value uinteger(uint64_t u);
  static Value real(double d);
  // Do not copy the text; Memory::text and Memory::bytes do.
  static Value string(std::string_view text);
  static Value bytes(std::string_view bytes);
  template <class Text>
    requires std::same_as<std::remove_const_t<Text>, std::string>
  static Value string(Text&&) = delete;  // the text would be gone
  template <class Text>
    requires std::same_as<std::remove_const_t<Text>, std::string>
  static Value bytes(Text&&) = delete;
  // `seconds` since 1970 and `nanoseconds`, 0 to 999,999,999, in UTC. Outside of the years 1 to 9999: an Error.
  static Value timestamp(int64_t seconds, int32_t nanoseconds = 0);
  static Value duration(int64_t nanoseconds);

  Kind kind() const;
  bool is(Kind k) const { return kind() == k; }
  bool is_null() const { return is(Kind::Null); }
  bool is_error() const { return is(Kind::Error); }

  // Accessors. For a value of another kind they return false, 0 or nothing.
  bool as_bool() const;
  int64_t as_int() const;
  uint64_t as_uint() const;
  double as_double() const;                  // also of an Int or Uint
  std::string_view as_text() const;          // String, Bytes; the name of a Type; the message of an Error
  int64_t seconds() const;                   // of a Timestamp, since 1970
  int64_t nanoseconds() const;               // of a Timestamp within its second; of a Duration in total
  std::optional<Value> as_optional() const;  // the value in an Optional, if there is one

  // The number of elements of a List, entries of a Map, or bytes of a text; 0 for other kinds.
  size_t size() const;
  // The element of a List, or the value of a Map's entry, in the order of the document; null if `index` is
  // not below size(). key() returns the key of that entry: a String in JSON, but expressions make other keys
  // as well.
  Value at(size_t index) const;
  Value key(size_t index) const;
  // The value of a string key of a Map; nothing if the key is absent or this is no Map.
  std::optional<Value> find(std::string_view key) const;
  // The value at a path, "spec.containers[0].image"; null if there is none, or if this is no path. An empty path is the
  // value itself, and a dot in front of a path is ignored. Names with dots, and the empty one, stand in brackets:
  // "metadata.labels[a.b/c]".
  Value find_path(std::string_view path) const;

 private:
  uint64_t words_[2] = {0, 0};  // the representation of interpreter/values/value.h
};

// JSON without spaces, with keys in byte order. Values that JSON does not have are written as CEL converts them: Bytes
// in base64, a Timestamp as "2024-01-01T00:00:00Z", a Duration as "1.5s", an Optional as its value. Values without such
// a form are null: an Optional without value, NaN and infinities, types, an Error, and values of Kubernetes' libraries
// (quantities, IPs and so on); to_text shows them. Keys that are no strings become texts.
std::string to_json(const Value& value);
// YAML in block style, with keys in the order of the map, and the values of to_json; ends with a line break.
std::string to_yaml(const Value& value);
// A CEL literal where there is one, for people.
std::string to_text(const Value& value);

// An entry of a Map that is made of strings and values.
struct MapItem {
  std::string_view key;
  Value value;
};

// Owns values. They are never freed one by one: reset() forgets all of them and keeps the memory, so a Memory
// that is reused soon stops allocating. Belongs to one thread at a time. A Memory that was moved from may only be
// destroyed or assigned to.
class Memory {
 public:
  Memory();
  ~Memory();
  Memory(Memory&&) noexcept;
  Memory& operator=(Memory&&) noexcept;

  // The value of a JSON text, which need not outlive the call. An error has Go's text and its place.
  Result<Value> read_json(std::string_view json);
  // The value of a text with one YAML document, as Kubernetes reads it; a second document is an error (Manifests
  // reads any number of them). JSON is also YAML. An error has its place.
  Result<Value> read_yaml(std::string_view yaml);

  // A String or Bytes with a copy of `text`.
  Value text(std::string_view text);
  Value bytes(std::string_view text);
  // A List of these values; what they refer to is not copied. Lists, maps and optionals that are made in this way may
  // be nested 10,000 times, as often as JSON may; beyond that the result is an Error. With an Error among the values
  // the result is the first one, as in CEL.
  Value list(std::span<const Value> items);
  // A Map with these entries, in this order, and copies of the keys. Of equal keys the last value wins.
  using Entry = MapItem;
  Value map(std::span<const Entry> entries);
  // An Optional with this value, or without one.
  Value optional(std::optional<Value> value);
  // What the functions of Kubernetes' libraries make of a text: quantity("1Gi"), ip("10.0.0.1"), cidr("10.0.0.0/8"),
  // semver("1.2.3"), url("https://example.com"). An Error if the text is none.
  Value quantity(std::string_view text);
  Value ip(std::string_view text);
  Value cidr(std::string_view text);
  Value semver(std::string_view text);
  Value url(std::string_view text);

  // Forgets all values made so far.
  void reset();

  struct State;
  State& state() { return *state_; }  // for Portcullis itself

 private:
  std::unique_ptr<State> state_;
};

}  // namespace portcullis::v1
