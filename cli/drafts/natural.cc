// See natural.h.
#include "cli/drafts/natural.h"

#include <optional>
#include <string_view>

#include "admission/builtin/types.h"
#include "cli/drafts/smallest.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis::drafts {
namespace {

struct Type {
  builtin::Shape shape;
  builtin::Scalar scalar;
  size_t structure;
};

constexpr std::string_view kText = R"("x")";

// The type at a path without a root.
std::optional<Type> type_at(const ObjectKind& kind, const Path& path, size_t first) {
  const builtin::StructRow* row = builtin::find_kind(kind.api_version, kind.kind);
  // The metadata of all kinds are alike.
  if (row == nullptr && path.size() > first && path[first] == "metadata")
    row = builtin::find_kind("v1", "ConfigMap");
  if (row == nullptr) return std::nullopt;
  Type at{builtin::kOne, builtin::kStruct, builtin::struct_index(*row)};
  for (size_t i = first; i < path.size(); i++) {
    if (at.shape == builtin::kMapOfLists) {
      at.shape = builtin::kList;
    } else if (at.shape != builtin::kOne) {
      if (at.shape == builtin::kList && path[i] != kElement) return std::nullopt;
      at.shape = builtin::kOne;
    } else {
      if (at.scalar != builtin::kStruct) return std::nullopt;
      const builtin::StructRow& of = builtin::struct_at(at.structure);
      const int index = builtin::field_index(of, path[i]);
      if (index < 0) return std::nullopt;
      const builtin::FieldRow& field = builtin::fields_of(of)[static_cast<size_t>(index)];
      at = {field.shape, field.scalar, field.structure};
    }
  }
  return at;
}

std::string of_scalar(builtin::Scalar scalar) {
  switch (scalar) {
    case builtin::kStruct: return "{}";
    case builtin::kBoolean: return "true";
    case builtin::kInt32:
    case builtin::kInt64:
    case builtin::kDouble:
    case builtin::kIntOrString: return "1";
    case builtin::kBase64: return R"("eA==")";
    case builtin::kQuantity: return R"("1")";
    case builtin::kTime: return R"("2026-01-01T00:00:00Z")";
    case builtin::kMicroTime: return R"("2026-01-01T00:00:00.000000Z")";
    case builtin::kText: return std::string(kText);
    case builtin::kAny:
    case builtin::kRaw:
    case builtin::kJson:
    case builtin::kSchemaOr: return R"({"x":"x"})";
  }
  return std::string(kText);
}

// Elements of lists have a name, if they can.
std::string of_item(const Type& type) {
  const int name = type.scalar == builtin::kStruct && type.shape == builtin::kList
                       ? builtin::field_index(builtin::struct_at(type.structure), "name")
                       : -1;
  if (name < 0) return of_scalar(type.scalar);
  const builtin::FieldRow& field =
      builtin::fields_of(builtin::struct_at(type.structure))[static_cast<size_t>(name)];
  const bool is_text = field.shape == builtin::kOne && field.scalar == builtin::kText;
  return is_text ? R"({"name":"x"})" : "{}";
}

std::string of_type(const Type& type) {
  const std::string item = of_item(type);
  switch (type.shape) {
    case builtin::kOne: return item;
    case builtin::kList: return "[" + item + "]";
    case builtin::kMap: return R"({"x":)" + item + "}";
    case builtin::kMapOfLists: return R"({"x":[)" + item + "]}";
  }
  return item;
}

// The schema at a path without a root.
const Value* schema_at(const ObjectKind& kind, const Path& path, size_t first) {
  const Value* at = kind.schema;
  for (size_t i = first; i < path.size() && at != nullptr; i++) {
    const Value* items = find_member(*at, "items", Kind::Map);
    if (items != nullptr) {
      at = path[i] == kElement ? items : nullptr;
      continue;
    }
    const Value* properties = find_member(*at, "properties", Kind::Map);
    const Value* property = properties == nullptr ? nullptr : find_member(*properties, path[i], Kind::Map);
    at = property != nullptr ? property : find_member(*at, "additionalProperties", Kind::Map);
  }
  return at;
}

std::string of_schema(const Value& schema) {
  if (text_member(schema, "type") == "boolean") return "true";
  if (const Value* items = find_member(schema, "items", Kind::Map)) return "[" + smallest_of(*items) + "]";
  if (const Value* more = find_member(schema, "additionalProperties", Kind::Map))
    return R"({"x":)" + smallest_of(*more) + "}";
  return smallest_of(schema);
}

// Whether the schema's type, if it has one, is that of the value.
bool is_of_type(const Value& schema, const std::string& json) {
  const std::string_view type = text_member(schema, "type");
  const bool number = json[0] == '-' || (json[0] >= '0' && json[0] <= '9');
  if (type == "string") return json[0] == '"';
  if (type == "integer" || type == "number") return number;
  if (type == "boolean") return json == "true" || json == "false";
  if (type == "array") return json[0] == '[';
  return type != "object" || json[0] == '{';
}

bool is_typed(const Path& path) { return !path.empty() && (path[0] == "object" || path[0] == "oldObject"); }

}  // namespace

