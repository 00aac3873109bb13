#include "admission/crd/schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "admission/objects/field_error.h"

namespace portcullis::crd {
namespace {

const Value* named_member(const Value& object, std::string_view name) {
  const Value* found = find_key(object, Value::string(name));
  return found == nullptr || found->is_null() ? nullptr : found;
}

constexpr int64_t kMaxNameLength = 253;  // of metadata.name: a DNS-1123 subdomain
constexpr int64_t kSuffixLength = 1;     // the shortest suffix appended to generateName

// What the server thinks of a keyword that no schema may have, if it is given without content.
enum class Empty : uint8_t { Accepted, Refused, Unstructural };
constexpr std::pair<std::string_view, Empty> kUnsupported[] = {
    {"id", Empty::Accepted},          {"$schema", Empty::Accepted},
    {"$ref", Empty::Refused},         {"patternProperties", Empty::Accepted},
    {"dependencies", Empty::Refused}, {"additionalItems", Empty::Unstructural},
    {"definitions", Empty::Accepted}};

// Keywords that say nothing to the server when they are given without content.
constexpr std::string_view kNothingIfEmpty[] = {"$ref", "allOf",       "anyOf",        "oneOf",
                                                "enum", "definitions", "dependencies", "patternProperties"};

bool is_empty(const Value& v) {
  return (v.is(Kind::String) || v.is(Kind::List) || v.is(Kind::Map)) && v.size() == 0;
}

// Whether `data` has no other member than these that says anything to the server.
bool has_only(const Value& data, std::initializer_list<std::string_view> names) {
  return std::ranges::all_of(data.as_map(), [&](const MapEntry& e) {
    const std::string_view name = e.key.as_text();
    return std::ranges::find(names, name) != names.end() || (name == "items" && !e.value.is(Kind::Map)) ||
           (is_empty(e.value) && std::ranges::find(kNothingIfEmpty, name) != std::end(kNothingIfEmpty));
  });
}

class Reader {
 public:
  std::optional<SchemaError> error;

  SchemaPtr schema(const Value& data, int depth) {
    auto made = std::make_shared<Schema>();
    if (!data.is(Kind::Map)) return unreadable("a schema must be an object"), made;
    if (depth > kMaxSchemaDepth) return unreadable("the schema is nested too deeply"), made;
    const size_t refusals = refusals_;
    unsupported(data, *made);
    scalars(data, *made);
    bounds(data, *made);
    extensions(data, *made);
    if (const Value* items = named_member(data, "items")) {
      if (items->is(Kind::List)) {
        if (items->size() > 0)
          refuse(*made, "items", "OpenAPIV3Schema 'items' must be a schema, but is an array");
      } else if (items->is(Kind::Map)) {  // the server passes over anything else
        made->items = schema(*items, depth + 1);
      }
    }
    if (const Value* properties = map(data, "properties")) {
      for (const MapEntry& e : properties->as_map()) {
        made->properties.emplace(e.key.as_text(), schema(e.value, depth + 1));
      }
    }
    if (const Value* more = named_member(data, "additionalProperties")) {
      if (more->is(Kind::Bool)) {
        made->additional_allowed = more->as_bool();
      } else {
        made->additional = schema(*more, depth + 1);
      }
    }
    made->all_of = schemas(data, "allOf", depth);
    made->any_of = schemas(data, "anyOf", depth);
    made->one_of = schemas(data, "oneOf", depth);
    if (const Value* negated = named_member(data, "not")) made->negated = schema(*negated, depth + 1);
    if (const Value* rules = list(data, "x-kubernetes-validations")) {
      for (const Value& r : rules->as_list()) {
        Result<RuleText> rule = read_rule(r);
        if (rule.ok())
          made->rules.push_back(*std::move(rule));
        else
          unreadable(rule.error().text);
      }
    }
    if (made->embedded_resource) {
      SchemaPtr with_meta = with_object_meta(made);
      if (with_meta != made) made->with_meta = with_meta;
    }
    made->structural = refusals_ == refusals;
    return made;
  }

 private:
  size_t refusals_ = 0;

  void unreadable(std::string text) {
    if (!error || !error->unreadable) error = SchemaError{std::move(text), true};
  }
  void refuse(Schema& s, std::string_view keyword, std::string text) {
    s.refused.emplace_back(keyword);
    refusals_++;
    if (!error) error = SchemaError{std::move(text), false};
  }

