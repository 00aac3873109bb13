#include "admission/engine/converted.h"

#include "admission/builtin/normalize.h"
#include "admission/builtin/type_meta.h"
#include "admission/scalars/group_version.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/native.h"

namespace portcullis {
namespace {

Value renamed(Arena& arena, const Value& object, const GroupVersionKind& kind) {
  const std::string_view api_version =
      kind.group.empty() ? kind.version : joined(arena, {kind.group, "/", kind.version});
  MapEntry* entries = alloc_entries(arena, object.size());
  size_t n = 0;
  for (const MapEntry& e : object.as_map()) {
    new (&entries[n++])
        MapEntry{e.key, e.key.as_text() == "apiVersion" ? Value::string(api_version) : e.value};
  }
  return make_native_map(entries, n);
}

}  // namespace

Value at_version(Arena& arena, bool typed, const Value& object, const GroupVersionKind& kind) {
  if (!object.is(Kind::Map)) return object;
  return typed ? builtin::convert_to(arena, object, kind.group, kind.version, kind.kind)
               : renamed(arena, object, kind);
}

std::string_view not_converted(const GroupVersionKind& kind, Conversion conversion, Arena& arena) {
  if (conversion == Conversion::Unknown) {
    return joined(arena, {"no definition that is known says how to convert ", kind.group,
                          kind.group.empty() ? "" : "/", kind.version, ", Kind=", kind.kind});
  }
  return joined(arena, {"conversion webhook for ", kind_text(kind.group, kind.version, kind.kind),
                        " failed: conversion webhooks are not called"});
}

patching::Patched at_version_of_request(Arena& arena, const GroupVersionKind& wanted,
                                        const GroupVersionKind& kind, const patching::Patched& patched) {
  if (kind.group == wanted.group && kind.version == wanted.version) return patched;
  if (kind.group == wanted.group)
    return patching::refused(
        arena, {builtin::unknown_conversion(kind.version, kind.kind, wanted.version, kind.kind)});
  return patching::refused(
      arena, {kind.version, ".", kind.kind, " is not suitable for converting to \"",
              join_api_version(wanted.group, wanted.version), "\" in scheme ", builtin::kSchemeName});
}

bool scales_custom_resource(const AdmissionRequest& request) {
  const std::string_view group = request.resource.group;
  return request.subresource == "scale" && request.kind.group == "autoscaling" &&
         request.kind.kind == "Scale" && !group.empty() && group != "apps" && group != "extensions";
}

}  // namespace portcullis
