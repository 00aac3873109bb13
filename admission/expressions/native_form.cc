#include "admission/expressions/native_form.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "admission/expressions/patches.h"
#include "grammar/quote.h"
#include "grammar/utf8.h"
#include "interpreter/values/go_values.h"
#include "interpreter/values/native.h"
#include "interpreter/values/print.h"

namespace portcullis {
namespace {

Value never_equal(const Opaque&, const Value&, Arena&) { return Value::boolean(false); }
std::string_view print_null(const Opaque&, Arena&) { return "NULL_VALUE"; }
constinit const OpaqueClass kNullEnumClass = {
    .type_name = "structpb.NullValue", .equal = never_equal, .print = print_null};
constinit const Opaque kNullEnum = {&kNullEnumClass};

// %q of a key that is no string: an integer is a code point (null is one in Go), a Stringer is quoted.
std::string quoted_key(const Value& key) {
  if (key.is(Kind::Bool) || key.is(Kind::Double))
    return "%!q(" + std::string(go_type(key)) + "=" + format_go(key) + ")";
  if (!key.is(Kind::Int) && !key.is(Kind::Uint) && !key.is(Kind::Null)) return quote(format_go(key));
  uint64_t c = key.is(Kind::Null) ? 0 : key.as_uint();
  if (c == '\'') return R"('\'')";
  if (c == '"') return R"('"')";
  std::string text;
  utf8::append(text, c > 0x10ffff ? 0xfffd : static_cast<char32_t>(c));
  text = quote(text);
  text.front() = text.back() = '\'';
  return text;
}

// The Go value of a key, if it is a string.
std::optional<Value> native_text(const Value& key) {
  if (key.is(Kind::Type)) return Value::string(key.as_text());
  return key.is(Kind::String) ? std::optional(key) : std::nullopt;
}

// Whether conversion changes plain data: only if it contains a null or an empty list.
bool changes(const Value& v, Arena& arena) {
  arena.step();
  auto below = [&](const Value& part) { return changes(part, arena); };
  if (v.is(Kind::List)) return v.size() == 0 || std::ranges::any_of(v.as_list(), below);
  return v.is(Kind::Map) ? std::ranges::any_of(v.as_map(), below, &MapEntry::value) : v.is_null();
}

class Native {
 public:
  Native(Arena& arena, bool keep_nulls) : arena_(arena), keep_nulls_(keep_nulls) {}

  Value object(std::span<const MapEntry> fields) {
    MapEntry* entries = alloc_entries(arena_, fields.size());
    size_t n = 0;
    for (const MapEntry& f : fields) {
      Value converted;
      if (!field(f.value, converted)) {
        return make_error(arena_, "fail to convert field \"" + std::string(f.key.as_text()) +
                                      "\": " + std::string(converted.as_error().message));
      }
      new (&entries[n++]) MapEntry{f.key, converted};
    }
    return make_native_map(entries, n);
  }

 private:
  // The result of Value() of a value.
  Value held(const Value& v) {
    arena_.step();
    if (v.is_null()) return keep_nulls_ ? v : Value::opaque(&kNullEnum);
    if (v.is(Kind::Type)) return Value::string(v.as_text());
    if (v.is(Kind::Optional)) return v.as_optional() != nullptr ? held(*v.as_optional()) : Value::null();
    if (v.is(Kind::List) && (v.flags() & kConcatList)) {
      Value* items = arena_.array<Value>(v.size());
      for (size_t i = 0; i < v.size(); ++i) new (&items[i]) Value(held(v.as_list()[i]));
      return Value::list(items, v.size(), kNativeList);
    }
    return is_patch_object(v) ? object(object_fields(v)) : v;
  }