std::string natural_at(const ObjectKind& kind, const Path& path) {
  if (const Value* schema = is_typed(path) ? schema_at(kind, path, 1) : nullptr) return of_schema(*schema);
  const auto type = is_typed(path) ? type_at(kind, path, 1) : std::nullopt;
  return type ? of_type(*type) : std::string(kText);
}

std::string natural_item(const ObjectKind& kind, const Path& path) {
  if (const Value* schema = is_typed(path) ? schema_at(kind, path, 1) : nullptr) {
    const Value* items = find_member(*schema, "items", Kind::Map);
    if (items == nullptr) items = find_member(*schema, "additionalProperties", Kind::Map);
    if (items != nullptr) return of_schema(*items);
  }
  const auto type = is_typed(path) ? type_at(kind, path, 1) : std::nullopt;
  return type ? of_item(*type) : std::string(kText);
}

std::string with_fields(const ObjectKind& kind, const Path& path, int64_t count) {
  const auto type = is_typed(path) && kind.schema == nullptr ? type_at(kind, path, 1) : std::nullopt;
  if (!type || type->shape != builtin::kOne || type->scalar != builtin::kStruct) return {};
  std::string out;
  for (const builtin::FieldRow& field : builtin::fields_of(builtin::struct_at(type->structure))) {
    if (count == 0) break;
    const std::string value = of_type({field.shape, field.scalar, field.structure});
    if (value == "{}") continue;  // it may be as if it were absent
    out += (out.empty() ? "" : ",") + quote_json(builtin::key_of(field).as_text()) + ":" + value;
    count--;
  }
  return count > 0 ? std::string() : "{" + out + "}";
}

bool is_unknown(const ObjectKind& kind, const Path& path) {
  return !is_typed(path) || (!type_at(kind, path, 1) && schema_at(kind, path, 1) == nullptr);
}

bool is_map(const ObjectKind& kind, const Path& path) {
  if (const Value* schema = is_typed(path) ? schema_at(kind, path, 1) : nullptr)
    return find_member(*schema, "additionalProperties", Kind::Map) != nullptr;
  const auto type = is_typed(path) ? type_at(kind, path, 1) : std::nullopt;
  return type && (type->shape == builtin::kMap || type->shape == builtin::kMapOfLists);
}

Path beside_of(const ObjectKind& kind, const Path& path) {
  if (!is_typed(path) || path.size() < 2) return {};
  Path out(path.begin(), path.end() - 1);
  const auto type = type_at(kind, out, 1);
  if (!type || type->shape != builtin::kOne || type->scalar != builtin::kStruct) return {};
  for (const builtin::FieldRow& field : builtin::fields_of(builtin::struct_at(type->structure))) {
    const std::string_view name = builtin::key_of(field).as_text();
    const bool fits = field.shape == builtin::kOne && field.scalar == builtin::kStruct &&
                      (field.flags & builtin::kPointer) != 0 && name != path.back();
    if (!fits) continue;
    out.emplace_back(name);
    return out;
  }
  return {};
}

bool may_hold(const ObjectKind& kind, const Path& path, const std::string& json) {
  if (json.empty() || json == "null") return true;
  if (const Value* schema = schema_at(kind, path, 0)) return is_of_type(*schema, json);
  const auto type = type_at(kind, path, 0);
  if (!type) return true;
  if (type->shape != builtin::kOne) return json[0] == (type->shape == builtin::kList ? '[' : '{');
  const bool number = json[0] == '-' || (json[0] >= '0' && json[0] <= '9');
  switch (type->scalar) {
    case builtin::kStruct: return json[0] == '{';
    case builtin::kBoolean: return json == "true" || json == "false";
    case builtin::kInt32:
    case builtin::kInt64:
    case builtin::kDouble: return number;
    case builtin::kText:
    case builtin::kBase64:
    case builtin::kTime:
    case builtin::kMicroTime: return json[0] == '"';
    case builtin::kQuantity:
    case builtin::kIntOrString: return number || json[0] == '"';
    default: return true;
  }
}

std::optional<std::string> fitting(const ObjectKind& kind, const Path& path, const std::string& json) {
  const Path below(path.begin() + 1, path.end());
  if (!is_typed(path) || may_hold(kind, below, json)) return json;
  const std::string_view inner =
      json.starts_with('"') ? std::string_view(json).substr(1, json.size() - 2) : "";
  const bool plain = json != "null" && json.find_first_of("\"[{") == std::string::npos;
  std::string other = plain ? "\"" + json + "\"" : std::string(inner);
  const bool number = !inner.empty() && inner.find_first_not_of("0123456789") == std::string::npos;
  if ((plain || number) && may_hold(kind, below, other)) return other;
  return std::nullopt;
}

std::string with_steps(const std::string& object, const Path& path, const ObjectKind& kind) {
  if (kind.schema == nullptr) return object;
  Edited edited(object);
  add_steps(edited, path, kind);
  return edited.json();
}

void add_steps(Edited& object, const Path& path, const ObjectKind& kind) {
  for (size_t length = 1; kind.schema != nullptr && length <= path.size(); length++) {
    const Path step(path.begin(), path.begin() + static_cast<ptrdiff_t>(length));
    const Value* schema = object.has(step) ? nullptr : schema_at(kind, step, 0);
    if (schema != nullptr) object.set(step, smallest_of(*schema));
  }
}

}  // namespace portcullis::drafts
