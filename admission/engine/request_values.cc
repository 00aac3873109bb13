#include "admission/engine/request_values.h"

#include "admission/builtin/access.h"
#include "admission/builtin/decode.h"
#include "admission/builtin/encode.h"
#include "interpreter/values/builder.h"

namespace portcullis {
namespace {

// Builds a map from fields, which callers add in byte order, as Go's JSON has them.
class MapMaker {
 public:
  MapMaker(Arena& arena, size_t capacity) : entries_(alloc_entries(arena, capacity)) {}
  void add(std::string_view key, const Value& value) { entries_[count_++] = {Value::string(key), value}; }
  void add_text(std::string_view key, std::string_view text) { add(key, Value::string(text)); }
  // Adds a field with omitempty.
  void add_some(std::string_view key, std::string_view text) {
    if (!text.empty()) add_text(key, text);
  }
  Value make() { return make_map(entries_, count_); }
  Value make_go_map() { return make().with_more_flags(kGoMap); }
  Value make_struct(const builtin::StructRow* row) { return builtin::as_struct(make(), *row); }

 private:
  MapEntry* entries_;
  size_t count_ = 0;
};

Value text_list(std::span<const std::string_view> texts, Arena& arena) {
  Value* items = arena.array<Value>(texts.size());
  for (size_t i = 0; i < texts.size(); i++) items[i] = Value::string(texts[i]);
  return Value::list(items, texts.size()).with_more_flags(kGoList);
}

Value kind_value(const GroupVersionKind& k, Arena& arena) {
  static const builtin::StructRow* const row =
      builtin::find_struct("apimachinery/pkg/apis/meta/v1.GroupVersionKind");
  MapMaker m(arena, 3);
  m.add_text("group", k.group);
  m.add_text("kind", k.kind);
  m.add_text("version", k.version);
  return m.make_struct(row);
}

Value resource_value(const GroupVersionResource& r, Arena& arena) {
  static const builtin::StructRow* const row =
      builtin::find_struct("apimachinery/pkg/apis/meta/v1.GroupVersionResource");
  MapMaker m(arena, 3);
  m.add_text("group", r.group);
  m.add_text("resource", r.resource);
  m.add_text("version", r.version);
  return m.make_struct(row);
}

Value user_value(const UserInfo& user, Arena& arena) {
  static const builtin::StructRow* const row = builtin::find_struct("api/authentication/v1.UserInfo");
  MapMaker m(arena, 4);
  if (!user.extra.empty()) {
    MapMaker extra(arena, user.extra.size());
    for (const UserInfo::Extra& e : user.extra) extra.add(e.key, text_list(e.values, arena));
    m.add("extra", extra.make_go_map());
  }
  if (!user.groups.empty()) m.add("groups", text_list(user.groups, arena));
  m.add_some("uid", user.uid);
  m.add_some("username", user.username);
  return m.make_struct(row);
}

}  // namespace

Value request_value(const AdmissionRequest& request, const GroupVersionKind& kind,
                    const GroupVersionResource& resource, Arena& arena) {
  static const builtin::StructRow* const row = builtin::find_struct("api/admission/v1.AdmissionRequest");
  MapMaker m(arena, 15);
  m.add("dryRun", Value::boolean(request.dry_run));
  m.add("kind", kind_value(kind, arena));
  m.add_some("name", request.name);
  m.add_some("namespace", request.namespace_name);
  m.add("object", {});
  m.add("oldObject", {});
  m.add_text("operation", operation_name(request.operation));
  m.add("options", request.options);
  m.add("requestKind", kind_value(request.kind, arena));
  m.add("requestResource", resource_value(request.resource, arena));
  m.add_some("requestSubResource", request.subresource);
  m.add("resource", resource_value(resource, arena));
  m.add_some("subResource", request.subresource);
  m.add_text("uid", "");
  m.add("userInfo", user_value(request.user, arena));
  return m.make_struct(row);
}

Value named_namespace(std::string_view name, Arena& arena) {
  auto map = [&](std::initializer_list<MapEntry> entries) {
    MapEntry* out = alloc_entries(arena, entries.size());
    std::copy(entries.begin(), entries.end(), out);
    return make_map(out, entries.size());
  };
  Value text = Value::string(name);
  Value labels = map({{Value::string(kNamespaceNameLabel), text}});
  Value metadata = map({{Value::string("name"), text}, {Value::string("labels"), labels}});
  Value* finalizer = arena.array<Value>(1);
  *finalizer = Value::string("kubernetes");
  Value spec = map({{Value::string("finalizers"), Value::list(finalizer, 1)}});
  Value status = map({{Value::string("phase"), Value::string("Active")}});
  return map({{Value::string("metadata"), metadata},
              {Value::string("spec"), spec},
              {Value::string("status"), status}});
}

Result<NamespaceValues> namespace_values(const Value& object, std::string& name, Arena& arena) {
  builtin::Decoded decoded = builtin::decode(arena, *builtin::find_kind("v1", "Namespace"), object, {});
  if (!decoded.error.empty()) return Error{decoded.error};
  builtin::Object& space = *decoded.object;
  name = builtin::text(space, "metadata.name");
  NamespaceValues out;
  out.whole = builtin::encode(arena, space);
  for (std::string_view dropped :
       {"kind", "apiVersion", "metadata.selfLink", "metadata.ownerReferences", "metadata.managedFields"})
    builtin::set(space, dropped, builtin::absent());
  out.cut = builtin::encode(arena, space);
  if (const Value* m = find_key(out.whole, Value::string("metadata"))) {
    if (const Value* labels = find_key(*m, Value::string("labels"))) out.labels = *labels;
  }
  return out;
}

}  // namespace portcullis
