#include "admission/typing/builtin.h"

#include <algorithm>
#include <array>

namespace portcullis {
namespace {

using crd::Schema;
using crd::SchemaPtr;

struct ScalarRow {
  std::string_view type, format;
  bool int_or_string = false;
};

// The published schema of each builtin::Scalar.
constexpr auto kScalars = [] {
  std::array<ScalarRow, builtin::kSchemaOr + 1> rows{};
  rows[builtin::kText] = {"string", ""};
  rows[builtin::kBoolean] = {"boolean", ""};
  rows[builtin::kInt32] = {"integer", "int32"};
  rows[builtin::kInt64] = {"integer", "int64"};
  rows[builtin::kBase64] = {"string", "byte"};
  rows[builtin::kAny] = {"", ""};
  rows[builtin::kQuantity] = {"", ""};  // oneOf a string and a number
  rows[builtin::kTime] = {"string", "date-time"};
  rows[builtin::kMicroTime] = {"string", "date-time"};
  rows[builtin::kIntOrString] = {"", "int-or-string", true};
  rows[builtin::kRaw] = {"object", ""};
  rows[builtin::kDouble] = {"number", "double"};
  rows[builtin::kJson] = {"", ""};
  rows[builtin::kSchemaOr] = {"", ""};
  return rows;
}();

std::shared_ptr<Schema> typed_schema(std::string_view type) {
  auto made = std::make_shared<Schema>();
  made->type = type;
  return made;
}

SchemaPtr list_of(SchemaPtr item) {
  auto list = typed_schema("array");
  list->items = std::move(item);
  return list;
}
SchemaPtr map_of(SchemaPtr value) {
  auto map = typed_schema("object");
  map->additional = std::move(value);
  return map;
}

class StructReader {
 public:
  SchemaPtr structure(const builtin::StructRow& row) {
    if (std::find(open_.begin(), open_.end(), &row) != open_.end()) return typed_schema("object");
    open_.push_back(&row);
    auto made = typed_schema("object");
    for (const builtin::FieldRow& field : builtin::fields_of(row)) {
      made->properties.emplace(builtin::text_at(field.name), property(field));
    }
    open_.pop_back();
    return made;
  }

 private:
  SchemaPtr property(const builtin::FieldRow& field) {
    SchemaPtr one = field.scalar == builtin::kStruct ? structure(builtin::struct_at(field.structure))
                                                     : scalar(field.scalar);
    switch (field.shape) {
      case builtin::kList: return list_of(one);
      case builtin::kMap: return map_of(one);
      case builtin::kMapOfLists: return map_of(list_of(one));
      default: return one;
    }
  }
  SchemaPtr scalar(builtin::Scalar kind) {
    const ScalarRow& row = kScalars[kind];
    auto made = typed_schema(row.type);
    made->format = row.format;
    made->int_or_string = row.int_or_string;
    return made;
  }

  std::vector<const builtin::StructRow*> open_;  // the structs around the present one
};

}  // namespace

SchemaPtr builtin_schema(const builtin::StructRow& row) { return StructReader().structure(row); }

}  // namespace portcullis
