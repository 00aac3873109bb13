// JSON text <-> Value, with the semantics of Kubernetes' reader and the output rules of its answers.
//
// Idea: simdjson parses into a document that is used again and again; one pass over its tape makes the
// 16-byte values. What simdjson refuses but Go's reader takes (integers beyond 64 bits, lone surrogates,
// invalid UTF-8, nesting up to 10,000) goes to a small exact parser of our own, which also finds position and
// text of errors. Numbers: one without fraction and exponent that fits an int64 is an Int, any other a
// Double. Of equal keys the last one wins, at the place of the first. Keys keep the order of the document.
// Source of behaviour: sigs.k8s.io/json (UnmarshalCaseSensitivePreserveInts), encoding/json.
// Limits: kMaxJsonDepth; texts of at most 4 GB. Tested by interpreter/values/json_test.cc, fuzz/json.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "grammar/result.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/value.h"

namespace portcullis {

// Go's own limit on the nesting of lists and objects (encoding/json, "exceeded max depth").
inline constexpr int kMaxJsonDepth = 10000;

// Reads documents one after the other; keeps its buffers, so that after warm-up a read allocates nothing
// but what the arena does. Not thread-safe: one reader belongs to one thread at a time.
class JsonReader {
 public:
  JsonReader();
  ~JsonReader();
  JsonReader(JsonReader&&) noexcept;
  JsonReader& operator=(JsonReader&&) noexcept;

  // The value of `text`, which is copied: the value and its strings live in `arena` alone, and neither the
  // text nor the reader need outlive the call. The error says what Go's reader says, with line and column (in
  // code points) of the offending character.
  Result<Value> read(std::string_view text, Arena& arena);

  // The same for a text with at least kPadding readable bytes behind its end: saves copying the input.
  static constexpr size_t kPadding = 64;
  Result<Value> read_padded(std::string_view text, Arena& arena);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Reads `text` with the exact parser alone (any thread; slower, no reader to keep).
Result<Value> read_json(std::string_view text, Arena& arena);

// How texts are escaped.
enum class JsonEscape : uint8_t {
  Plain,  // as the batch protocol says: `<`, `>`, `&` stand as they are
  Go,     // encoding/json's default: `<`, `>`, `&` as \u003c, \u003e, \u0026 (audit annotations)
};

// In which order the keys of maps are written.
enum class JsonOrder : uint8_t { Sorted, Document };

// Appends JSON to a string. Values: no spaces, keys in byte order, integers as such, doubles as the shortest
// decimal that reads back (exponent below 1e-6 and from 1e21), invalid UTF-8 as U+FFFD.
// For answers, the parts are written one by one; commas are put where they belong:
//   JsonWriter w(out); w.begin_object(); w.key("id"); w.value(id); w.end_object();
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out, JsonEscape escape = JsonEscape::Plain,
                      JsonOrder order = JsonOrder::Sorted)
      : out_(out), escape_(escape), order_(order) {}

  void begin_object();
  void end_object();
  void begin_list();
  void end_list();
  // The key of the member that is written next. The caller minds the order of keys.
  void key(std::string_view name);

  // A value that JSON can hold: null, bool, int, uint, double, string, list, map with keys that are strings
  // (other keys are written as Kubernetes prints them). Bytes are written in base64, NaN, infinities and
  // other kinds as null.
  void value(const Value& v);
  void string(std::string_view text);
  void integer(int64_t i);
  void real(double d);
  void boolean(bool b);
  void null();
  // A piece of JSON as it is.
  void raw(std::string_view json);

 private:
  void separate();
  void list(const Value& v);
  void map(const Value& v);

  std::string& out_;
  JsonEscape escape_;
  JsonOrder order_;
  bool comma_ = false;  // a value stands before, so a comma is due
};

// `v` as one JSON text, as JsonWriter writes it.
std::string to_json(const Value& v, JsonEscape escape = JsonEscape::Plain);

// `text` as a JSON string, with its quotes.
std::string quote_json(std::string_view text, JsonEscape escape = JsonEscape::Plain);

}  // namespace portcullis
