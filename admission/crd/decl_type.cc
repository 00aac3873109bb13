#include "admission/crd/decl_type.h"

#include <algorithm>

#include "grammar/escape.h"

namespace portcullis::crd {
namespace {

// Bytes in JSON of the smallest values, and of times and durations.
constexpr int64_t kMinBool = 4, kMinString = 2, kMinNumber = 1, kMinContainer = 2;
constexpr int64_t kMinDuration = 3, kMaxDuration = 32, kDate = 12, kMinDateTime = 21, kMaxDateTime = 32;
constexpr int64_t kQuotes = 2, kBrackets = 2;
constexpr int64_t kMapEntryOverhead = 6;  // quotes around a key, colon, comma, and a key of two characters
constexpr int64_t kRequiredFieldOverhead = 4;  // quotes, colon, comma
constexpr int64_t kBytesPerCodePoint = 4;      // maxLength counts code points, sizes count bytes

int64_t not_negative(int64_t n) { return std::max<int64_t>(n, 0); }

int64_t string_bound(const Schema& s) {
  if (s.int_or_string) return kMaxRequestBytes - kQuotes;
  if (s.format == "duration") return kMaxDuration;
  if (s.format == "date") return kDate;
  if (s.format == "date-time") return kMaxDateTime;
  return kMaxRequestBytes - kQuotes;
}

int64_t longest_enum(const Schema& s) {
  int64_t longest = 0;
  for (const Value& v : s.enums) {
    if (v.is(Kind::String)) longest = std::max<int64_t>(longest, v.size());
  }
  return longest;
}

// Upstream's provider also knows these as types without fields; a map has any field.
const Type* scalar(std::string_view name) {
  constexpr std::string_view kKnown[] = {"bool", "bytes",     "double", "duration",  "int", "list",
                                         "map",  "null_type", "string", "timestamp", "uint"};
  return std::find(std::begin(kKnown), std::end(kKnown), name) == std::end(kKnown) ? nullptr : types::kDyn;
}

}  // namespace

DeclTypes::DeclTypes(const SchemaPtr& schema, bool resource_root, std::string_view root_name, bool keywords)
    : keywords_(keywords) {
  const DeclType* made = make(schema, resource_root);
  if (made == nullptr) return;
  root_ = root_name.empty() ? made : named(made, std::string(root_name));
  register_objects(*root_);
}

DeclTypes::DeclTypes(const DeclType& part, std::string_view root_name, bool keywords) : keywords_(keywords) {
  root_ = named(&part, std::string(root_name));
  register_objects(*root_);
}

const DeclType* DeclTypes::simple(const Type* type, int64_t min_serialized, int64_t max_elements) {
  DeclType& t = types_.emplace_back();
  t.type = type;
  t.min_serialized = min_serialized;
  t.max_elements = max_elements;
  return &t;
}

const DeclType* DeclTypes::list(const DeclType* element, int64_t max_items) {
  DeclType& t = types_.emplace_back();
  t.type = pool_.list(element->type);
  t.element = element;
  t.max_elements = max_items;
  t.min_serialized = kMinContainer;
  return &t;
}

const DeclType* DeclTypes::map(const DeclType* element, int64_t max_properties) {
  DeclType& t = types_.emplace_back();
  t.type = pool_.map(types::kString, element->type);
  t.key = simple(types::kString, kMinString);
  t.element = element;
  t.max_elements = max_properties;
  t.min_serialized = kMinContainer;
  return &t;
}

const DeclType* DeclTypes::make(const SchemaPtr& schema, bool resource_root) {
  if (schema == nullptr) return nullptr;
  if (schema->int_or_string) {
    return simple(
        types::kDyn, 1,
        schema->max_length ? not_negative(*schema->max_length) * kBytesPerCodePoint : string_bound(*schema));
  }
  SchemaPtr seen = resource_root ? with_object_meta(schema) : schema;
  const Schema& s = *seen;
  if (s.type == "array") {
    const DeclType* element = s.items == nullptr ? nullptr : make(s.items, s.items->embedded_resource);
    if (element == nullptr) return nullptr;
    return list(element, s.max_items ? not_negative(*s.max_items)
                                     : (kMaxRequestBytes - kBrackets) / (element->min_serialized + 1));
  }
  if (s.type == "object") {
    if (s.additional == nullptr) return make_object(s);
    const DeclType* element = make(s.additional, s.additional->embedded_resource);
    if (element == nullptr) return nullptr;
    return map(element, s.max_properties
                            ? not_negative(*s.max_properties)
                            : (kMaxRequestBytes - kBrackets) / (element->min_serialized + kMapEntryOverhead));
  }
  if (s.type == "string") return make_string(s);
  if (s.type == "boolean") return simple(types::kBool, kMinBool);
  if (s.type == "number") return simple(types::kDouble, kMinNumber);
  if (s.type == "integer") return simple(types::kInt, kMinNumber);
  return nullptr;
}

const DeclType* DeclTypes::make_string(const Schema& s) {
  if (s.format == "byte")
    return simple(types::kBytes, kMinString, s.max_length ? not_negative(*s.max_length) : string_bound(s));
  if (s.format == "duration") return simple(types::kDuration, kMinDuration, string_bound(s));
  if (s.format == "date") return simple(types::kTimestamp, kDate, string_bound(s));
  if (s.format == "date-time") return simple(types::kTimestamp, kMinDateTime, string_bound(s));
  int64_t bound = s.max_length       ? not_negative(*s.max_length) * kBytesPerCodePoint
                  : !s.enums.empty() ? longest_enum(s)
                                     : string_bound(s);
  return simple(types::kString, kMinString, bound);
}

const DeclType* DeclTypes::make_object(const Schema& s) {
  std::map<std::string, const DeclType*, std::less<>> fields;
  int64_t min_serialized = kMinContainer;
  for (const auto& [name, property] : s.properties) {
    const DeclType* type = make(property, property->embedded_resource);
    if (type == nullptr) continue;
    if (std::optional<std::string> escaped = escape_property(name)) fields[*escaped] = type;
    bool required = std::find(s.required.begin(), s.required.end(), name) != s.required.end();
    if (required && !property->fallback) {
      min_serialized += static_cast<int64_t>(name.size()) + type->min_serialized + kRequiredFieldOverhead;
    }
  }
  DeclType& t = types_.emplace_back();
  t.object = true;
  t.name = "object";
  t.type = pool_.structure("object");
  t.min_serialized = min_serialized;
  t.fields = std::move(fields);
  return &t;
}

// A copy of the tree in which each object is named by its path; a part without objects is shared.
const DeclType* DeclTypes::named(const DeclType* t, const std::string& name) {
  if (t->object) {
    std::string own = t->name == "object" ? name : t->name;
    DeclType copy = *t;
    copy.name = own;
    copy.type = pool_.structure(own);
    for (auto& [field, type] : copy.fields) type = named(type, own + "." + field);
    return &types_.emplace_back(std::move(copy));
  }
  if (t->element == nullptr) return t;
  const DeclType* element = named(t->element, name + (t->key != nullptr ? ".@elem" : ".@idx"));
  if (element == t->element) return t;
  return t->key != nullptr ? map(element, t->max_elements) : list(element, t->max_elements);
}

void DeclTypes::register_objects(const DeclType& t) {
  if (t.object) objects_.emplace(t.name, &t);
  for (const auto& [field, type] : t.fields) register_objects(*type);
  if (t.element != nullptr) register_objects(*t.element);
}

const DeclType* DeclTypes::find_object(std::string_view name) const {
  auto found = objects_.find(std::string(name));
  return found == objects_.end() ? nullptr : found->second;
}

const Type* DeclTypes::find_struct(std::string_view name) const {
  const DeclType* object = find_object(name);
  return object == nullptr ? scalar(name) : object->type;
}

const Type* DeclTypes::find_field(std::string_view struct_name, std::string_view field) const {
  auto found = objects_.find(std::string(struct_name));
  if (found == objects_.end()) return struct_name == "map" ? types::kDyn : nullptr;
  const auto& fields = found->second->fields;
  auto at = fields.find(field);
  if (at == fields.end() && keywords_ && is_reserved_word(field))
    at = fields.find("__" + std::string(field) + "__");
  return at == fields.end() ? nullptr : at->second->type;
}

std::optional<SizeEstimate> DeclSizes::estimate_size(const SizeNode& node) const {
  if (node.path.empty()) return std::nullopt;
  const DeclType* at = &root_;
  for (std::string_view step : node.path.subspan(1)) {  // the first step is `self` or `oldSelf`
    if (step == "@items" || step == "@values") {
      at = at->element;
    } else if (step == "@keys") {
      at = at->key;
    } else {
      auto field = at->fields.find(step);
      at = field == at->fields.end() ? nullptr : field->second;
    }
    if (at == nullptr) return std::nullopt;
  }
  return SizeEstimate{0, static_cast<uint64_t>(at->max_elements)};
}

uint64_t max_cardinality(const DeclType& type) {
  return static_cast<uint64_t>(kMaxRequestBytes / (type.min_serialized + 1));
}

}  // namespace portcullis::crd
