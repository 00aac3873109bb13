#include "batch/plain.h"

#include <string>
#include <string_view>

#include "batch/tagged.h"
#include "interpreter/functions/call.h"
#include "interpreter/functions/libraries.h"
#include "interpreter/functions/regex.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/json.h"
#include "interpreter/values/map.h"
#include "interpreter/values/native.h"
#include "typecheck/function.h"
#include "typecheck/signature.h"

namespace portcullis {
namespace {

// The row with this overload id.
const Function* find_row(std::string_view id) {
  for (const Library& library : standard_libraries()) {
    for (const Function& row : library.functions) {
      if (row.id == id) return &row;
    }
  }
  return nullptr;
}

// Calls the row `id` with one text.
Result<Value> call_row(std::string_view id, std::string_view text, Arena& arena) {
  const Function* row = find_row(id);
  if (row == nullptr || row->call == nullptr) return Error{"no function " + std::string(id)};
  RegexCache regexes;
  CallContext context(arena, regexes);
  Value arg = Value::string(arena.copy(text));
  Value v = row->call(context, &arg, 1);
  if (v.is_error()) return Error{std::string(v.as_error().message)};
  return v;
}

Result<Value> convert_list(const Value& json, const Type* type, Arena& arena) {
  if (!json.is(Kind::List)) return Error{"want a list, got " + to_json(json)};
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
    default: return Error{"map keys cannot be of type " + type_string(type)};
  }
}

Result<Value> convert_map(const Value& json, const Type* type, Arena& arena) {
  if (!json.is(Kind::Map)) return Error{"want a map, got " + to_json(json)};
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
  return texts ? make_native_map(entries, n) : make_computed_map(entries, n);
}

Result<Value> convert_number(const Value& json, TypeKind kind, Arena& arena) {
  bool is_uint = kind == TypeKind::Uint;
  if (json.is(Kind::Int)) {
    if (!is_uint) return Value::real(static_cast<double>(json.as_int()));
    if (json.as_int() >= 0) return Value::uinteger(static_cast<uint64_t>(json.as_int()));
  } else if (json.is(Kind::String)) {
    return read_text_tag(is_uint ? "uint64" : "double", json.as_text(), arena);
  } else if (!is_uint) {
    return json;
  }
  return Error{"want a uint, got " + to_json(json)};
}

}  // namespace

Result<Value> convert_plain(const Value& json, const Type* type, Arena& arena) {
  auto of_text = [&](const auto& make, std::string_view by) -> Result<Value> {
    if (!json.is(Kind::String))
      return Error{"want a string for " + type_string(type) + ", got " + to_json(json)};
    return make(by, json.as_text(), arena);
  };
  switch (type->kind()) {
    case TypeKind::Uint:
    case TypeKind::Double: return convert_number(json, type->kind(), arena);
    case TypeKind::Bytes: return of_text(read_text_tag, "bytes");
    case TypeKind::Timestamp: return of_text(call_row, "string_to_timestamp");
    case TypeKind::Duration: return of_text(call_row, "string_to_duration");
    case TypeKind::List: return convert_list(json, type, arena);
    case TypeKind::Map: return convert_map(json, type, arena);
    default: break;
  }
  if (type->is_optional()) {
    if (json.is_null()) return Value::optional(nullptr);
    Result<Value> inner = convert_plain(json, type->param(0), arena);
    return inner.ok() ? Result<Value>(Value::optional(arena.make<Value>(*inner))) : inner;
  }
  const std::string_view tag = library_tag(type->name());
  return tag.empty() ? Result<Value>(json) : of_text(read_text_tag, tag);
}

}  // namespace portcullis
