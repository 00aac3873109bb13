// Writes JSON with the escapes and numbers of Go's encoding/json, as the batch protocol requires.
//
// As in Go, invalid UTF-8 is written as the six characters \ufffd, U+2028 and U+2029 are escaped, and the
// exponent of a double has no padding zero (1e-7).
// Tested by interpreter/values/json_test.cc.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "grammar/ascii.h"
#include "interpreter/values/json.h"
#include "interpreter/values/native.h"

namespace portcullis {
namespace {

// The number of bytes of the well-formed UTF-8 character at the start of `s`, or 0. Overlong forms,
// surrogates and values above U+10FFFF are not well-formed.
size_t utf8_length(std::string_view s) {
  auto byte = [&](size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  unsigned a = byte(0);
  size_t n = a >= 0xc2 && a <= 0xdf ? 2 : a >= 0xe0 && a <= 0xef ? 3 : a >= 0xf0 && a <= 0xf4 ? 4 : 0;
  for (size_t i = 1; i < n; i++) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  unsigned b = byte(1);
  bool outside = (a == 0xe0 && b < 0xa0) || (a == 0xed && b > 0x9f) || (a == 0xf0 && b < 0x90) ||
                 (a == 0xf4 && b > 0x8f);
  return outside ? 0 : n;
}

void append_escape(std::string& out, unsigned char c) {
  static constexpr char kFrom[] = "\"\\\b\f\n\r\t", kTo[] = "\"\\bfnrt";
  out += '\\';
  for (size_t i = 0; kFrom[i] != 0; i++) {
    if (static_cast<unsigned char>(kFrom[i]) == c) {
      out += kTo[i];
      return;
    }
  }
  out += "u00";
  out += kHexDigits[c >> 4];
  out += kHexDigits[c & 15];
}

bool needs_escape(unsigned char c, JsonEscape escape) {
  if (c < ' ' || c == '"' || c == '\\') return true;
  return escape == JsonEscape::Go && (c == '<' || c == '>' || c == '&');
}

void append_string(std::string& out, std::string_view s, JsonEscape escape) {
  out += '"';
  size_t copied = 0;
  for (size_t i = 0; i < s.size();) {
    auto c = static_cast<unsigned char>(s[i]);
    size_t n = c < 0x80 ? 1 : utf8_length(s.substr(i));
    bool separator = n == 3 && c == 0xe2 && s[i + 1] == '\x80' && (s[i + 2] == '\xa8' || s[i + 2] == '\xa9');
    if (n != 0 && !separator && (c >= 0x80 || !needs_escape(c, escape))) {
      i += n;
      continue;
    }
    out.append(s, copied, i - copied);
    if (separator) {
      out += s[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
    } else if (n == 0) {
      out += "\\ufffd";
    } else {
      append_escape(out, c);
    }
    i += std::max<size_t>(n, 1);
    copied = i;
  }
  out.append(s, copied);
  out += '"';
}

// Appends the shortest decimal that reads back as the same double: plain from 1e-6 to below 1e21, else with
// an exponent without padding zeros.
void append_double(std::string& out, double d) {
  if (!std::isfinite(d)) {
    out += "null";
    return;
  }
  char buffer[400];
  char* const limit = buffer + sizeof buffer;
  double size = std::fabs(d);
  char* end;
  if (size >= 1e16 && size < 1e21) {
    // The shortest digits, filled up with zeros; std::chars_format::fixed would print the exact integer here.
    end = std::to_chars(buffer, limit, d, std::chars_format::scientific).ptr;
    char* mark = std::find(buffer, end, 'e');
    int zeros = 0;
    std::from_chars(mark + 2, end, zeros);
    if (char* point = std::find(buffer, mark, '.'); point != mark) {
      zeros -= static_cast<int>(mark - point - 1);
      std::copy(point + 1, mark, point);
      mark--;
    }
    end = std::fill_n(mark, zeros, '0');
  } else if (size == 0 || (size >= 1e-6 && size < 1e21)) {
    end = std::to_chars(buffer, limit, d, std::chars_format::fixed).ptr;
  } else {
    end = std::to_chars(buffer, limit, d, std::chars_format::scientific).ptr;
    if (end - buffer >= 4 && end[-4] == 'e' && end[-3] == '-' && end[-2] == '0') {
      end[-2] = end[-1];
      end--;
    }
  }
  out.append(buffer, end);
}

template <class Int>
void append_integer(std::string& out, Int i) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, i).ptr);
}

void append_base64(std::string& out, std::string_view bytes) {
  out += '"';
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t j = 0; j < 3; j++) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    for (size_t j = 0; j < 4; j++) {
      out += i + j <= bytes.size() ? kBase64Digits[group >> (18 - 6 * j) & 63] : '=';
    }
  }
  out += '"';
}

