#include "admission/patching/decoded.h"

#include <algorithm>
#include <string>
#include <vector>

#include "admission/builtin/decode.h"
#include "admission/builtin/defaults.h"
#include "admission/builtin/encode.h"
#include "admission/builtin/internal_version.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/map.h"

namespace portcullis::patching {
namespace {

constexpr size_t kMostReported = 100;  // sigs.k8s.io/json keeps no more strict errors

std::string_view json_word(const Value& v) {
  switch (v.kind()) {
    case Kind::Bool: return "bool";
    case Kind::String: return "string";
    case Kind::List: return "array";
    case Kind::Map: return "object";
    default: return "number";
  }
}

// `data` with the keys of all maps in order, as JSON that was written has them: the order of errors.
Value sorted(Arena& arena, const Value& data) {
  if (data.is(Kind::List)) {
    Value* items = arena.array<Value>(data.size());
    for (size_t i = 0; i < data.size(); ++i) new (&items[i]) Value(sorted(arena, data.as_list()[i]));
    return Value::list(items, data.size());
  }
  if (!data.is(Kind::Map)) return data;
  MapEntry* entries = alloc_entries(arena, data.size());
  for (size_t i = 0; i < data.size(); ++i) {
    const MapEntry& e = data.as_map()[i];
    new (&entries[i]) MapEntry{e.key, sorted(arena, e.value)};
  }
  std::sort(entries, entries + data.size(),
            [](const MapEntry& a, const MapEntry& b) { return a.key.as_text() < b.key.as_text(); });
  return make_map(arena, entries, data.size());
}

// Why `object` does not decode: found once more, in the order of the JSON.
Patched decoding_error(Arena& arena, const builtin::StructRow& row, const Value& object) {
  std::vector<builtin::UnknownField> unknown;
  builtin::DecodeOptions options;
  options.unknown = &unknown;
  builtin::Decoded decoded = builtin::decode(arena, row, sorted(arena, object), options);
  if (!decoded.error.empty()) return internal_error(arena, decoded.error);
  TextBuilder text(arena);
  text.append("strict decoding error: ");
  for (size_t i = 0; i < std::min(unknown.size(), kMostReported); ++i) {
    if (i != 0) text.append(", ");
    text.append("unknown field \"");
    text.append(unknown[i].path);
    text.append('"');
  }
  return internal_error(arena, text.view());
}

}  // namespace

ReadKind read_kind(Arena& arena, const Value& object) {
  ReadKind out;
  auto fail = [&](std::initializer_list<std::string_view> parts) {
    out.error = refused(arena, parts).error;
    return out;
  };
  constexpr std::string_view kUnread = "couldn't get version/kind; json parse error: json: cannot unmarshal ";
  if (object.is_null()) return out;
  if (!object.is(Kind::Map)) {
    return fail({kUnread, json_word(object),
                 " into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; "
                 "Kind string \"json:\\\"kind,omitempty\\\"\" }"});
  }
  std::string_view api_version;
  for (std::string_view name : {"apiVersion", "kind"}) {
    const Value* v = find_key(object, Value::string(name));
    if (v == nullptr || v->is_null()) continue;
    if (!v->is(Kind::String))
      return fail({kUnread, json_word(*v), " into Go struct field .", name, " of type string"});
    (name == "kind" ? out.kind : api_version) = v->as_text();
  }
  size_t slash = api_version.find('/');
  if (slash != api_version.npos && api_version.find('/', slash + 1) != api_version.npos)
    return fail({"unexpected GroupVersion string: ", api_version});
  out.group = slash == api_version.npos ? "" : api_version.substr(0, slash);
  out.version = slash == api_version.npos ? api_version : api_version.substr(slash + 1);
  return out;
}

Patched decoded_strictly(Arena& arena, const builtin::StructRow& row, const Value& object) {
  std::vector<builtin::UnknownField> unknown;
  builtin::DecodeOptions options;
  options.unknown = &unknown;
  options.may_stand = true;
  builtin::Decoded decoded = builtin::decode(arena, row, object, options);
  if (!decoded.error.empty() || !unknown.empty()) return decoding_error(arena, row, object);
  builtin::apply_defaults(arena, *decoded.object, {});
  return {.object = builtin::encode(arena, *decoded.object)};
}

Patched through_internal(Arena& arena, const builtin::StructRow& row, const Value& object) {
  builtin::DecodeOptions options;
  options.may_stand = true;
  builtin::Decoded decoded = builtin::decode(arena, row, object, options);
  std::string error = std::move(decoded.error);
  if (error.empty()) error = builtin::pass_through_internal(arena, *decoded.object);
  if (!error.empty()) return internal_error(arena, "failed to convert object: " + error);
  return {.object = builtin::encode(arena, *decoded.object)};
}

}  // namespace portcullis::patching
