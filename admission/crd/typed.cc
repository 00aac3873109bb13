#include "admission/crd/typed.h"

#include <fmt/format.h>

#include <limits>

#include "admission/builtin/time.h"
#include "grammar/ascii.h"
#include "grammar/escape.h"
#include "interpreter/formats/duration.h"
#include "interpreter/formats/text.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/equal.h"
#include "interpreter/values/list_types.h"

namespace portcullis::crd {

std::string_view go_type_of(const Value& v) {
  switch (v.kind()) {
    case Kind::Bool: return "bool";
    case Kind::Int: return "int64";
    case Kind::Double: return "float64";
    case Kind::String: return "string";
    case Kind::List: return "[]interface {}";
    case Kind::Map: return "map[string]interface {}";
    default: return "<nil>";
  }
}

namespace {

// Data that a schema preserves without a type. Only equality is defined; as a left operand it also equals a
// value that is the same JSON in Go.
struct Preserved : Opaque {
  Value data;
};
extern const OpaqueClass kPreservedClass;
Value equal_preserved(const Opaque& self, const Value& other, Arena&) {
  const Value& mine = static_cast<const Preserved&>(self).data;
  switch (other.kind()) {
    case Kind::Bool:
    case Kind::Int:
    case Kind::Double:
    case Kind::String: return Value::boolean(mine.kind() == other.kind() && same_data(mine, other));
    case Kind::Opaque:
      if (other.as_opaque().cls != &kPreservedClass) return Value::boolean(false);
      return Value::boolean(same_data(mine, static_cast<const Preserved&>(other.as_opaque()).data));
    case Kind::List: return Value::boolean((other.flags() & kTypedList) && same_data(mine, other));
    case Kind::Map: return Value::boolean((other.flags() & kTypedMap) && same_data(mine, other));
    default: return Value::boolean(false);
  }
}
std::string_view print_preserved(const Opaque&, Arena&) { return "preserved data"; }
const OpaqueClass kPreservedClass = {.type_name = "unknown",
                                     .equal = equal_preserved,
                                     .print = print_preserved,
                                     .type_error =
                                         "type conversion to 'type' not supported for values preserved by "
                                         "x-kubernetes-preserve-unknown-fields",
                                     .go_type = "*common.unknownPreserved"};

struct Unit {
  std::string_view names[3];  // the last one is also accepted as a prefix
  int count;
  int64_t nanos;
};
constexpr int64_t kNanosOfSecond = 1'000'000'000;
constexpr Unit kUnits[] = {{{"ns", "nano"}, 2, 1},
                           {{"us", "µs", "micro"}, 3, 1000},
                           {{"ms", "milli"}, 2, 1'000'000},
                           {{"s", "sec"}, 2, kNanosOfSecond},
                           {{"m", "min"}, 2, 60 * kNanosOfSecond},
                           {{"h", "hr", "hour"}, 3, 3600 * kNanosOfSecond},
                           {{"d", "day"}, 2, 86400 * kNanosOfSecond},
                           {{"w", "wk", "week"}, 3, 604800 * kNanosOfSecond}};

bool is_unit_letter(std::string_view s) { return !s.empty() && (is_letter(s[0]) || s.starts_with("µ")); }

}  // namespace

Value typed_duration(Arena& arena, std::string_view text) {
  if (std::optional<int64_t> nanos = parse_duration(text)) return Value::duration(*nanos);
  bool any = false;
  uint64_t sum = 0;
  for (size_t at = 0; at < text.size();) {
    if (text[at] < '0' || text[at] > '9') {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    std::string_view digits = text.substr(at, end - at);
    size_t unit_at = end;
    while (unit_at < text.size() &&
           std::string_view(" \t\n\r\f").find(text[unit_at]) != std::string_view::npos)
      ++unit_at;
    size_t unit_end = unit_at;
    while (is_unit_letter(text.substr(unit_end))) unit_end += text[unit_end] < 0 ? 2 : 1;
    at = end;
    if (unit_end == unit_at) continue;
    at = unit_end;
    uint64_t factor = 0;
    bool overflow = false;
    for (char c : digits)
      overflow |= __builtin_mul_overflow(factor, 10u, &factor) ||
                  __builtin_add_overflow(factor, static_cast<unsigned>(c - '0'), &factor);
    if (overflow || factor > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return make_error(
          arena,
          fmt::format("Invalid duration {}: strconv.Atoi: parsing \"{}\": value out of range", text, digits));
    }
    const std::string unit = lower_case(text.substr(unit_at, unit_end - unit_at));
    for (const Unit& u : kUnits) {
      for (int i = 0; i < u.count; ++i) {
        if (unit == u.names[i] || (i == u.count - 1 && unit.starts_with(u.names[i]))) {
          any = true;
          sum += factor * static_cast<uint64_t>(u.nanos);  // wraps, as in Go
        }
      }
    }
  }
  if (any) return Value::duration(static_cast<int64_t>(sum));
  return make_error(arena, fmt::format("Invalid duration {}: unable to parse {} as duration", text, text));
}

namespace {

Value timestamp_of(const builtin::GoTime& t) {
  return Value::timestamp(t.seconds, static_cast<uint32_t>(t.nanos),
                          static_cast<int16_t>(t.offset_seconds / 60));
}

Value typed_date(Arena& arena, std::string_view text) {
  builtin::GoTime t = builtin::parse_go_time(builtin::kDateOnly, text);
  if (t.error.empty()) return timestamp_of(t);
  return make_error(arena, fmt::format("Invalid date formatted string {}: {}", text, t.error));
}

Value typed_date_time(Arena& arena, std::string_view text) {
  if (text.empty()) return Value::timestamp(0, 0);
  builtin::GoTime t = builtin::parse_go_time(builtin::kRfc3339, text);
  if (!t.error.empty()) t = builtin::parse_go_time(builtin::kLocalTime, text);
  if (t.error.empty()) return timestamp_of(t);
  return make_error(arena, fmt::format("Invalid date-time formatted string {}: {}", text, t.error));
}

// Decodes the URL alphabet, as upstream does; a character that only the standard alphabet has is an error.
Value typed_bytes(Arena& arena, std::string_view text) {
  std::string standard(text);
  for (char& c : standard) {
    if (c == '+' || c == '/') {
      c = '!';  // belongs to no alphabet
    } else if (c == '-') {
      c = '+';
    } else if (c == '_') {
      c = '/';
    }
  }
  TextBuilder bytes(arena);
  std::optional<size_t> corrupt = decode_base64(bytes, standard, true);
  if (!corrupt) return Value::bytes(bytes.view());
  return make_error(
      arena,
      fmt::format("Invalid byte formatted string {}: illegal base64 data at input byte {}", text, *corrupt));
}

Value typed_string(Arena& arena, const Value& data, const Schema& s) {
  if (!data.is(Kind::String))
    return make_error(arena, fmt::format("invalid data, expected string, got {}", go_type_of(data)));
  if (s.format == "duration") return typed_duration(arena, data.as_text());
  if (s.format == "date") return typed_date(arena, data.as_text());
  if (s.format == "date-time") return typed_date_time(arena, data.as_text());
  if (s.format == "byte") return typed_bytes(arena, data.as_text());
  return data;
}

Value typed_list(Arena& arena, const Value& data, const Schema& s) {
  if (!data.is(Kind::List))
    return make_error(arena, "invalid data, expected an array for the provided schema with type=array");
  if (s.items == nullptr)
    return make_error(arena, "invalid array type, expected Items with a non-empty Schema");
  Value* items;
  uint8_t flags = kTypedList;
  if (s.list_type == "map") {
    Value* keys = arena.array<Value>(s.list_map_keys.size());
    for (size_t i = 0; i < s.list_map_keys.size(); ++i) {
      new (&keys[i])
          Value(Value::string(arena.copy(escape_property(s.list_map_keys[i]).value_or(s.list_map_keys[i]))));
    }
    items = alloc_map_list(arena, Value::list(keys, s.list_map_keys.size()), data.size());
    flags |= kMapList;
  } else if (s.list_type.empty() || s.list_type == "set" || s.list_type == "atomic") {
    items = arena.array<Value>(data.size());
    if (s.list_type == "set") flags |= kSetList;
  } else {
    return make_error(
        arena, "invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic' but got " + s.list_type);
  }
  for (size_t i = 0; i < data.size(); ++i)
    new (&items[i]) Value(typed_value(arena, data.as_list()[i], *s.items));
  return Value::list(items, data.size(), flags);
}

// An entry that CEL does not see: its key is the name as Bytes, which no identifier finds. A null property is
// marked by an empty optional; other data stays for equality.
MapEntry hidden_entry(const MapEntry& e, bool known) {
  return {Value::bytes(e.key.as_text()), known ? Value::optional(nullptr) : e.value};
}

Value typed_object(Arena& arena, const Value& data, const Schema& schema) {
  if (!data.is(Kind::Map))
    return make_error(arena, "invalid data, expected a map for the provided schema with type=object");
  const Schema& seen = schema.with_meta ? *schema.with_meta : schema;
  bool object = !seen.properties.empty();
  MapEntry* entries = alloc_typed_entries(arena, data);
  size_t n = 0;
  for (const MapEntry& e : data.as_map()) {
    const Schema* property = object ? seen.property(e.key.as_text()) : seen.additional.get();
    if (property == nullptr || (object && e.value.is_null())) {
      new (&entries[n++]) MapEntry(hidden_entry(e, property != nullptr));
      continue;
    }
    Value key = e.key;
    if (object) {
      // A name that has no identifier keeps its spelling, so dynamic keys find it.
      if (auto escaped = escape_property(key.as_text()); escaped && *escaped != key.as_text())
        key = Value::string(arena.copy(*escaped));
    }
    new (&entries[n++]) MapEntry{key, typed_value(arena, e.value, *property)};
  }
  return make_typed_map(entries, data, object ? kTypedMap | kTypedObject : kTypedMap);
}

Value typed_number(Arena& arena, const Value& data) {
  if (data.is(Kind::Int)) return Value::real(static_cast<double>(data.as_int()));
  if (data.is(Kind::Double)) return data;
  return make_error(arena, fmt::format("invalid data, expected float, got {}", go_type_of(data)));
}

}  // namespace

Value typed_value(Arena& arena, const Value& data, const Schema& s) {
  if (data.is_null()) {
    return s.nullable ? Value::null()
                      : make_error(arena, "invalid data, got null for schema with nullable=false");
  }
  if (s.int_or_string) {
    if (data.is(Kind::String) || data.is(Kind::Int)) return data;
    return make_error(arena, "invalid data, expected XIntOrString value to be either a string or integer");
  }
  if (s.type == "object") return typed_object(arena, data, s);
  if (s.type == "array") return typed_list(arena, data, s);
  if (s.type == "string") return typed_string(arena, data, s);
  if (s.type == "number") return typed_number(arena, data);
  if (s.type == "integer") {
    return data.is(Kind::Int)
               ? data
               : make_error(arena, fmt::format("invalid data, expected int, got {}", go_type_of(data)));
  }
  if (s.type == "boolean") {
    return data.is(Kind::Bool)
               ? data
               : make_error(arena, fmt::format("invalid data, expected bool, got {}", go_type_of(data)));
  }
  if (s.preserve_unknown_fields) {
    Preserved* kept = arena.make<Preserved>();
    kept->cls = &kPreservedClass;
    kept->data = data;
    return Value::opaque(kept);
  }
  return make_error(
      arena,
      "invalid type, expected object, array, number, integer, boolean or string, or no type with "
      "x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got " +
          s.type);
}

}  // namespace portcullis::crd
