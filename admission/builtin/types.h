// The Go structs of Kubernetes' built-in kinds as one table: the name of each field, its type, and when it is
// omitted.
//
// Idea: the Go structs determine what the API server does with a manifest (unknown fields vanish, zero values
// stay or vanish), so the structs are data. generate_types.py makes the table (types.inc) from the structs of
// a release and go_names.tsv. Embedded structs are flattened.
// Limits: the kinds of Kubernetes 1.37. Tested by admission/builtin/normalize_test.cc; tests/generated.py
// checks that types.inc is up to date.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "interpreter/values/map.h"

namespace portcullis::builtin {

enum Shape : uint8_t { kOne, kList, kMap, kMapOfLists };

// The type of a field, or of its items.
enum Scalar : uint8_t {
  kStruct,
  kText,
  kBoolean,
  kInt32,
  kInt64,
  kBase64,  // []byte
  kAny,
  kQuantity,   // resource.Quantity
  kTime,       // RFC 3339, printed in UTC and whole seconds
  kMicroTime,  // printed with exactly six digits of fraction
  kIntOrString,
  kRaw,  // RawExtension, FieldsV1: any JSON
  kDouble,
  kJson,      // any JSON; a whole number is an integer, however it is spelt
  kSchemaOr,  // a JSON schema (struct), a boolean, a list of schemas, or a list of texts
};

enum FieldFlags : uint8_t { kOmitEmpty = 1, kOmitZero = 2, kPointer = 4 };

struct FieldRow {
  uint16_t name;  // index of the JSON name
  Shape shape;
  Scalar scalar;
  uint16_t structure;  // the struct, if kStruct
  uint16_t go_type;    // Go's name of the type, "[]v1.Container"
  uint16_t go_item;    // Go's name of the type of items, "v1.Container"
  uint16_t embedding;  // names of the embedded structs around it ("ProbeHandler"), mostly empty
  uint8_t flags;
};

struct StructRow {
  uint16_t path;   // "api/core/v1.Container"
  uint16_t name;   // "Container"
  uint16_t first;  // index of its first field
  uint16_t count;
};

// How a field merges, if not by default: lists are atomic, maps and structs are granular.
enum MergeFlags : uint8_t {
  kAtomic = 1,
  kSet = 2,
  kKeyed = 4,        // a list of type map
  kAtomicItems = 8,  // the items are atomic
};
struct MergeRow {
  uint16_t field;
  uint8_t flags;
  uint16_t keys;  // of kKeyed, with their defaults: "port=0,protocol=\"TCP\""
};

// No struct has so many fields.
inline constexpr size_t kMaxFields = 255;

struct KindRow {
  std::string_view kind;  // "apps/v1 Deployment"
  uint16_t structure;
  bool more;  // unknown to the batch protocol: of another API server, or too new
};

// The rows. Rows refer to each other by their index.
extern const StructRow* const kStructRows;
extern const FieldRow* const kFieldRows;
// JSON names of all fields as values, in the order of kFieldRows, so that a comparison of keys starts with
// one word.
extern const Value* const kFieldKeys;

// The struct of a kind; null if the kind is not built in.
const StructRow* find_kind(std::string_view api_version, std::string_view kind);
// Whether mode `decode` of the batch protocol knows the kind.
bool is_protocol_kind(std::string_view api_version, std::string_view kind);
// Paths of structs that are part of others.
inline constexpr std::string_view kObjectMeta = "apimachinery/pkg/apis/meta/v1.ObjectMeta",
                                  kLabelSelector = "apimachinery/pkg/apis/meta/v1.LabelSelector";
// The struct of this path, "api/core/v1.PodSpec"; null if there is none.
const StructRow* find_struct(std::string_view path);
inline const StructRow& struct_at(size_t index) { return kStructRows[index]; }
inline size_t struct_index(const StructRow& row) { return static_cast<size_t>(&row - kStructRows); }
// `fields`, a map, as this struct.
inline Value as_struct(const Value& fields, const StructRow& row) {
  return fields.as_go_struct(static_cast<uint16_t>(struct_index(row)));
}
// Go's name of the struct, "v1.Container".
std::string_view go_name(const StructRow& row);
// The directory of the struct's Go package, which is the group in the tables: "core" of "api/core/v1.Pod".
std::string_view group_of(const StructRow& row);
inline std::span<const FieldRow> fields_of(const StructRow& row) {
  return {kFieldRows + row.first, row.count};
}
inline const Value& key_of(const FieldRow& field) { return kFieldKeys[&field - kFieldRows]; }
std::span<const StructRow> all_structs();
std::span<const KindRow> all_kinds();
// All rows, sorted by field.
std::span<const MergeRow> all_merges();
// The text with this index in the table.
std::string_view text_at(size_t index);
// The index within its struct of the field with this JSON name; -1 if there is none.
int field_index(const StructRow& row, const Value& name);
// The same, and fast if it is the field `expected`: manifests mostly order fields as the struct does.
inline int field_index_near(const StructRow& row, const Value& name, int expected) {
  if (expected < row.count) {
    const Value& next = kFieldKeys[row.first + expected];
    if (next.raw_head() == name.raw_head() && same_rest(next, name)) return expected;
  }
  return field_index(row, name);
}
inline int field_index(const StructRow& row, std::string_view name) {
  return field_index(row, Value::string(name));
}

}  // namespace portcullis::builtin
