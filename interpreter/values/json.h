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

#include <concepts>
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

  // Whether an object of the last text may have a key twice; if not, none has.
  bool may_repeat_keys() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Reads `text` with the exact parser alone: slower, but needs no reader. Thread-safe.
Result<Value> read_json(std::string_view text, Arena& arena);

// What an error of reading is, for callers that may try another format: the text ends too early, or a number is larger
// than any double. The error may say more before it, as where it is.
bool is_early_end(const Error& error);
bool is_large_number(const Error& error);

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
//   JsonWriter w(out); w.begin_object(); w.member("id", id); w.end_object();
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

  // A member. It may be a text, a number, a boolean, a value, a list of texts, or an object, given as pairs of a name
  // and what may be a member.
  template <class T>
  void member(std::string_view name, const T& v) {
    key(name);
    data(v);
  }
  // The same, left out if the text, list or object is empty or the number is not positive.
  template <class T>
  void optional(std::string_view name, const T& v) {
    if constexpr (std::integral<T>) {
      if (v > 0) member(name, v);
    } else if (!v.empty()) {
      member(name, v);
    }
  }
  // A member that is a piece of JSON.
  void raw(std::string_view name, std::string_view json) {
    key(name);
    raw(json);
  }
  // A member that is an object, whose members `write()` writes.
  template <class Write>
  void object(std::string_view name, const Write& write) {
    key(name);
    begin_object();
    write();
    end_object();
  }
  // A member that is a list of objects: `write(item)` writes the members of the object of each item.
  template <class Items, class Write>
  void list(std::string_view name, Items&& items, const Write& write) {
    key(name);
    begin_list();
    for (const auto& item : items) {
      begin_object();
      write(item);
      end_object();
    }
    end_list();
  }
  // The same, left out if there are no items.
  template <class Items, class Write>
  void optional(std::string_view name, Items&& items, const Write& write) {
    if (!items.empty()) list(name, items, write);
  }

  // Writes what may be a member.
  template <class T>
  void data(const T& v) {
    if constexpr (std::same_as<T, bool>) {
      boolean(v);
    } else if constexpr (std::unsigned_integral<T>) {
      value(Value::uinteger(v));
    } else if constexpr (std::integral<T>) {
      integer(v);
    } else if constexpr (std::floating_point<T>) {
      real(v);
    } else if constexpr (std::same_as<T, Value>) {
      value(v);
    } else if constexpr (std::convertible_to<const T&, std::string_view>) {
      string(v);
    } else if constexpr (requires { v.begin()->second; }) {
      begin_object();
      for (const auto& [name, item] : v) member(name, item);
      end_object();
    } else {
      begin_list();
      for (std::string_view text : v) string(text);
      end_list();
    }
  }

 private:
  void separate();
  void elements(const Value& v);
  void entries(const Value& v);

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
