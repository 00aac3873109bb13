#include "admission/engine/request_values.h"

#include "admission/objects/schema.h"
#include "interpreter/values/go_values.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

Value marked(const Value& v, const FieldRow& field, Arena& arena);

// `map`, which was made of a struct of this type, marked as Go's (interpreter/values/go_values.h).
Value marked_struct(const Value& map, const StructRow& type, Arena& arena) {
  MapEntry* entries = alloc_entries(arena, map.size());
  size_t n = 0;
  for (const MapEntry& e : map.as_map()) {
    entries[n] = e;
    for (const FieldRow& field : type.fields) {
      if (field.name != e.key.as_text()) continue;
      entries[n].value = marked(e.value, field, arena);
    }
    ++n;
  }
  return make_map(arena, entries, n).with_flags(kGoStruct);
}

Value marked(const Value& v, const FieldRow& field, Arena& arena) {
  if (v.is(Kind::Map) && field.kind == FieldKind::Struct) return marked_struct(v, *field.type, arena);
  if (v.is(Kind::Map) && field.kind == FieldKind::StringMap) return v.with_flags(kGoMap);
  if (v.is(Kind::List) && field.kind == FieldKind::Strings) return v.with_flags(kGoList);
  if (!v.is(Kind::List) || field.kind != FieldKind::Structs) return v;
  Value* items = arena.array<Value>(v.size());
  for (size_t i = 0; i < v.size(); ++i) {
    const Value& item = v.as_list()[i];
    new (&items[i]) Value(item.is(Kind::Map) ? marked_struct(item, *field.type, arena) : item);
  }
  return Value::list(items, v.size()).with_flags(kGoList);
}

// Puts a map together; fields are added in byte order, as Go's JSON has them.
class MapMaker {
 public:
  MapMaker(Arena& arena, size_t capacity) : arena_(arena), entries_(alloc_entries(arena, capacity)) {}
  void add(std::string_view key, const Value& value) { entries_[count_++] = {Value::string(key), value}; }
  void add_text(std::string_view key, std::string_view text) { add(key, Value::string(text)); }
  // omitempty
  void add_some(std::string_view key, std::string_view text) {
    if (!text.empty()) add_text(key, text);
  }
  Value make() { return make_map(arena_, entries_, count_); }
  Value make_go_map() { return make().with_flags(kGoMap); }
  Value make_struct() { return make().with_flags(kGoStruct); }

 private:
  Arena& arena_;
  MapEntry* entries_;
  size_t count_ = 0;
};

Value text_list(std::span<const std::string_view> texts, Arena& arena) {
  Value* items = arena.array<Value>(texts.size());
  for (size_t i = 0; i < texts.size(); i++) items[i] = Value::string(texts[i]);
  return Value::list(items, texts.size()).with_flags(kGoList);
}

Value kind_value(const GroupVersionKind& k, Arena& arena) {
  MapMaker m(arena, 3);
  m.add_text("group", k.group);
  m.add_text("kind", k.kind);
  m.add_text("version", k.version);
  return m.make_struct();
}

Value resource_value(const GroupVersionResource& r, Arena& arena) {
  MapMaker m(arena, 3);
  m.add_text("group", r.group);
  m.add_text("resource", r.resource);
  m.add_text("version", r.version);
  return m.make_struct();
}

Value user_value(const UserInfo& user, Arena& arena) {
  MapMaker m(arena, 4);
  if (!user.extra.empty()) {
    MapMaker extra(arena, user.extra.size());
    for (const UserInfo::Extra& e : user.extra) extra.add(e.key, text_list(e.values, arena));
    m.add("extra", extra.make_go_map());
  }
  if (!user.groups.empty()) m.add("groups", text_list(user.groups, arena));
  m.add_some("uid", user.uid);
  m.add_some("username", user.username);
  return m.make_struct();
}

}  // namespace

Value request_value(const AdmissionRequest& request, const GroupVersionKind& kind,
                    const GroupVersionResource& resource, Arena& arena) {
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
  return m.make_struct();
}

Value converted(const Value& object, const GroupVersionKind& kind, Arena& arena) {
  if (!object.is(Kind::Map)) return object;
  std::string_view api_version = kind.version;
  if (!kind.group.empty()) {
    char* text = static_cast<char*>(arena.allocate(kind.group.size() + 1 + kind.version.size()));
    std::memcpy(text, kind.group.data(), kind.group.size());
    text[kind.group.size()] = '/';
    std::memcpy(text + kind.group.size() + 1, kind.version.data(), kind.version.size());
    api_version = {text, kind.group.size() + 1 + kind.version.size()};
  }
  auto old = object.as_map();
  MapMaker m(arena, old.size());
  for (const MapEntry& e : old) {
    std::string_view key = e.key.as_text();
    m.add(key, key == "apiVersion" ? Value::string(api_version)
               : key == "kind"     ? Value::string(kind.kind)
                                   : e.value);
  }
  return m.make();
}

Result<NamespaceValues> namespace_values(const Document& object, std::string& name, Arena& arena) {
  std::string error;
  Data data = decode_struct(object, namespace_row, error);
  if (!error.empty()) return Error{error};
  name = data["metadata"].field_text("name");
  NamespaceValues out;
  auto to_value = [&](const Data& d) {
    std::string json;
    append_json(json, d);
    auto value = read_json(json, arena);
    return value.ok() && value->is(Kind::Map) ? marked_struct(*value, namespace_row, arena) : Value();
  };
  out.whole = to_value(data);
  data.at("kind").text.clear();
  data.at("apiVersion").text.clear();
  Data& meta = data.at("metadata");
  for (std::string_view dropped : {"selfLink", "ownerReferences", "managedFields"}) meta.at(dropped) = Data{};
  out.cut = to_value(data);
  if (const Value* m = find_key(out.whole, Value::string("metadata"))) {
    if (const Value* labels = find_key(*m, Value::string("labels"))) out.labels = *labels;
  }
  return out;
}

Result<Value> options_value(const Document& options, Operation operation, Arena& arena) {
  if (operation == Operation::Connect) return Error{"request.options: operation CONNECT has none"};
  const StructRow& row = operation == Operation::Create   ? create_options_row
                         : operation == Operation::Update ? update_options_row
                                                          : delete_options_row;
  std::string error;
  Data data = decode_struct(options, row, error);
  if (!error.empty()) return Error{"request.options: " + error};
  std::string json;
  append_json(json, data);
  return read_json(json, arena);
}

}  // namespace portcullis
