#include "admission/builtin/repeated.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "admission/builtin/conversion.h"
#include "admission/builtin/normalize.h"
#include "admission/builtin/type_meta.h"
#include "interpreter/values/json.h"

namespace portcullis::builtin {
namespace {

bool has_repeated(const Document& d) {
  if (d.is(Document::Kind::List)) return std::any_of(d.items.begin(), d.items.end(), has_repeated);
  if (!d.is(Document::Kind::Object)) return false;
  std::unordered_set<std::string_view> names;
  for (const auto& [name, value] : d.members) {
    if (!names.insert(name).second || has_repeated(value)) return true;
  }
  return false;
}

// Like JsonReader, but keeps all members of an object.
Value with_repeated(Arena& arena, const Document& d) {
  switch (d.kind) {
    case Document::Kind::Null: return Value::null();
    case Document::Kind::Bool: return Value::boolean(d.boolean);
    case Document::Kind::String: return Value::string(d.text);
    case Document::Kind::Number: {
      const Result<Value> number = read_json(d.raw, arena);
      return number.ok() ? *number : Value::real(std::numeric_limits<double>::infinity());
    }
    case Document::Kind::List: {
      Value* items = arena.array<Value>(d.items.size());
      for (size_t i = 0; i < d.items.size(); ++i) new (&items[i]) Value(with_repeated(arena, d.items[i]));
      return Value::list(items, d.items.size());
    }
    case Document::Kind::Object: break;
  }
  MapEntry* entries = alloc_entries(arena, d.members.size());
  size_t n = 0;
  for (const auto& [name, value] : d.members)
    new (&entries[n++]) MapEntry{Value::string(name), with_repeated(arena, value)};
  return Value::map(entries, n);
}

}  // namespace

Value read_repeated(Arena& arena, const Document& given, DecodeOptions& options) {
  options.json = given.raw;
  options.repeated = has_repeated(given);
  if (!options.repeated) {
    if (const Result<Value> plain = read_json(given.raw, arena); plain.ok()) return *plain;
  }
  return with_repeated(arena, given);
}

Result<Value> normalize_document(Arena& arena, const Document& given) {
  Result<Value> read = read_json(given.raw, arena);
  if (!read.ok()) return read.error();
  const StructRow* row = protocol_struct_of(*read);
  if (row == nullptr) {
    auto said = [&](std::string_view name) {
      Value v = member(*read, name);
      return v.is(Kind::String) ? v.as_text() : std::string_view();
    };
    return Error{not_registered(said("kind"), said("apiVersion"))};
  }
  return normalize_document(arena, *row, given, {});
}

Result<Value> normalize_document(Arena& arena, const StructRow& row, const Document& given,
                                 DecodeOptions options) {
  const Value read = read_repeated(arena, given, options);
  Normalized normalized = normalize(arena, row, read, options);
  if (!normalized.error.empty()) return Error{std::move(normalized.error)};
  return normalized.object;
}

}  // namespace portcullis::builtin
