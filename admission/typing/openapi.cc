#include "admission/typing/openapi.h"

#include "interpreter/values/member.h"

#include <algorithm>

namespace portcullis {
namespace {

using crd::Schema;
using crd::SchemaPtr;

bool flag(const Value& map, std::string_view name) {
  const Value* v = find_member(map, name, Kind::Bool);
  return v != nullptr && v->as_bool();
}
std::optional<int64_t> integer(const Value& map, std::string_view name) {
  const Value* v = find_member(map, name, Kind::Int);
  return v == nullptr ? std::nullopt : std::optional(v->as_int());
}

// The reference of `schema`, which may be wrapped in allOf (to add a description); empty if there is none.
std::string_view reference(const Value& schema) {
  std::string_view ref = text_member(schema, "$ref");
  if (const Value* parts = find_member(schema, "allOf", Kind::List); ref.empty() && parts != nullptr) {
    for (const Value& part : parts->as_list()) {
      if (ref = text_member(part, "$ref"); !ref.empty()) break;
    }
  }
  return ref.substr(ref.rfind('/') + 1);
}

class OpenApiReader {
 public:
  explicit OpenApiReader(const std::map<std::string_view, const Value*>& schemas) : schemas_(schemas) {}
  bool failed() const { return failed_; }

  SchemaPtr named(std::string_view name) {
    auto made = std::make_shared<Schema>();
    if (std::find(open_.begin(), open_.end(), name) != open_.end()) {
      made->type = "object";
      return made;
    }
    auto found = schemas_.find(name);
    if (found == schemas_.end()) {
      failed_ = true;
      return made;
    }
    open_.push_back(name);
    read(*found->second, *made);
    open_.pop_back();
    return made;
  }

 private:
  SchemaPtr schema(const Value& data) {
    if (++nodes_ > kMaxOpenApiNodes || depth_ > crd::kMaxSchemaDepth) failed_ = true;
    if (failed_) return std::make_shared<Schema>();
    if (std::string_view name = reference(data); !name.empty()) return named(name);
    auto made = std::make_shared<Schema>();
    read(data, *made);
    return made;
  }

  void read(const Value& data, Schema& out) {
    ++depth_;
    scalars(data, out);
    if (const Value* items = find_member(data, "items", Kind::Map)) out.items = schema(*items);
    if (const Value* more = find_member(data, "additionalProperties", Kind::Map))
      out.additional = schema(*more);
    if (const Value* properties = find_member(data, "properties", Kind::Map)) {
      for (const MapEntry& e : properties->as_map()) out.properties.emplace(e.key.as_text(), schema(e.value));
    }
    --depth_;
  }

  static void scalars(const Value& data, Schema& out) {
    out.type = text_member(data, "type");
    if (const Value* types = find_member(data, "type", Kind::List); types != nullptr && types->size() > 0) {
      const Value& first = types->as_list()[0];
      if (first.is(Kind::String)) out.type = first.as_text();
    }
    out.format = text_member(data, "format");
    out.int_or_string = out.format == "int-or-string" || flag(data, "x-kubernetes-int-or-string");
    out.embedded_resource = flag(data, "x-kubernetes-embedded-resource");
    out.max_length = integer(data, "maxLength");
    out.max_items = integer(data, "maxItems");
    out.max_properties = integer(data, "maxProperties");
    if (const Value* required = find_member(data, "required", Kind::List)) {
      for (const Value& v : required->as_list()) {
        if (v.is(Kind::String)) out.required.emplace_back(v.as_text());
      }
    }
    if (const Value* enums = find_member(data, "enum", Kind::List)) {
      out.enums.assign(enums->as_list().begin(), enums->as_list().end());
    }
    if (const Value* fallback = find_member(data, "default"); fallback != nullptr && !fallback->is_null())
      out.fallback = *fallback;
  }

  const std::map<std::string_view, const Value*>& schemas_;
  std::vector<std::string_view> open_;  // the named schemas around the present one
  size_t nodes_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace

Result<void> OpenApiSchemas::add(const Value& document) {
  const Value* components = find_member(document, "components", Kind::Map);
  const Value* schemas = find_member(components ? *components : document, "schemas", Kind::Map);
  if (schemas == nullptr) return Error{"this is no OpenAPI v3 document: it has no components.schemas"};
  for (const MapEntry& e : schemas->as_map()) {
    schemas_[e.key.as_text()] = &e.value;
    const Value* kinds = find_member(e.value, "x-kubernetes-group-version-kind", Kind::List);
    if (kinds == nullptr) continue;
    for (const Value& k : kinds->as_list()) {
      if (text_member(k, "kind").empty()) continue;
      kinds_.push_back(
          {text_member(k, "group"), text_member(k, "version"), text_member(k, "kind"), e.key.as_text()});
    }
  }
  return {};
}

SchemaPtr OpenApiSchemas::find(std::string_view name) const {
  if (!schemas_.contains(name)) return nullptr;
  OpenApiReader reader(schemas_);
  SchemaPtr made = reader.named(name);
  return reader.failed() ? nullptr : made;
}

}  // namespace portcullis
