#include "interpreter/functions/format.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "grammar/ascii.h"
#include "grammar/utf8.h"
#include "interpreter/formats/duration.h"
#include "interpreter/formats/number.h"
#include "interpreter/formats/text.h"
#include "interpreter/formats/timestamp.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/nesting.h"
#include "interpreter/values/print.h"
#include "typecheck/format_check.h"

namespace portcullis {
namespace {

constexpr int kDefaultPrecision = 6;

// Where a formatter prints, and where it writes its error.
struct Sink {
  TextBuilder& out;
  TextBuilder& failure;

  bool fail(std::string_view text, std::string_view detail = {}) {
    failure.append(text);
    failure.append(detail);
    return false;
  }
};

bool is_integer(const Value& v) { return v.is(Kind::Int) || v.is(Kind::Uint); }

void append_integer(TextBuilder& out, const Value& v, int base = 10, bool upper = false) {
  v.is(Kind::Int) ? append_int(out, v.as_int(), base, upper) : append_uint(out, v.as_uint(), base, upper);
}

// %x of bytes: two digits per byte.
void append_bytes_hex(TextBuilder& out, std::string_view bytes, bool upper) {
  const std::string_view digits = upper ? kUpperHexDigits : kHexDigits;
  for (char c : bytes) {
    out.append(digits[static_cast<uint8_t>(c) >> 4]);
    out.append(digits[static_cast<uint8_t>(c) & 15]);
  }
}

void append_time(TextBuilder& out, const Value& v, bool utc) {
  append_rfc3339(out, {v.seconds(), v.nanos(), utc ? int16_t{0} : v.offset_minutes()});
}

// Appends "NaN", "Infinity" or "-Infinity"; false for finite numbers.
bool append_infinity(TextBuilder& out, double d) {
  if (std::isfinite(d)) return false;
  out.append(std::isnan(d) ? "NaN" : d > 0 ? "Infinity" : "-Infinity");
  return true;
}

// A key as a text, and its entry.
struct FormattedKey {
  std::string_view text;
  const MapEntry* entry;
  auto operator<=>(const FormattedKey&) const = default;  // entries with equal texts stay in order
};

// The keys of `map`, sorted by their texts; nothing if one cannot be printed.
template <class K>
[[gnu::noinline]] std::optional<std::span<const FormattedKey>> sorted_keys(Sink& sink, Map map, K print_key) {
  Arena& arena = sink.out.arena();
  FormattedKey* keys = arena.array<FormattedKey>(map.size());
  for (size_t i = 0; i < map.size(); ++i) {
    TextBuilder text(arena);
    Sink key_sink{text, sink.failure};
    if (!print_key(key_sink, map[i].key)) return std::nullopt;
    new (&keys[i]) FormattedKey{text.view(), &map[i]};
  }
  std::sort(keys, keys + map.size());
  return std::span<const FormattedKey>(keys, map.size());
}

// Appends "{k: v, ...}", sorted by the texts of keys.
template <class K, class V>
bool append_map(Sink& sink, Map map, std::string_view separator, K print_key, V print_value) {
  const Nesting level;
  const auto keys = sorted_keys(sink, map, print_key);
  if (!keys) return false;
  sink.out.append('{');
  bool first = true;
  for (const FormattedKey& key : *keys) {
    if (!first) sink.out.append(", ");
    first = false;
    sink.out.append(key.text);
    sink.out.append(separator);
    if (!print_value(sink, key.entry->value)) return false;
  }
  sink.out.append('}');
  return true;
}

template <class F>
bool append_list(Sink& sink, List list, F print) {
  const Nesting level;
  sink.out.append('[');
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) sink.out.append(", ");
    if (!print(sink, list[i])) return false;
  }
  sink.out.append(']');
  return true;
}

// --- versions 1 to 3 ---

void append_in_call(TextBuilder& out, std::string_view call, std::string_view text) {
  out.append(call);
  out.append('(');
  append_quoted(out, text);
  out.append(')');
}

// These words count as doubles for %f and %e.
bool is_number_word(const Value& v) {
  return v.is(Kind::String) &&
         (v.as_text() == "NaN" || v.as_text() == "Infinity" || v.as_text() == "-Infinity");
}