  const Value* of_kind(const Value& data, std::string_view name, Kind kind, const char* what) {
    const Value* v = named_member(data, name);
    if (v == nullptr || v->is(kind)) return v;
    unreadable(std::string(name) + " must be " + what);
    return nullptr;
  }
  const Value* map(const Value& data, std::string_view name) {
    return of_kind(data, name, Kind::Map, "an object");
  }
  const Value* list(const Value& data, std::string_view name) {
    return of_kind(data, name, Kind::List, "a list");
  }
  std::string text(const Value& data, std::string_view name) {
    const Value* v = of_kind(data, name, Kind::String, "a string");
    return v == nullptr ? std::string() : std::string(v->as_text());
  }
  bool flag(const Value& data, std::string_view name) {
    const Value* v = of_kind(data, name, Kind::Bool, "a boolean");
    return v != nullptr && v->as_bool();
  }
  std::optional<int64_t> integer(const Value& data, std::string_view name) {
    const Value* v = of_kind(data, name, Kind::Int, "an integer");
    return v == nullptr ? std::nullopt : std::optional(v->as_int());
  }
  std::optional<double> number(const Value& data, std::string_view name) {
    const Value* v = named_member(data, name);
    if (v == nullptr) return std::nullopt;
    if (v->is(Kind::Int)) return static_cast<double>(v->as_int());
    if (v->is(Kind::Double)) return v->as_double();
    unreadable(std::string(name) + " must be a number");
    return std::nullopt;
  }
  std::vector<std::string> texts(const Value& data, std::string_view name) {
    std::vector<std::string> out;
    if (const Value* items = list(data, name)) {
      for (const Value& v : items->as_list()) {
        if (v.is(Kind::String))
          out.emplace_back(v.as_text());
        else
          unreadable(std::string(name) + " must hold strings");
      }
    }
    return out;
  }
  std::vector<SchemaPtr> schemas(const Value& data, std::string_view name, int depth) {
    std::vector<SchemaPtr> out;
    if (const Value* items = list(data, name)) {
      for (const Value& v : items->as_list()) out.push_back(schema(v, depth + 1));
    }
    return out;
  }