  // Upstream's convertField: elements of lists and maps go through Value(), and so do deeper ones unless Go
  // holds them as CEL values. Returns false, with the error in `out`, if a map has a key that is no string.
  bool field(const Value& v, Value& out) {
    if (v.is(Kind::Optional) && v.as_optional() != nullptr) {
      Value inner = *v.as_optional();
      bool plain = (inner.is(Kind::Map) && (inner.flags() & kNativeMap)) ||
                   (inner.is(Kind::List) && (inner.flags() & kNativeList));
      return plain ? (out = inner, true) : field(inner, out);
    }
    if (v.is(Kind::Map)) return map(v, out);
    return v.is(Kind::List) ? list(v, out) : (out = held(v), true);
  }

  bool item(const Value& v, bool deep, Value* slot) {
    Value converted;
    bool done = true;
    if (deep) done = field(v, converted);
    new (slot) Value(deep ? converted : held(v));
    return done;
  }

  bool list(const Value& v, Value& out) {
    if ((v.flags() & kNativeList) && (keep_nulls_ || !changes(v, arena_))) return out = v, true;
    if (v.size() == 0 && !keep_nulls_) return out = nil_list(), true;
    Value* items = arena_.array<Value>(v.size());
    for (size_t i = 0; i < v.size(); ++i) {
      if (!item(v.as_list()[i], v.flags() & (kConcatList | kGoList | kNativeList), &items[i]))
        return out = items[i], false;
    }
    out = Value::list(items, v.size(), kNativeList);
    return true;
  }

  bool map(const Value& v, Value& out) {
    if ((v.flags() & kNativeMap) && (keep_nulls_ || !changes(v, arena_))) return out = v, true;
    bool deep = is_go_map(v) || (v.flags() & kNativeMap);
    MapEntry* entries = alloc_entries(arena_, v.size());
    size_t n = 0;
    for (const MapEntry& e : v.as_map()) {
      if (!entry(e.key, e.value, deep, entries[n++])) return out = entries[n - 1].value, false;
    }
    return out = make_native_map(entries, n), true;
  }

  bool entry(const Value& key, const Value& value, bool deep, MapEntry& out) {
    std::optional<Value> name = native_text(key);
    if (!name) {
      out.value = make_error(
          arena_, "map key " + quoted_key(key) + " is of type " + std::string(go_type(key)) + ", not string");
      return false;
    }
    out.key = *name;
    return item(value, deep, &out.value);
  }

  Arena& arena_;
  bool keep_nulls_;
};

}  // namespace

bool is_null_enum(const Value& v) { return v.is(Kind::Opaque) && v.as_opaque().cls == &kNullEnumClass; }

Value native_object(std::span<const MapEntry> fields, Arena& arena, bool keep_nulls) {
  return Native(arena, keep_nulls).object(fields);
}

std::string_view native_type(const Value& v) {
  switch (v.kind()) {
    case Kind::Null: return "structpb.NullValue";
    case Kind::Bool: return "bool";
    case Kind::Int: return "int64";
    case Kind::Uint: return "uint64";
    case Kind::Double: return "float64";
    case Kind::String:
    case Kind::Type: return "string";
    case Kind::Bytes: return "[]uint8";
    case Kind::Timestamp: return "time.Time";
    case Kind::Duration: return "time.Duration";
    case Kind::List: return v.flags() & (kConcatList | kNativeList) ? "[]interface {}" : "[]ref.Val";
    case Kind::Map: return v.flags() & kNativeMap ? "map[string]interface {}" : "map[ref.Val]ref.Val";
    case Kind::Optional: return v.as_optional() != nullptr ? native_type(*v.as_optional()) : "<nil>";
    default: break;
  }
  constexpr std::pair<std::string_view, std::string_view> kHeld[] = {
      {"kubernetes.Quantity", "*resource.Quantity"},
      {"net.IP", "netip.Addr"},
      {"net.CIDR", "netip.Prefix"},
      {"kubernetes.Semver", "semver.Version"},
      {"kubernetes.URL", "*url.URL"},
      {"structpb.NullValue", "structpb.NullValue"},
  };
  std::string_view type = type_name(v);
  for (auto& [name, held] : kHeld) {
    if (type == name) return held;
  }
  return type.starts_with("kubernetes.authorization.") ? "*types.Err" : go_type(v);
}

}  // namespace portcullis