double number_of(const Value& v) {
  return v.is(Kind::Double) ? v.as_double() : read_float(v.as_text()).value;
}

bool append_symbol(TextBuilder& out, double d) {
  if (std::isfinite(d)) return false;
  out.append(std::isnan(d) ? "NaN" : d > 0 ? "\u221e" : "-\u221e");
  return true;
}

void append_localized(TextBuilder& out, double d, int precision) {
  if (append_symbol(out, d)) return;
  TextBuilder text(out.arena());
  append_fixed(text, std::fabs(d), precision);
  std::string_view digits = text.view();
  if (d < 0) out.append('-');
  size_t whole = std::min(digits.find('.'), digits.size());
  for (size_t i = 0; i < whole; ++i) {
    if (i > 0 && (whole - i) % 3 == 0) out.append(',');
    out.append(digits[i]);
  }
  if (whole == digits.size()) return;
  out.append('.');
  out.append(digits.substr(whole + 1));
}

void append_superscript(TextBuilder& out, int exponent) {
  constexpr std::string_view kDigits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                          "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  if (exponent < 0) out.append("\u207b");
  int e = std::abs(exponent);
  if (e >= 100) out.append(kDigits[e / 100]);
  out.append(kDigits[e / 10 % 10]);
  out.append(kDigits[e % 10]);
}

// cel-go passes the precision of %e as a width, so the mantissa always has six digits behind the point.
void append_localized_scientific(TextBuilder& out, double d, int width) {
  TextBuilder text(out.arena());
  if (!append_symbol(text, d)) {
    TextBuilder plain(out.arena());
    append_scientific(plain, std::fabs(d), kDefaultPrecision);
    std::string_view p = plain.view();
    size_t e = p.find('e');
    if (d < 0) text.append('-');
    text.append(p[0]);
    text.append('.');
    text.append(p.substr(2, e - 2));
    text.append("\u00d710");
    append_superscript(text, static_cast<int>(read_int(p.substr(e + 1)).value));
  }
  size_t runes = 0;
  for (char c : text.view()) runes += (static_cast<uint8_t>(c) & 0xC0) != 0x80;
  size_t wanted = static_cast<size_t>(width);
  if (wanted > runes) out.append(wanted - runes, ' ');
  out.append(text.view());
}

