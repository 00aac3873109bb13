#include "batch/tagged.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "admission/expressions/patches.h"
#include "admission/functions/libraries.h"
#include "admission/functions/values.h"
#include "interpreter/formats/text.h"
#include "interpreter/functions/call.h"
#include "interpreter/functions/libraries.h"
#include "interpreter/functions/regex.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/json.h"
#include "interpreter/values/map.h"
#include "interpreter/values/native.h"
#include "interpreter/values/print.h"
#include "typecheck/function.h"
#include "typecheck/signature.h"

namespace portcullis {
namespace {

// Opaque classes with their own tag, and the function that makes one from a text.
struct LibraryTag {
  std::string_view tag, type_name;
  Value (*make)(Arena& arena, std::string_view text);
};
constexpr LibraryTag kLibraryTags[] = {
    {"quantity", "kubernetes.Quantity", kubernetes::quantity_value},
    {"ip", "net.IP", kubernetes::ip_value},
    {"cidr", "net.CIDR", kubernetes::cidr_value},
    {"semver", "kubernetes.Semver", kubernetes::semver_value},
};
// Opaque classes that are written as {"object": {"@type", "value"}}.
constexpr std::string_view kPrintedClasses[] = {"kubernetes.URL", "kubernetes.NamedFormat"};

// Names of types that the protocol spells differently from signatures.
constexpr std::pair<std::string_view, std::string_view> kTypeNames[] = {
    {"quantity", "kubernetes.Quantity"},
    {"ip", "net.IP"},
    {"cidr", "net.CIDR"},
    {"semver", "kubernetes.Semver"},
    {"url", "kubernetes.URL"},
    {"format", "kubernetes.NamedFormat"},
    {"authorizer", "kubernetes.authorization.Authorizer"},
    {"resourceCheck", "kubernetes.authorization.ResourceCheck"},
    {"request", "kubernetes.AdmissionRequest"},
    {"namespace", "kubernetes.Namespace"},
};
constexpr std::string_view kPlainTypeNames[] = {"dyn",       "any",       "bool",     "int",
                                                "uint",      "double",    "string",   "bytes",
                                                "null_type", "timestamp", "duration", "type"};

Error tag_error(std::string text) { return Error{std::move(text)}; }

// The row with this overload id.
const Function* find_row(std::string_view id) {
  for (const Library& library : standard_libraries()) {
    for (const Function& row : library.functions) {
      if (row.id == id) return &row;
    }
  }
  return nullptr;
}

// The value, or its error if the text was invalid.
Result<Value> made(const Value& v) {
  if (v.is_error()) return tag_error(std::string(v.as_error().message));
  return v;
}

// Calls the row `id` with one text.
Result<Value> call_row(std::string_view id, std::string_view text, Arena& arena) {
  const Function* row = find_row(id);
  if (row == nullptr || row->call == nullptr) return tag_error("no function " + std::string(id));
  RegexCache regexes;
  CallContext context(arena, regexes);
  Value arg = Value::string(arena.copy(text));
  return made(row->call(context, &arg, 1));
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
  for (const LibraryTag& tag : kLibraryTags) {
    if (tag.type_name == name && opaque.cls != &kubernetes::kQuantityResultClass)
      return append_string(out, tag.tag, text);
  }
  out += "{\"object\":{\"@type\":" + quote_json(name);
  for (std::string_view printed : kPrintedClasses) {
    if (printed == name) out += ",\"value\":" + quote_json(text);
  }
  out += "}}";
}

// Reads the only member of a tagged value.
Result<MapEntry> only_member(const Value& json) {
  if (!json.is(Kind::Map) || json.size() != 1)
    return tag_error("a value is an object with one key: " + to_json(json));
  return json.as_map()[0];
}

Result<std::string_view> text_of(const Value& json, std::string_view tag) {
  if (!json.is(Kind::String)) return tag_error("want a string for " + std::string(tag));
  return json.as_text();
}

template <class T>
Result<T> parse_number(std::string_view text) {
  T number{};
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (begin != end && *begin == '+' && end - begin > 1 && begin[1] != '-' && !std::is_unsigned_v<T>) ++begin;
  auto [rest, code] = std::from_chars(begin, end, number);
  if (code != std::errc() || rest != end) return tag_error("no number: " + std::string(text));
  return number;
}

Result<double> parse_double(std::string_view text) {
  if (text == "NaN" || text == "nan") return std::nan("");
  if (text == "Infinity" || text == "+Infinity" || text == "inf" || text == "+Inf") return HUGE_VAL;
  if (text == "-Infinity" || text == "-inf" || text == "-Inf") return -HUGE_VAL;
  return parse_number<double>(text);
}

Result<Value> read_time(std::string_view tag, const Value& body) {
  const Value* seconds = body.is(Kind::Map) ? find_key(body, Value::string("seconds")) : nullptr;
  const Value* nanos = body.is(Kind::Map) ? find_key(body, Value::string("nanos")) : nullptr;
  if (seconds == nullptr || !seconds->is(Kind::String))
    return tag_error("want seconds in a " + std::string(tag));
  Result<int64_t> s = parse_number<int64_t>(seconds->as_text());
  if (!s.ok()) return s.error();
  int64_t n = nanos != nullptr && nanos->is(Kind::Int) ? nanos->as_int() : 0;
  constexpr int64_t kSecond = 1'000'000'000;
  if (tag == "duration") {
    return Value::duration(
        static_cast<int64_t>(static_cast<uint64_t>(*s) * kSecond + static_cast<uint64_t>(n)));
  }
  int64_t whole = n / kSecond - (n % kSecond < 0 ? 1 : 0);
  return Value::timestamp(*s + whole, static_cast<uint32_t>(n - whole * kSecond));
}

Result<Value> read_list(const Value& body, Arena& arena) {
  if (!body.is(Kind::List)) return tag_error("want a list");
  Value* items = arena.array<Value>(body.size());
  size_t i = 0;
  for (const Value& item : body.as_list()) {
    Result<Value> read = read_tagged(item, arena);
    if (!read.ok()) return read;
    items[i++] = *read;
  }
  return Value::list(items, i);
}

Result<Value> read_map(const Value& body, Arena& arena) {
  if (!body.is(Kind::List)) return tag_error("want a list of pairs for map");
  MapEntry* entries = alloc_entries(arena, body.size());
  size_t n = 0;
  for (const Value& pair : body.as_list()) {
    if (!pair.is(Kind::List) || pair.size() != 2) return tag_error("want pairs in a map");
    Result<Value> key = read_tagged(pair.as_list()[0], arena);
    if (!key.ok()) return key;
    Result<Value> value = read_tagged(pair.as_list()[1], arena);
    if (!value.ok()) return value;
    entries[n++] = {*key, *value};
  }
  return make_computed_map(arena, entries, n);
}

Result<Value> optional_of(Result<Value> inner, Arena& arena) {
  if (!inner.ok()) return inner;
  return Value::optional(arena.make<Value>(*inner));
}

Result<Value> read_text_tag(std::string_view tag, std::string_view text, Arena& arena) {
  if (tag == "string") return Value::string(arena.copy(text));
  if (tag == "type") return Value::type(arena.copy(text));
  if (tag == "int64") {
    Result<int64_t> i = parse_number<int64_t>(text);
    return i.ok() ? Result<Value>(Value::integer(*i)) : i.error();
  }
  if (tag == "uint64") {
    Result<uint64_t> u = parse_number<uint64_t>(text);
    return u.ok() ? Result<Value>(Value::uinteger(*u)) : u.error();
  }
  if (tag == "double") {
    Result<double> d = parse_double(text);
    return d.ok() ? Result<Value>(Value::real(*d)) : d.error();
  }
  if (tag == "bytes") {
    Result<std::string> bytes = from_base64(text);
    return bytes.ok() ? Result<Value>(Value::bytes(arena.copy(*bytes))) : bytes.error();
  }
  for (const LibraryTag& row : kLibraryTags) {
    if (row.tag == tag) return made(row.make(arena, text));
  }
  return tag_error("unknown tag \"" + std::string(tag) + "\"");
}

Result<Value> convert_list(const Value& json, const Type* type, Arena& arena) {
  if (!json.is(Kind::List)) return tag_error("want a list, got " + to_json(json));
  Value* items = arena.array<Value>(json.size());
  size_t i = 0;
  for (const Value& item : json.as_list()) {
    Result<Value> converted = convert_plain(item, type->param(0), arena);
    if (!converted.ok()) return converted;
    items[i++] = *converted;
  }
  return Value::list(items, i, kNativeList);
}

Result<Value> convert_key(std::string_view key, const Type* type, Arena& arena) {
  switch (type->kind()) {
    case TypeKind::Int: return call_row("string_to_int64", key, arena);
    case TypeKind::Uint: return call_row("string_to_uint64", key, arena);
    case TypeKind::Double: return call_row("string_to_double", key, arena);
    case TypeKind::Bool: return call_row("string_to_bool", key, arena);
    case TypeKind::Bytes: return call_row("string_to_bytes", key, arena);
    case TypeKind::Timestamp: return call_row("string_to_timestamp", key, arena);
    case TypeKind::Duration: return call_row("string_to_duration", key, arena);
    default: return tag_error("map keys cannot be of type " + type_string(type));
  }
}

Result<Value> convert_map(const Value& json, const Type* type, Arena& arena) {
  if (!json.is(Kind::Map)) return tag_error("want a map, got " + to_json(json));
  const Type* key_type = type->param(0);
  bool texts = key_type->is(TypeKind::String) || key_type->is(TypeKind::Dyn);
  MapEntry* entries = alloc_entries(arena, json.size());
  size_t n = 0;
  for (const MapEntry& entry : json.as_map()) {
    Result<Value> key = texts ? Result<Value>(entry.key) : convert_key(entry.key.as_text(), key_type, arena);
    if (!key.ok()) return key;
    Result<Value> value = convert_plain(entry.value, type->param(1), arena);
    if (!value.ok()) return value;
    entries[n++] = {*key, *value};
  }
  return texts ? make_native_map(arena, entries, n) : make_computed_map(arena, entries, n);
}

Result<Value> convert_number(const Value& json, TypeKind kind) {
  bool is_uint = kind == TypeKind::Uint;
  if (json.is(Kind::Int)) {
    if (!is_uint) return Value::real(static_cast<double>(json.as_int()));
    if (json.as_int() >= 0) return Value::uinteger(static_cast<uint64_t>(json.as_int()));
  } else if (json.is(Kind::String)) {
    if (!is_uint) {
      Result<double> d = parse_double(json.as_text());
      return d.ok() ? Result<Value>(Value::real(*d)) : d.error();
    }
    Result<uint64_t> u = parse_number<uint64_t>(json.as_text());
    return u.ok() ? Result<Value>(Value::uinteger(*u)) : u.error();
  } else if (!is_uint) {
    return json;
  }
  return tag_error("want a uint, got " + to_json(json));
}

std::string_view trim_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Takes one type from the start of `text`.
Result<const Type*> take_type(std::string_view& text, TypePool& pool) {
  size_t end = std::min(text.find_first_of("(),"), text.size());
  std::string_view name = text.substr(0, end);
  text.remove_prefix(end);
  if (!text.starts_with('(')) {
    for (auto [from, to] : kTypeNames) {
      if (from == name) return parse_type(to, pool);
    }
    if (std::find(std::begin(kPlainTypeNames), std::end(kPlainTypeNames), name) !=
        std::end(kPlainTypeNames)) {
      return parse_type(name, pool);
    }
    return tag_error("unknown type \"" + std::string(name) + "\"");
  }
  std::vector<const Type*> params;
  do {
    text.remove_prefix(1);
    Result<const Type*> param = take_type(text, pool);
    if (!param.ok()) return param;
    params.push_back(*param);
  } while (text.starts_with(','));
  if (!text.starts_with(')')) return tag_error("want , or ) in a type");
  text.remove_prefix(1);
  if (name == "list" && params.size() == 1) return pool.list(params[0]);
  if (name == "map" && params.size() == 2) return pool.map(params[0], params[1]);
  if (name == "optional_type" && params.size() == 1) return pool.optional(params[0]);
  if (name == "type" && params.size() == 1) return pool.type_of(params[0]);
  return tag_error("unknown type \"" + std::string(name) + "\" of " + std::to_string(params.size()) +
                   " parameters");
}

Result<std::vector<const Type*>> read_table_types(const Value& json, TypePool& pool) {
  std::vector<const Type*> types;
  if (!json.is(Kind::List)) return tag_error("want a list of types");
  for (const Value& item : json.as_list()) {
    Result<const Type*> type = read_table_type(item, pool);
    if (!type.ok()) return type.error();
    types.push_back(*type);
  }
  return types;
}

Result<const Type*> read_abstract(const Value& body, TypePool& pool) {
  const Value* name = body.is(Kind::Map) ? find_key(body, Value::string("name")) : nullptr;
  const Value* params = body.is(Kind::Map) ? find_key(body, Value::string("params")) : nullptr;
  if (name == nullptr || !name->is(Kind::String)) return tag_error("want the name of an abstract type");
  std::vector<const Type*> types;
  if (params != nullptr && !params->is_null()) {
    Result<std::vector<const Type*>> read = read_table_types(*params, pool);
    if (!read.ok()) return read.error();
    types = *read;
  }
  if (name->as_text() == "optional_type" && types.size() == 1) return pool.optional(types[0]);
  return pool.opaque(name->as_text(), std::move(types));
}

}  // namespace

std::string format_tagged_double(double d) {
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

namespace {

// append() throws it, tagged() catches it.
struct TooLong {};

void append(std::string& out, const Value& v) {
  if (out.size() > kMaxTagged) throw TooLong();
  switch (v.kind()) {
    case Kind::Null: out += "{\"null\":null}"; return;
    case Kind::Bool: out += v.as_bool() ? "{\"bool\":true}" : "{\"bool\":false}"; return;
    case Kind::Int: out += "{\"int64\":\"" + std::to_string(v.as_int()) + "\"}"; return;
    case Kind::Uint: out += "{\"uint64\":\"" + std::to_string(v.as_uint()) + "\"}"; return;
    case Kind::Double: out += "{\"double\":\"" + format_tagged_double(v.as_double()) + "\"}"; return;
    case Kind::String: return append_string(out, "string", v.as_text());
    case Kind::Bytes: return append_string(out, "bytes", to_base64(v.as_text()));
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

Result<Value> read_tagged(const Value& json, Arena& arena) {
  Result<MapEntry> member = only_member(json);
  if (!member.ok()) return member.error();
  std::string_view tag = member->key.as_text();
  const Value& body = member->value;
  if (tag == "null") return Value::null();
  if (tag == "bool") return body.is(Kind::Bool) ? Result<Value>(body) : tag_error("want a boolean");
  if (tag == "list") return read_list(body, arena);
  if (tag == "map") return read_map(body, arena);
  if (tag == "timestamp" || tag == "duration") return read_time(tag, body);
  if (tag == "optional") {
    return body.is_null() ? Result<Value>(Value::optional(nullptr))
                          : optional_of(read_tagged(body, arena), arena);
  }
  Result<std::string_view> text = text_of(body, tag);
  if (!text.ok()) return text.error();
  return read_text_tag(tag, *text, arena);
}

Result<const Type*> parse_batch_type(std::string_view text, TypePool& pool) {
  std::string packed;
  for (char c : text) {
    if (c != ' ') packed += c;
  }
  std::string_view rest = trim_spaces(packed);
  Result<const Type*> type = take_type(rest, pool);
  if (type.ok() && !rest.empty()) return tag_error("trailing \"" + std::string(rest) + "\" in a type");
  return type;
}

Result<const Type*> read_table_type(const Value& json, TypePool& pool) {
  if (json.is(Kind::String)) {
    std::string_view name = json.as_text();
    if (name == "error") return types::kError;
    return parse_batch_type(name, pool);
  }
  Result<MapEntry> member = only_member(json);
  if (!member.ok()) return member.error();
  std::string_view form = member->key.as_text();
  const Value& body = member->value;
  if (form == "message" && body.is(Kind::String)) return parse_type(body.as_text(), pool);
  if (form == "type_param" && body.is(Kind::String)) return pool.param(body.as_text());
  if (form == "abstract") return read_abstract(body, pool);
  if (form == "map") {
    Result<std::vector<const Type*>> params = read_table_types(body, pool);
    if (!params.ok()) return params.error();
    if (params->size() != 2) return tag_error("want two types in a map");
    return pool.map((*params)[0], (*params)[1]);
  }
  if (form != "list" && form != "wrapper" && form != "type")
    return tag_error("unknown form of type " + to_json(json));
  Result<const Type*> param = read_table_type(body, pool);
  if (!param.ok()) return param;
  return form == "list" ? pool.list(*param) : form == "wrapper" ? pool.wrapper(*param) : pool.type_of(*param);
}

Result<Value> convert_plain(const Value& json, const Type* type, Arena& arena) {
  auto text = [&](std::string_view row) -> Result<Value> {
    if (!json.is(Kind::String))
      return tag_error("want a string for " + type_string(type) + ", got " + to_json(json));
    return call_row(row, json.as_text(), arena);
  };
  switch (type->kind()) {
    case TypeKind::Uint:
    case TypeKind::Double: return convert_number(json, type->kind());
    case TypeKind::Bytes:
      if (!json.is(Kind::String)) return tag_error("want a string for bytes, got " + to_json(json));
      return read_text_tag("bytes", json.as_text(), arena);
    case TypeKind::Timestamp: return text("string_to_timestamp");
    case TypeKind::Duration: return text("string_to_duration");
    case TypeKind::List: return convert_list(json, type, arena);
    case TypeKind::Map: return convert_map(json, type, arena);
    default: break;
  }
  if (type->is_optional()) {
    if (json.is_null()) return Value::optional(nullptr);
    return optional_of(convert_plain(json, type->param(0), arena), arena);
  }
  for (const LibraryTag& tag : kLibraryTags) {
    if (tag.type_name != type->name()) continue;
    if (!json.is(Kind::String))
      return tag_error("want a string for " + type_string(type) + ", got " + to_json(json));
    return made(tag.make(arena, json.as_text()));
  }
  return json;
}

std::string to_base64(std::string_view bytes) {
  Arena arena;
  TextBuilder out(arena);
  append_base64(out, bytes);
  return std::string(out.view());
}

Result<std::string> from_base64(std::string_view text) {
  Arena arena;
  TextBuilder out(arena);
  if (decode_base64(out, text, true)) return tag_error("illegal base64 data");
  return std::string(out.view());
}

}  // namespace portcullis
