// The encoders library: base64, and since version 1 JSON. Source of behaviour: cel-go ext/encoders.go.
// Tested by tests/language/libraries.cel, tests/examples.cc.
#include <algorithm>
#include <cmath>

#include "grammar/ascii.h"
#include "interpreter/formats/duration.h"
#include "interpreter/formats/number.h"
#include "interpreter/formats/text.h"
#include "interpreter/formats/timestamp.h"
#include "interpreter/functions/call.h"
#include "interpreter/functions/tables.h"

namespace portcullis::tables {
namespace {

Value decode(CallContext& context, std::string_view text) {
  std::optional<size_t> corrupt;
  for (bool padded : {true, false}) {
    TextBuilder out(context.arena());
    corrupt = decode_base64(out, text, padded);
    if (!corrupt) return Value::bytes(out.view());
  }
  TextBuilder message(context.arena());
  message.append("illegal base64 data at input byte ");
  append_uint(message, *corrupt);
  return context.error(message.view());
}

void append_json_text(TextBuilder& out, std::string_view text) {
  out.append('"');
  for (char c : text) {
    constexpr std::string_view kShort = "\"\\\b\f\n\r\t", kLetters = "\"\\bfnrt";
    if (size_t i = kShort.find(c); i != kShort.npos) {
      out.append('\\');
      out.append(kLetters[i]);
    } else if (static_cast<uint8_t>(c) < 0x20) {
      out.append("\\u00");
      out.append(kHexDigits[c >> 4]);
      out.append(kHexDigits[c & 15]);
    } else {
      out.append(c);
    }
  }
  out.append('"');
}

// Doubles as in protobuf's JSON: like ECMAScript, in exponent form below 1e-6 and from 1e21 on.
void append_json_double(TextBuilder& out, double d) {
  if (std::isnan(d)) return out.append("\"NaN\"");
  if (std::isinf(d)) return out.append(d > 0 ? "\"Infinity\"" : "\"-Infinity\"");
  double size = std::fabs(d);
  if (size == 0 || (size >= 1e-6 && size < 1e21)) return append_decimal(out, d);
  append_general(out, d);
  // The exponent has no padding zero: "e-9" instead of "e-09".
  std::string_view text = out.view();
  if (text.size() > 4 && text[text.size() - 4] == 'e' && text[text.size() - 3] == '-' &&
      text[text.size() - 2] == '0') {
    char last = text.back();
    out.drop(2);
    out.append(last);
  }
}

bool append_json(TextBuilder& out, const Value& v, std::string_view& problem);

bool append_json_map(TextBuilder& out, Map map, std::string_view& problem) {
  Arena& arena = out.arena();
  struct Member {
    std::string_view key;
    const Value* value;
  };
  Member* members = arena.array<Member>(map.size());
  for (size_t i = 0; i < map.size(); ++i) {
    const Value& key = map[i].key;
    TextBuilder text(arena);
    if (key.is(Kind::String)) text.append(key.as_text());
    if (key.is(Kind::Bool)) text.append(key.as_bool() ? "true" : "false");
    if (key.is(Kind::Int)) append_int(text, key.as_int());
    if (key.is(Kind::Uint)) append_uint(text, key.as_uint());
    members[i] = {text.view(), &map[i].value};
  }
  std::sort(members, members + map.size(), [](const Member& a, const Member& b) { return a.key < b.key; });
  out.append('{');
  for (size_t i = 0; i < map.size(); ++i) {
    if (i > 0) out.append(',');
    append_json_text(out, members[i].key);
    out.append(':');
    if (!append_json(out, *members[i].value, problem)) return false;
  }
  out.append('}');
  return true;
}

bool append_json_list(TextBuilder& out, List list, std::string_view& problem) {
  out.append('[');
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out.append(',');
    if (!append_json(out, list[i], problem)) return false;
  }
  out.append(']');
  return true;
}

// Appends the output of `print` in quotes.
template <class F>
void append_quoted_by(TextBuilder& out, F print) {
  out.append('"');
  print();
  out.append('"');
}

bool append_json(TextBuilder& out, const Value& v, std::string_view& problem) {
  switch (v.kind()) {
    case Kind::Null: out.append("null"); return true;
    case Kind::Bool: out.append(v.as_bool() ? "true" : "false"); return true;
    case Kind::Int:
      if (is_exact_in_double(v.as_int())) return append_int(out, v.as_int()), true;
      return append_quoted_by(out, [&] { append_int(out, v.as_int()); }), true;
    case Kind::Uint:
      if (is_exact_in_double(v.as_uint())) return append_uint(out, v.as_uint()), true;
      return append_quoted_by(out, [&] { append_uint(out, v.as_uint()); }), true;
    case Kind::Double: append_json_double(out, v.as_double()); return true;
    case Kind::String: append_json_text(out, v.as_text()); return true;
    case Kind::Bytes: return append_quoted_by(out, [&] { append_base64(out, v.as_text()); }), true;
    case Kind::Timestamp:
      return append_quoted_by(out,
                              [&] { append_rfc3339(out, {v.seconds(), v.nanos(), v.offset_minutes()}); }),
             true;
    case Kind::Duration:
      return append_quoted_by(out, [&] { append_duration_seconds(out, v.as_duration()); }), true;
    case Kind::List: return append_json_list(out, v.as_list(), problem);
    case Kind::Map: return append_json_map(out, v.as_map(), problem);
    case Kind::Optional:
      if (v.as_optional() != nullptr) return append_json(out, *v.as_optional(), problem);
      problem = "optional.none() dereference";
      return false;
    default: problem = "cannot convert to JSON"; return false;
  }
}

constexpr Function kRows[] = {
    {.id = "base64_decode_string",
     .signature = "base64.decode(string) -> bytes",
     .call = wrap([](CallContext& c, std::string_view s) { return decode(c, s); }),
     .doc = "the bytes of a base64 text, with or without padding",
     .examples = "base64.decode('aGVsbG8=')  // => b'hello'\nbase64.decode('aGVsbG8')  // => b'hello'"},
    {.id = "base64_encode_bytes",
     .signature = "base64.encode(bytes) -> string",
     .call = wrap([](CallContext& c, Bytes b) {
       TextBuilder out(c.arena());
       append_base64(out, b.data);
       return out.view();
     }),
     .doc = "the bytes as base64 with padding",
     .examples = "base64.encode(b'hello')  // => 'aGVsbG8='"},
    {.id = "json_encode_dyn",
     .signature = "json.encode(dyn) -> string",
     .call = wrap([](CallContext& c, Value v) {
       TextBuilder out(c.arena());
       std::string_view problem;
       return append_json(out, v, problem) ? Value::string(out.view()) : c.error(problem);
     }),
     .since = 1,
     .doc = "the value as JSON",
     .examples = "json.encode({'hello': ['world', 1]})  // => '{\"hello\":[\"world\",1]}'"},
};

}  // namespace

std::span<const Function> encoders() { return kRows; }

}  // namespace portcullis::tables