// The formatter of versions 1 to 3.
struct LiteralFormatter {
  static constexpr bool kV4 = false;
  static bool string(Sink& sink, const Value& v) {
    switch (v.kind()) {
      case Kind::Null: sink.out.append("null"); return true;
      case Kind::Bool: sink.out.append(v.as_bool() ? "true" : "false"); return true;
      case Kind::Int:
      case Kind::Uint: append_integer(sink.out, v); return true;
      case Kind::Double: append_general(sink.out, v.as_double()); return true;
      case Kind::String:
      case Kind::Type: sink.out.append(v.as_text()); return true;
      case Kind::Bytes: return bytes(sink, v);
      case Kind::Timestamp: append_time(sink.out, v, false); return true;
      case Kind::Duration: append_duration_seconds(sink.out, v.as_duration()); return true;
      case Kind::List: return append_list(sink, v.as_list(), member);
      case Kind::Map: return map(sink, v);
      default: return sink.fail(format_complaint('s', kV4), type_name(v));
    }
  }
  static bool bytes(Sink& sink, const Value& v) {
    if (!utf8::valid(v.as_text())) {
      return sink.fail(
          "could not convert argument \"invalid UTF-8 in bytes, cannot convert to string\" to string");
    }
    sink.out.append(v.as_text());
    return true;
  }
  // In typed data, a field that is null is a key without value, and unknown fields are not seen.
  static bool map(Sink& sink, const Value& v) {
    if (!(v.flags() & kTypedMap)) return append_map(sink, v.as_map(), ":", key, member);
    Arena& arena = sink.out.arena();
    MapEntry* seen = arena.array<MapEntry>(v.size());
    size_t count = 0;
    for (const MapEntry& e : v.as_map()) {
      if (!is_hidden(e)) {
        new (&seen[count++]) MapEntry(e);
      } else if (Value name = hidden_name(e, arena); !name.is_null()) {
        sink.fail("could not find key: ");
        append_quoted(sink.failure, name.as_text());
        return false;
      }
    }
    return append_map(sink, {seen, count}, ":", key, member);
  }
  // Prints an element of a list or a value of a map, as a CEL literal.
  static bool member(Sink& sink, const Value& v) {
    switch (v.kind()) {
      case Kind::Double: return member_double(sink, v.as_double());
      case Kind::String: append_quoted(sink.out, v.as_text()); return true;
      case Kind::Bytes:
      case Kind::Timestamp:
      case Kind::Duration: {
        TextBuilder text(sink.out.arena());
        Sink inner{text, sink.failure};
        if (!string(inner, v)) return false;
        if (v.is(Kind::Bytes)) {
          sink.out.append('b');
          append_quoted(sink.out, text.view());
        } else {
          append_in_call(sink.out, v.is(Kind::Timestamp) ? "timestamp" : "duration", text.view());
        }
        return true;
      }
      case Kind::Null:
      case Kind::Bool:
      case Kind::Int:
      case Kind::Uint:
      case Kind::Type:
      case Kind::List:
      case Kind::Map: return string(sink, v);
      default: return sink.fail("no formatting function for ", type_name(v));
    }
  }
  static bool member_double(Sink& sink, double d) {
    if (!std::isfinite(d)) sink.out.append('"');
    append_fixed(sink.out, d, kDefaultPrecision);
    if (!std::isfinite(d)) sink.out.append('"');
    return true;
  }
  static bool key(Sink& sink, const Value& v) {
    if (v.is(Kind::String) || v.is(Kind::Bool) || is_integer(v)) return member(sink, v);
    return sink.fail("no formatting function for map key of type ", type_name(v));
  }
  // These are false where the verb cannot print the value; format_complaint has the text.
  static bool decimal(Sink& sink, const Value& v) {
    if (!is_integer(v)) return false;
    append_integer(sink.out, v);
    return true;
  }
  static bool fixed(Sink& sink, const Value& v, int precision) {
    if (!v.is(Kind::Double) && !is_number_word(v)) return false;
    append_localized(sink.out, number_of(v), precision);
    return true;
  }
  static bool scientific(Sink& sink, const Value& v, int precision) {
    if (!v.is(Kind::Double) && !is_number_word(v)) return false;
    append_localized_scientific(sink.out, number_of(v), precision);
    return true;
  }
};

// --- from version 4 on ---

struct PlainFormatter {
  static constexpr bool kV4 = true;
  static bool string(Sink& sink, const Value& v) {
    switch (v.kind()) {
      case Kind::Null: sink.out.append("null"); return true;
      case Kind::Bool: sink.out.append(v.as_bool() ? "true" : "false"); return true;
      case Kind::Int:
      case Kind::Uint: append_integer(sink.out, v); return true;
      case Kind::Double:
        if (!append_infinity(sink.out, v.as_double())) append_decimal(sink.out, v.as_double());
        return true;
      case Kind::String:
      case Kind::Bytes:
      case Kind::Type: sink.out.append(v.as_text()); return true;
      case Kind::Timestamp: append_time(sink.out, v, true); return true;
      case Kind::Duration: append_duration_seconds(sink.out, v.as_duration()); return true;
      case Kind::List: return append_list(sink, v.as_list(), string);
      case Kind::Map: return append_map(sink, v.as_map(), ": ", string, string);
      default: return sink.fail(format_complaint('s', kV4), type_name(v));
    }
  }
  static bool decimal(Sink& sink, const Value& v) {
    return (is_integer(v) || v.is(Kind::Double)) && string(sink, v);
  }
  // Reads an int, uint or double as a double; false for other kinds.
  static bool number(const Value& v, double& d) {
    if (v.is(Kind::Double)) d = v.as_double();
    if (v.is(Kind::Int)) d = static_cast<double>(v.as_int());
    if (v.is(Kind::Uint)) d = static_cast<double>(v.as_uint());
    return v.is(Kind::Double) || is_integer(v);
  }
  static bool fixed(Sink& sink, const Value& v, int precision) {
    double d;
    if (!number(v, d)) return false;
    if (!append_infinity(sink.out, d)) append_fixed(sink.out, d, precision);
    return true;
  }
  static bool scientific(Sink& sink, const Value& v, int precision) {
    double d;
    if (!number(v, d)) return false;
    if (!append_infinity(sink.out, d)) append_scientific(sink.out, d, precision);
    return true;
  }
};