  void unsupported(const Value& data, Schema& s) {
    for (const auto& [name, empty] : kUnsupported) {
      const Value* v = named_member(data, name);
      if (v == nullptr || (is_empty(*v) && empty == Empty::Accepted)) continue;
      if (is_empty(*v) && empty == Empty::Refused) {
        s.refused.emplace_back(name);
        continue;
      }
      refuse(s, name,
             "OpenAPIV3Schema '" + std::string(name == "$schema" ? "schema" : name) + "' is not supported");
    }
  }
  void scalars(const Value& data, Schema& s) {
    s.type = text(data, "type");
    const Value* more = named_member(data, "additionalProperties");
    const bool closed = more != nullptr && more->is_false();  // which says nothing in a value validation
    s.has_type_only = !s.type.empty() &&
                      (closed ? has_only(data, {"type", "additionalProperties"}) : has_only(data, {"type"}));
    s.is_bare = has_only(data, {"type", "default", "properties"});
    s.has_title = !text(data, "title").empty();
    s.has_description = !text(data, "description").empty();
    s.format = text(data, "format");
    s.pattern = text(data, "pattern");
    s.nullable = flag(data, "nullable");
    s.required = texts(data, "required");
    if (const Value* enums = list(data, "enum"))
      s.enums.assign(enums->as_list().begin(), enums->as_list().end());
    if (const Value* fallback = named_member(data, "default")) s.fallback = *fallback;
  }
  void bounds(const Value& data, Schema& s) {
    s.max_length = integer(data, "maxLength");
    s.min_length = integer(data, "minLength");
    s.max_items = integer(data, "maxItems");
    s.min_items = integer(data, "minItems");
    s.max_properties = integer(data, "maxProperties");
    s.min_properties = integer(data, "minProperties");
    s.maximum = number(data, "maximum");
    s.minimum = number(data, "minimum");
    s.multiple_of = number(data, "multipleOf");
    s.exclusive_maximum = flag(data, "exclusiveMaximum");
    s.exclusive_minimum = flag(data, "exclusiveMinimum");
    s.unique_items = flag(data, "uniqueItems");
  }
  void extensions(const Value& data, Schema& s) {
    s.int_or_string = flag(data, "x-kubernetes-int-or-string");
    s.embedded_resource = flag(data, "x-kubernetes-embedded-resource");
    s.list_type = text(data, "x-kubernetes-list-type");
    s.has_list_type = named_member(data, "x-kubernetes-list-type") != nullptr;
    s.list_map_keys = texts(data, "x-kubernetes-list-map-keys");
    if (named_member(data, "x-kubernetes-map-type") != nullptr)
      s.map_type = text(data, "x-kubernetes-map-type");
    const Value* preserve = of_kind(data, "x-kubernetes-preserve-unknown-fields", Kind::Bool, "a boolean");
    if (preserve == nullptr) return;
    if (preserve->as_bool())
      s.preserve_unknown_fields = true;
    else
      refuse(s, "x-kubernetes-preserve-unknown-fields",
             "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined");
  }
};

bool has_string(const Schema* s, std::string_view name) {
  const Schema* p = s->property(name);
  return p != nullptr && p->type == "string";
}

SchemaPtr string_schema(std::optional<int64_t> max_length = {}) {
  auto s = std::make_shared<Schema>();
  s->type = "string";
  s->max_length = max_length;
  return s;
}

// The length of names is limited by Kubernetes, or by a smaller bound of the schema.
SchemaPtr name_schema(const Schema* given, int64_t longest) {
  if (given != nullptr && given->max_length) longest = std::min(longest, *given->max_length);
  return string_schema(longest);
}

}  // namespace

const Schema* Schema::property(std::string_view name) const {
  const auto found = properties.find(name);
  return found == properties.end() ? nullptr : found->second.get();
}

std::optional<SchemaError> read_schema(const Value& data, SchemaPtr& out) {
  Reader reader;
  out = reader.schema(data, 0);
  return std::move(reader.error);
}

Result<RuleText> read_rule(const Value& data) {
  if (!data.is(Kind::Map)) return Error{"a validation rule must be an object"};
  RuleText rule;
  const std::pair<std::string_view, std::string*> texts[] = {{"rule", &rule.rule},
                                                             {"message", &rule.message},
                                                             {"messageExpression", &rule.message_expression},
                                                             {"fieldPath", &rule.field_path}};
  for (const auto& [name, slot] : texts) {
    const Value* v = named_member(data, name);
    if (v == nullptr) continue;
    if (!v->is(Kind::String)) return Error{std::string(name) + " of a validation rule must be a string"};
    *slot = v->as_text();
  }
  if (const Value* reason = named_member(data, "reason")) {
    if (!reason->is(Kind::String)) return Error{"reason of a validation rule must be a string"};
    rule.reason = std::string(reason->as_text());
  }
  if (const Value* optional = named_member(data, "optionalOldSelf")) {
    if (!optional->is(Kind::Bool)) return Error{"optionalOldSelf of a validation rule must be a boolean"};
    rule.optional_old_self = optional->as_bool();
  }
  return rule;
}

SchemaPtr with_object_meta(const SchemaPtr& schema) {
  const Schema* meta = schema->property("metadata");
  bool complete = has_string(schema.get(), "kind") && has_string(schema.get(), "apiVersion") &&
                  meta != nullptr && meta->type == "object" && has_string(meta, "name") &&
                  has_string(meta, "generateName");
  if (complete) return schema;
  auto made = std::make_shared<Schema>(*schema);
  made->items = nullptr;
  auto names = std::make_shared<Schema>();
  names->type = "object";
  names->properties = {
      {"name", name_schema(meta == nullptr ? nullptr : meta->property("name"), kMaxNameLength)},
      {"generateName", name_schema(meta == nullptr ? nullptr : meta->property("generateName"),
                                   kMaxNameLength - kSuffixLength)}};
  made->properties["kind"] = string_schema();
  made->properties["apiVersion"] = string_schema();
  made->properties["metadata"] = names;
  return made;
}

void for_each_schema(const SchemaPtr& schema, const std::string& path,
                     const std::function<void(const Schema&, const std::string&)>& visit) {
  if (schema == nullptr) return;
  const Schema& s = *schema;
  visit(s, path);
  for_each_schema(s.items, child(path, "items"), visit);
  const auto each = [&](const std::vector<SchemaPtr>& list, std::string_view keyword) {
    for (size_t i = 0; i < list.size(); i++) for_each_schema(list[i], index(child(path, keyword), i), visit);
  };
  each(s.all_of, "allOf");
  each(s.any_of, "anyOf");
  each(s.one_of, "oneOf");
  for_each_schema(s.negated, child(path, "not"), visit);
  for (const auto& [name, property] : s.properties)
    for_each_schema(property, fmt::format("{}.properties[{}]", path, name), visit);
  for_each_schema(s.additional, child(path, "additionalProperties"), visit);
}

}  // namespace portcullis::crd
