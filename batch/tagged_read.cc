// Reads values in the notation of the protocol. See tagged.h.
#include <charconv>
#include <cmath>
#include <cstdint>

#include "admission/functions/libraries.h"
#include "admission/functions/values.h"
#include "batch/tagged.h"
#include "interpreter/formats/text.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/json.h"
#include "interpreter/values/map.h"

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

Result<std::string_view> text_of(const Value& json, std::string_view tag) {
  if (!json.is(Kind::String)) return Error{"want a string for " + std::string(tag)};
  return json.as_text();
}

template <class T>
Result<T> parse_number(std::string_view text) {
  T number{};
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (begin != end && *begin == '+' && end - begin > 1 && begin[1] != '-' && !std::is_unsigned_v<T>) ++begin;
  auto [rest, code] = std::from_chars(begin, end, number);
  if (code != std::errc() || rest != end) return Error{"no number: " + std::string(text)};
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
  if (seconds == nullptr || !seconds->is(Kind::String)) return Error{"want seconds in a " + std::string(tag)};
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
  if (!body.is(Kind::List)) return Error{"want a list"};
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
  if (!body.is(Kind::List)) return Error{"want a list of pairs for map"};
  MapEntry* entries = alloc_entries(arena, body.size());
  size_t n = 0;
  for (const Value& pair : body.as_list()) {
    if (!pair.is(Kind::List) || pair.size() != 2) return Error{"want pairs in a map"};
    Result<Value> key = read_tagged(pair.as_list()[0], arena);
    if (!key.ok()) return key;
    Result<Value> value = read_tagged(pair.as_list()[1], arena);
    if (!value.ok()) return value;
    entries[n++] = {*key, *value};
  }
  return make_computed_map(entries, n);
}

// The value, or its error if the text was invalid.
Result<Value> made(const Value& v) {
  if (v.is_error()) return Error{std::string(v.as_error().message)};
  return v;
}

Result<std::string> from_base64(std::string_view text) {
  Arena arena;
  TextBuilder out(arena);
  if (decode_base64(out, text, true)) return Error{"illegal base64 data"};
  return std::string(out.view());
}

}  // namespace

std::string_view library_tag(std::string_view type_name) {
  for (const LibraryTag& row : kLibraryTags) {
    if (row.type_name == type_name) return row.tag;
  }
  return {};
}

Result<MapEntry> only_member(const Value& json) {
  if (!json.is(Kind::Map) || json.size() != 1)
    return Error{"a value is an object with one key: " + to_json(json)};
  return json.as_map()[0];
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
  return Error{"unknown tag \"" + std::string(tag) + "\""};
}

Result<Value> read_tagged(const Value& json, Arena& arena) {
  Result<MapEntry> member = only_member(json);
  if (!member.ok()) return member.error();
  std::string_view tag = member->key.as_text();
  const Value& body = member->value;
  if (tag == "null") return Value::null();
  if (tag == "bool") return body.is(Kind::Bool) ? Result<Value>(body) : Error{"want a boolean"};
  if (tag == "list") return read_list(body, arena);
  if (tag == "map") return read_map(body, arena);
  if (tag == "timestamp" || tag == "duration") return read_time(tag, body);
  if (tag == "optional") {
    if (body.is_null()) return Value::optional(nullptr);
    Result<Value> inner = read_tagged(body, arena);
    return inner.ok() ? Result<Value>(Value::optional(arena.make<Value>(*inner))) : inner;
  }
  Result<std::string_view> text = text_of(body, tag);
  if (!text.ok()) return text.error();
  return read_text_tag(tag, *text, arena);
}

}  // namespace portcullis