// --- the reader of format strings ---

// The verbs that print the same in both versions; false where one cannot print the value.
bool print_binary(TextBuilder& out, const Value& v) {
  if (v.is(Kind::Bool)) return out.append(v.as_bool() ? '1' : '0'), true;
  if (is_integer(v)) append_integer(out, v, 2);
  return is_integer(v);
}
bool print_hex(TextBuilder& out, const Value& v, bool upper) {
  if (v.is(Kind::String) || v.is(Kind::Bytes)) return append_bytes_hex(out, v.as_text(), upper), true;
  if (is_integer(v)) append_integer(out, v, 16, upper);
  return is_integer(v);
}
bool print_octal(TextBuilder& out, const Value& v) {
  if (is_integer(v)) append_integer(out, v, 8);
  return is_integer(v);
}

// Whether a verb but %s prints `v`; nothing for an unknown verb.
template <class Formatter>
std::optional<bool> print_by_verb(char verb, Sink& sink, const Value& v, int precision) {
  switch (verb) {
    case 'd': return Formatter::decimal(sink, v);
    case 'f': return Formatter::fixed(sink, v, precision);
    case 'e': return Formatter::scientific(sink, v, precision);
    case 'b': return print_binary(sink.out, v);
    case 'x':
    case 'X': return print_hex(sink.out, v, verb == 'X');
    case 'o': return print_octal(sink.out, v);
    default: return std::nullopt;
  }
}

// Formats `v` by a verb. `prefixed`: the error needs cel-go's prefix, which that of an unknown verb does not.
template <class Formatter>
bool print(const Formatter& f, char verb, Sink& sink, const Value& v, int precision, bool& prefixed) {
  prefixed = true;
  if (verb == 's') return f.string(sink, v);
  if (std::optional<bool> printed = print_by_verb<Formatter>(verb, sink, v, precision))
    return *printed || sink.fail(format_complaint(verb, Formatter::kV4), type_name(v));
  prefixed = false;
  return sink.fail(unknown_verb(verb));
}

template <class Formatter>
Value run(CallContext& context, std::string_view format, List arguments, const Formatter& formatter,
          int max_precision) {
  TextBuilder out(context.arena()), failure(context.arena());
  Sink sink{out, failure};
  size_t next = 0;  // index of the next argument
  for (size_t i = 0; i < format.size();) {
    size_t percent = std::min(format.find('%', i), format.size());
    out.append(format.substr(i, percent - i));
    i = percent + 1;
    if (percent == format.size()) break;
    if (i < format.size() && format[i] == '%') {
      out.append('%');
      ++i;
      continue;
    }
    if (next >= arguments.size()) {
      failure.append("index ");
      append_uint(failure, next);
      failure.append(" out of range");
      return context.error(failure.view());
    }
    if (i == format.size()) return context.error("unexpected end of string");
    const Precision read = read_precision(format, i, max_precision);
    if (!read.error.empty()) return context.error(read.error);
    const int precision = read.value ? static_cast<int>(*read.value) : kDefaultPrecision;
    bool prefixed;
    if (!print(formatter, format[i++], sink, arguments[next++], precision, prefixed)) {
      if (!prefixed) return context.error(failure.view());
      TextBuilder text(context.arena());
      text.append("error during formatting: ");
      text.append(failure.view());
      return context.error(text.view());
    }
  }
  return Value::string(out.view());
}

}  // namespace

Value format_literals(CallContext& context, std::string_view format, List arguments) {
  return run(context, format, arguments, LiteralFormatter{}, kMostLiteralPrecision);
}

Value format_plain(CallContext& context, std::string_view format, List arguments, int max_precision) {
  return run(context, format, arguments, PlainFormatter{}, max_precision);
}

}  // namespace portcullis
