// JSON text to Value and back, as Kubernetes reads and writes it.
//
// Idea: simdjson finds where values start; one pass over these places makes the 16-byte values. Texts that this pass
// refuses but Go's reader accepts (numbers that round to zero, lone surrogates, invalid UTF-8, nesting up to 10,000) go
// to a small exact parser of our own, which also finds place and text of errors. A number without fraction and exponent
// that fits an int64 becomes an Int, any other a Double. Of equal keys the last value wins, at the place of the first.
// Maps keep the order of the document.
// Source of behaviour: sigs.k8s.io/json (UnmarshalCaseSensitivePreserveInts), encoding/json.
// Limits: kMaxJsonDepth; texts of at most 4 GB.
// Tested by interpreter/values/json_test.cc, fuzz/json.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "grammar/result.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/value.h"

namespace portcullis {

// Go's limit on the nesting of lists and objects (encoding/json, "exceeded max depth").
inline constexpr int kMaxJsonDepth = 10000;

// Reads one document after the other and keeps its buffers, so after warm-up only the arena allocates. Not
// thread-safe: a reader belongs to one thread at a time.
class JsonReader {
 public:
  JsonReader();
  ~JsonReader();
  JsonReader(JsonReader&&) noexcept;
  JsonReader& operator=(JsonReader&&) noexcept;

  // The value of `text`. All of it is copied into `arena`, so neither the text nor the reader need outlive
  // the call. An error has the text of Go's reader, and line and column (in code points) of the offending
  // character.
  Result<Value> read(std::string_view text, Arena& arena);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Reads `text` with the exact parser alone: slower, but needs no reader. Thread-safe.
Result<Value> read_json(std::string_view text, Arena& arena);

// How strings are escaped.
enum class JsonEscape : uint8_t {
  Plain,  // as in the batch protocol: `<`, `>`, `&` unchanged
  Go,     // as encoding/json by default: `<`, `>`, `&` as \u003c, \u003e, \u0026 (audit annotations)
};

// The order in which the keys of maps are written.
enum class JsonOrder : uint8_t { Sorted, Document };

// Appends JSON to a string, without spaces. Map keys are in byte order unless JsonOrder says otherwise.
// Doubles are the shortest decimals that read back as the same number (in exponent form below 1e-6 and from
// 1e21); invalid UTF-8 becomes U+FFFD. An answer can be written part by part; the writer adds the commas:
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
  // The key of the member written next. The caller is responsible for the order of keys.
  void key(std::string_view name);

  // Writes a value: null, bool, int, uint, double, string, list, or map (a key that is no string is written
  // as Kubernetes prints it). Bytes are written in base64; NaN, infinities and values of other kinds as null.
  void value(const Value& v);
  void string(std::string_view text);
  void integer(int64_t i);
  void real(double d);
  void boolean(bool b);
  void null();
  // Writes a piece of JSON unchanged.
  void raw(std::string_view json);

 private:
  void separate();
  void list(const Value& v);
  void map(const Value& v);

  std::string& out_;
  JsonEscape escape_;
  JsonOrder order_;
  bool comma_ = false;  // a value has been written here, so the next one needs a comma
};

// `v` as a JSON text, written by JsonWriter.
std::string to_json(const Value& v, JsonEscape escape = JsonEscape::Plain);

// `text` as a JSON string, with quotes.
std::string quote_json(std::string_view text, JsonEscape escape = JsonEscape::Plain);

}  // namespace portcullis