// The text of a map key: a string unchanged, other keys as Kubernetes prints them.
std::string key_text(const Value& key) {
  std::string out;
  switch (key.kind()) {
    case Kind::String: return std::string(key.as_text());
    case Kind::Bool: return key.as_bool() ? "true" : "false";
    case Kind::Int: append_integer(out, key.as_int()); break;
    case Kind::Uint: append_integer(out, key.as_uint()); break;
    case Kind::Double: append_double(out, key.as_double()); break;
    default: break;
  }
  return out;
}

bool key_before(const MapEntry* a, const MapEntry* b) {
  if (a->key.is(Kind::String) && b->key.is(Kind::String)) return a->key.as_text() < b->key.as_text();
  return key_text(a->key) < key_text(b->key);
}

}  // namespace

void JsonWriter::separate() {
  if (comma_) out_ += ',';
  comma_ = true;
}

void JsonWriter::begin_object() {
  separate();
  out_ += '{';
  comma_ = false;
}

void JsonWriter::end_object() {
  out_ += '}';
  comma_ = true;
}

void JsonWriter::begin_list() {
  separate();
  out_ += '[';
  comma_ = false;
}

void JsonWriter::end_list() {
  out_ += ']';
  comma_ = true;
}

void JsonWriter::key(std::string_view name) {
  separate();
  append_string(out_, name, escape_);
  out_ += ':';
  comma_ = false;
}

void JsonWriter::string(std::string_view text) {
  separate();
  append_string(out_, text, escape_);
}

void JsonWriter::integer(int64_t i) {
  separate();
  append_integer(out_, i);
}

void JsonWriter::real(double d) {
  separate();
  append_double(out_, d);
}

void JsonWriter::boolean(bool b) { raw(b ? "true" : "false"); }
void JsonWriter::null() { raw("null"); }

void JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
}

void JsonWriter::value(const Value& v) {
  switch (v.kind()) {
    case Kind::Bool: return boolean(v.as_bool());
    case Kind::Int: return integer(v.as_int());
    case Kind::Uint: separate(); return append_integer(out_, v.as_uint());
    case Kind::Double: return real(v.as_double());
    case Kind::String: return string(v.as_text());
    case Kind::Bytes: separate(); return append_base64(out_, v.as_text());
    case Kind::List: return is_nil_list(v) ? null() : elements(v);
    case Kind::Map: return entries(v);
    default: return null();
  }
}

void JsonWriter::elements(const Value& v) {
  begin_list();
  for (const Value& item : v.as_list()) value(item);
  end_list();
}

void JsonWriter::entries(const Value& v) {
  begin_object();
  auto write = [&](const MapEntry& e) {
    member(e.key.is(Kind::String) ? e.key.as_text() : std::string_view(key_text(e.key)), e.value);
  };
  if (order_ == JsonOrder::Document) {
    for (const MapEntry& e : v.as_map()) write(e);
  } else {
    std::vector<const MapEntry*> sorted;
    sorted.reserve(v.size());
    for (const MapEntry& e : v.as_map()) sorted.push_back(&e);
    std::stable_sort(sorted.begin(), sorted.end(), key_before);
    for (const MapEntry* e : sorted) write(*e);
  }
  end_object();
}

std::string to_json(const Value& v, JsonEscape escape) {
  std::string out;
  JsonWriter(out, escape).value(v);
  return out;
}

std::string quote_json(std::string_view text, JsonEscape escape) {
  std::string out;
  append_string(out, text, escape);
  return out;
}

}  // namespace portcullis
