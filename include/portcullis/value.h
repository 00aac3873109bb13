// Value: JSON, YAML, params, constants and results of expressions, in 16 bytes; Memory: where values live.
//
//   Memory memory;
//   Result<Value> pod = memory.read_json(text);
//   if (pod) puts(std::string(pod->find_path("metadata.name").as_text()).c_str());
//
// A Value is a view: it is copied like a pointer and owns nothing. It is good as long as the Memory that it was made in
// (or the Context, Evaluation or Program that gave it) is neither reset nor destroyed. Values are immutable, so threads
// may read the same ones. A Memory belongs to one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <portcullis/result.h>

namespace portcullis::v1 {

// Numbers without fraction and exponent that fit 64 bits are Int, all others Double, as Kubernetes reads JSON. The kinds
// from Type on only come out of expressions.
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
  // The text is not copied: Memory::text does.
  static Value string(std::string_view text);

  Kind kind() const;
  bool is(Kind k) const { return kind() == k; }
  bool is_null() const { return is(Kind::Null); }
  bool is_error() const { return is(Kind::Error); }

  // Each gives false, 0 or nothing for a value of another kind.
  bool as_bool() const;
  int64_t as_int() const;
  uint64_t as_uint() const;
  double as_double() const;                  // Int and Uint, too
  std::string_view as_text() const;          // String, Bytes; the name of a Type; the message of an Error
  int64_t seconds() const;                   // of a Timestamp, since 1970
  int64_t nanoseconds() const;               // of a Timestamp within its second; of a Duration all of them
  std::optional<Value> as_optional() const;  // what an Optional holds, if anything

  // Elements of a List, entries of a Map, bytes of a text; else 0.
  size_t size() const;
  // The element of a List, or the value of an entry of a Map, in the order of the document; null if `index` is not
  // below size(). And the key of that entry: JSON has texts for keys, expressions make others.
  Value at(size_t index) const;
  Value key(size_t index) const;
  // The value of a text key of a Map; nothing if there is none, or this is no Map.
  std::optional<Value> find(std::string_view key) const;
  // What stands at a path, "spec.containers[0].image"; null if nothing does. Names with a dot in them cannot be part
  // of a path: find() has them.
  Value find_path(std::string_view path) const;

 private:
  uint64_t words_[2] = {0, 0};  // as interpreter/values/value.h of the sources has them
};

// JSON without spaces, keys in byte order; what JSON does not have is written as null.
std::string to_json(const Value& value);
// YAML in block style, keys in the order of the map; ends with a line break.
std::string to_yaml(const Value& value);
// For people: as a CEL literal where there is one.
std::string to_text(const Value& value);

// Where values live. Nothing is freed one by one: reset() forgets all values and keeps the room, so that a Memory that
// is used again and again stops allocating. One thread at a time.
class Memory {
 public:
  Memory();
  ~Memory();
  Memory(Memory&&) noexcept;
  Memory& operator=(Memory&&) noexcept;

  // The value of a JSON text; neither is needed afterwards. The error is Go's, with its place.
  Result<Value> read_json(std::string_view json);
  // The value of a text with one YAML document, as Kubernetes reads it; JSON is YAML.
  Result<Value> read_yaml(std::string_view yaml);

  // A String with a copy of `text`.
  Value text(std::string_view text);
  // A List of these values, which are not copied.
  Value list(std::span<const Value> items);
  // A Map of entries in this order, with copies of the keys; of equal keys the last one counts.
  struct Entry {
    std::string_view key;
    Value value;
  };
  Value map(std::span<const Entry> entries);

  // Forgets all values made so far.
  void reset();

  struct State;
  State& state() { return *state_; }  // for Portcullis itself

 private:
  std::unique_ptr<State> state_;
};

}  // namespace portcullis::v1
