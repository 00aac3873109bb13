// Writes values in the notation of the protocol. See tagged.h.
#include "batch/tagged.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "admission/expressions/patches.h"
#include "admission/functions/values.h"
#include "interpreter/formats/text.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/json.h"
#include "interpreter/values/print.h"

namespace portcullis {
namespace {

// The approximate length limit of a value's text, in bytes: a value that shares parts may have an endless text.
constexpr size_t kMaxTagged = size_t{64} << 20;

// Opaque classes that are written as {"object": {"@type", "value"}}.
constexpr std::string_view kPrintedClasses[] = {"kubernetes.URL", "kubernetes.NamedFormat"};

// "0.1", "1e+30", "-0", "NaN", "Infinity".
std::string double_text(double d) {
  if (std::isnan(d)) return "NaN";
  if (std::isinf(d)) return d > 0 ? "Infinity" : "-Infinity";
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, d, std::chars_format::scientific).ptr;
  std::string_view scientific(buffer, static_cast<size_t>(end - buffer));
  size_t e = scientific.find('e');
  int exponent = 0;
  std::string_view digits = scientific.substr(e + 1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (exponent < -4 || exponent >= 16) return std::string(scientific);
  char fixed[64];
  end = std::to_chars(fixed, fixed + sizeof fixed, d, std::chars_format::fixed).ptr;
  return std::string(fixed, static_cast<size_t>(end - fixed));
}

std::string base64_text(std::string_view bytes) {
  Arena arena;
  TextBuilder out(arena);
  append_base64(out, bytes);
  return std::string(out.view());
}

void append_string(std::string& out, std::string_view tag, std::string_view text) {
  out += "{\"";
  out += tag;
  out += "\":";
  out += quote_json(text);
  out += '}';
}

void append_time(std::string& out, std::string_view tag, int64_t seconds, int64_t nanos) {
  out += "{\"";
  out += tag;
  out += "\":{\"nanos\":" + std::to_string(nanos) + ",\"seconds\":\"" + std::to_string(seconds) + "\"}}";
}

void append(std::string& out, const Value& v);

void append_list(std::string& out, const Value& v) {
  out += "{\"list\":[";
  bool first = true;
  for (const Value& item : v.as_list()) {
    if (!std::exchange(first, false)) out += ',';
    append(out, item);
  }
  out += "]}";
}

void append_map(std::string& out, const Value& v) {
  std::vector<std::pair<std::string, const Value*>> entries;
  for (const MapEntry& entry : v.as_map()) {
    std::string key;
    append(key, entry.key);
    entries.emplace_back(std::move(key), &entry.value);
  }
  std::stable_sort(entries.begin(), entries.end(), [](auto& a, auto& b) { return a.first < b.first; });
  out += "{\"map\":[";
  bool first = true;
  for (const auto& [key, value] : entries) {
    if (!std::exchange(first, false)) out += ',';
    out += '[' + key + ',';
    // Kubernetes looks the values up by key, and never finds NaN.
    key == "{\"double\":\"NaN\"}" ? void(out += "{\"error\":\"no such key: NaN\"}") : append(out, *value);
    out += ']';
  }
  out += "]}";
}

// Writes a value of a mutation: its fields by name.
void append_patch(std::string& out, const Value& v) {
  Arena scratch;
  auto span = patch_fields(v, scratch).as_map();
  std::vector<MapEntry> fields(span.begin(), span.end());
  std::sort(fields.begin(), fields.end(),
            [](const MapEntry& a, const MapEntry& b) { return a.key.as_text() < b.key.as_text(); });
  out += "{\"object\":{\"@type\":" + quote_json(type_name(v)) + ",\"fields\":{";
  bool first = true;
  for (const MapEntry& field : fields) {
    if (!std::exchange(first, false)) out += ',';
    out += quote_json(field.key.as_text()) + ':';
    append(out, field.value);
  }
  out += "}}}";
}

void append_opaque(std::string& out, const Value& v) {
  if (is_json_patch(v) || is_patch_object(v)) return append_patch(out, v);
  Arena scratch;
  if (v.as_opaque().cls->names) {
    auto names = v.as_opaque().cls->names(v.as_opaque());
    MapEntry* entries = scratch.array<MapEntry>(names.size());
    for (size_t i = 0; i < names.size(); ++i)
      new (&entries[i]) MapEntry(entry_of(v.as_opaque(), names[i], true, scratch));
    return append_map(out, Value::map(entries, names.size()));
  }
  const Opaque& opaque = v.as_opaque();
  std::string_view name = opaque.cls->type_name;
  // The result of add() or sub() is another Go type, which Kubernetes' own printing does not know.
  std::string_view text =
      opaque.cls->print == nullptr ? std::string_view() : opaque.cls->print(opaque, scratch);
  const std::string_view tag = library_tag(name);
  if (!tag.empty() && opaque.cls != &kubernetes::kQuantityResultClass) return append_string(out, tag, text);
  out += "{\"object\":{\"@type\":" + quote_json(name);
  for (std::string_view printed : kPrintedClasses) {
    if (printed == name) out += ",\"value\":" + quote_json(text);
  }
  out += "}}";
}

// append() throws it, tagged() catches it.
struct TooLong {};

void append(std::string& out, const Value& v) {
  if (out.size() > kMaxTagged) throw TooLong();
  switch (v.kind()) {
    case Kind::Null: out += "{\"null\":null}"; return;
    case Kind::Bool: out += v.as_bool() ? "{\"bool\":true}" : "{\"bool\":false}"; return;
    case Kind::Int: out += "{\"int64\":\"" + std::to_string(v.as_int()) + "\"}"; return;
    case Kind::Uint: out += "{\"uint64\":\"" + std::to_string(v.as_uint()) + "\"}"; return;
    case Kind::Double: out += "{\"double\":\"" + double_text(v.as_double()) + "\"}"; return;
    case Kind::String: return append_string(out, "string", v.as_text());
    case Kind::Bytes: return append_string(out, "bytes", base64_text(v.as_text()));
    case Kind::Type: return append_string(out, "type", v.as_text());
    case Kind::Timestamp: return append_time(out, "timestamp", v.seconds(), v.nanos());
    case Kind::Duration:
      return append_time(out, "duration", v.as_duration() / 1'000'000'000, v.as_duration() % 1'000'000'000);
    case Kind::List: return append_list(out, v);
    case Kind::Map: return append_map(out, v);
    case Kind::Optional:
      out += "{\"optional\":";
      v.as_optional() == nullptr ? void(out += "null") : append(out, *v.as_optional());
      out += '}';
      return;
    case Kind::Struct:
      return void(out += "{\"object\":{\"@type\":" + quote_json(v.as_struct().type_name) + "}}");
    case Kind::Opaque: return append_opaque(out, v);
    case Kind::Error: return append_string(out, "error", v.as_error().message);
    case Kind::Unknown: return append_string(out, "unknown", "");
  }
}

}  // namespace

std::string tagged(const Value& v) {
  std::string out;
  try {
    append(out, v);
  } catch (const TooLong&) {
    out.clear();
    append_string(out, "error", "the value is longer than 64 MiB");
  }
  return out;
}

}  // namespace portcullis
