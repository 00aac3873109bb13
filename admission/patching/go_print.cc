#include "admission/patching/go_print.h"

#include <algorithm>

#include "admission/expressions/native_form.h"
#include "grammar/quote.h"
#include "interpreter/formats/number.h"
#include "interpreter/formats/timestamp.h"
#include "interpreter/values/native.h"
#include "interpreter/values/print.h"

namespace portcullis::patching {
namespace {

// The entries of a map sorted by key, as fmt prints them.
std::span<const MapEntry> sorted_entries(Arena& arena, const Value& map) {
  auto* entries = arena.array<MapEntry>(map.size());
  std::copy(map.as_map().begin(), map.as_map().end(), entries);
  std::sort(entries, entries + map.size(), [](const MapEntry& a, const MapEntry& b) {
    if (a.key.is(Kind::String) && b.key.is(Kind::String)) return a.key.as_text() < b.key.as_text();
    return a.key.kind() == b.key.kind() && a.key.is(Kind::Int) ? a.key.as_int() < b.key.as_int() : false;
  });
  return {entries, map.size()};
}

void append_element(TextBuilder& out, const Value& v, bool native) {
  native ? append_go_value(out, v) : out.append(format_go(v));
}

// time.Time.GoString.
void append_time(TextBuilder& out, const Value& v) {
  constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                          "May",       "June",     "July",     "August",
                                          "September", "October",  "November", "December"};
  Civil c = civil_time(v.seconds() + v.offset_minutes() * 60);
  out.append("time.Date(");
  append_int(out, c.year);
  out.append(", time.");
  out.append(kMonths[c.month - 1]);
  for (int64_t part :
       {int64_t{c.day}, int64_t{c.hour}, int64_t{c.minute}, int64_t{c.second}, int64_t{v.nanos()}}) {
    out.append(", ");
    append_int(out, part);
  }
  out.append(v.offset_minutes() == 0 ? ", time.UTC)" : ", time.Location(\"\"))");
}

}  // namespace

void append_go_value(TextBuilder& out, const Value& v) {
  if (is_null_enum(v)) return out.append("NULL_VALUE");
  if (v.is_null()) return out.append("<nil>");
  if (v.is(Kind::List)) {
    out.append('[');
    for (size_t i = 0; i < v.size(); ++i) {
      if (i != 0) out.append(' ');
      append_element(out, v.as_list()[i], v.flags() & kNativeList);
    }
    return out.append(']');
  }
  if (!v.is(Kind::Map)) return out.append(format_go(v));
  out.append("map[");
  for (const MapEntry* e = nullptr; const MapEntry& entry : sorted_entries(out.arena(), v)) {
    if (e != nullptr) out.append(' ');
    e = &entry;
    out.append(format_go(entry.key));
    out.append(':');
    append_element(out, entry.value, v.flags() & kNativeMap);
  }
  out.append(']');
}

void append_go_syntax(TextBuilder& out, const Value& v) {
  bool comma = false;
  auto separate = [&] {
    if (comma) out.append(", ");
    comma = true;
  };
  // CEL's own null, in lists and maps of CEL's own values, is a number of an enumeration.
  auto held = [&](const Value& item, bool native) {
    item.is_null() && !native ? out.append("0") : append_go_syntax(out, item);
  };
  switch (v.kind()) {
    case Kind::Null: return out.append("interface {}(nil)");
    case Kind::String: return out.append(quote(v.as_text()));
    case Kind::Uint: out.append("0x"); return append_uint(out, v.as_uint(), 16);
    case Kind::Duration: return append_int(out, v.as_duration());
    case Kind::Timestamp: return append_time(out, v);
    case Kind::Bytes:
      out.append("[]uint8{");
      for (unsigned char c : v.as_text()) {
        separate();
        out.append("0x");
        append_uint(out, c, 16);
      }
      return out.append('}');
    case Kind::List:
      out.append(native_type(v));
      if (is_nil_list(v)) return out.append("(nil)");
      out.append('{');
      for (const Value& item : v.as_list()) {
        separate();
        held(item, v.flags() & kNativeList);
      }
      return out.append('}');
    case Kind::Map:
      out.append(native_type(v));
      out.append('{');
      for (const MapEntry& e : sorted_entries(out.arena(), v)) {
        separate();
        append_go_syntax(out, e.key);
        out.append(':');
        held(e.value, v.flags() & kNativeMap);
      }
      return out.append('}');
    default: break;
  }
  out.append(is_null_enum(v) ? "0" : format_go(v));
}

void append_key_value(TextBuilder& out, const Value& v) {
  switch (v.kind()) {
    case Kind::Null: return out.append("null");
    case Kind::String: return out.append(quote(v.as_text()));
    case Kind::Bool:
    case Kind::Int:
    case Kind::Double: return out.append(format_go(v));
    case Kind::List:
      out.append('[');
      for (size_t i = 0; i < v.size(); ++i) {
        if (i != 0) out.append(',');
        append_key_value(out, v.as_list()[i]);
      }
      return out.append(']');
    case Kind::Map:
      for (const MapEntry& e : sorted_entries(out.arena(), v)) {
        out.append(e.key.as_text());
        out.append('=');
        append_key_value(out, e.value);
      }
      return;
    default: return out.append("{{undefined}}");
  }
}

}  // namespace portcullis::patching
