// The Go structs of Kubernetes' built-in kinds as one table: what a field is called, what it holds,
// when it is left out.
//
// Idea: what the API server makes of a manifest follows from Go's structs (unknown fields vanish, zero values
// stay or go), so the structs are data. The table (types.inc) is made by generate_types.py from the struct
// list of a release and go_names.tsv; embedded structs are already flattened.
// Limits: the kinds of Kubernetes 1.37.
// Tested by admission/builtin/normalize_test.cc; tests/generated.py checks that types.inc is fresh.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "interpreter/values/map.h"

namespace portcullis::builtin {

enum Shape : uint8_t { kOne, kList, kMap, kMapOfLists };

// What a field (or an item of it) holds.
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
  kMicroTime,  // with exactly six digits of fraction
  kIntOrString,
  kRaw,  // RawExtension, FieldsV1: free JSON
  kDouble,
  kJson,      // free JSON whose whole numbers are integers, however they are spelt
  kSchemaOr,  // a JSON schema (struct), or a boolean, or a list of schemas or texts
};

enum FieldFlags : uint8_t { kOmitEmpty = 1, kOmitZero = 2, kPointer = 4 };

struct FieldRow {
  uint16_t name;  // index of the JSON name
  Shape shape;
  Scalar scalar;
  uint16_t structure;  // struct of kStruct
  uint16_t go_type;    // Go's name of the field's type, "[]v1.Container"
  uint16_t go_item;    // and of what it holds, "v1.Container"
  uint16_t embedding;  // names of the embedded structs on the way ("ProbeHandler"), mostly empty
  uint8_t flags;
};

struct StructRow {
  uint16_t path;   // "api/core/v1.Container"
  uint16_t name;   // "Container"
  uint16_t first;  // of its fields
  uint16_t count;
};

// How a field is merged, where that is not the rule: lists are atomic, maps and structs are not.
enum MergeFlags : uint8_t {
  kAtomic = 1,
  kSet = 2,
  kKeyed = 4,        // a list of type map
  kAtomicItems = 8,  // whose items are atomic
};
struct MergeRow {
  uint16_t field;
  uint8_t flags;
  uint16_t keys;  // of kKeyed, "port=0,protocol=\"TCP\"": with their defaults, if they have one
};

// No struct has that many fields.
inline constexpr size_t kMaxFields = 255;

struct KindRow {
  std::string_view kind;  // "apps/v1 Deployment"
  uint16_t structure;
  bool more;  // not a kind of the batch protocol: served by another API server, or too new for it
};

// The rows themselves; index-based references between them start here.
extern const StructRow* const kStructRows;
extern const FieldRow* const kFieldRows;
// JSON names of all fields as values, in the order of kFieldRows, so that a key compare is one word first.
extern const Value* const kFieldKeys;

// The struct of a kind, or null for kinds that are not built in.
const StructRow* find_kind(std::string_view api_version, std::string_view kind);
// Is the kind one that mode `decode` of the batch protocol knows?
bool is_protocol_kind(std::string_view api_version, std::string_view kind);
// Structs that not only kinds have, by their path.
inline constexpr std::string_view kObjectMeta = "apimachinery/pkg/apis/meta/v1.ObjectMeta",
                                  kLabelSelector = "apimachinery/pkg/apis/meta/v1.LabelSelector";
// The struct of this path, "api/core/v1.PodSpec", or null.
const StructRow* find_struct(std::string_view path);
inline const StructRow& struct_at(size_t index) { return kStructRows[index]; }
inline size_t struct_index(const StructRow& row) { return static_cast<size_t>(&row - kStructRows); }
// The folder of the struct's Go package, by which the tables name groups: "core" of "api/core/v1.Pod".
std::string_view group_of(const StructRow& row);
inline std::span<const FieldRow> fields_of(const StructRow& row) {
  return {kFieldRows + row.first, row.count};
}
inline const Value& key_of(const FieldRow& field) { return kFieldKeys[&field - kFieldRows]; }
std::span<const StructRow> all_structs();
std::span<const KindRow> all_kinds();
// Sorted by field.
std::span<const MergeRow> all_merges();
// Text number `index` of the table.
std::string_view text_at(size_t index);
// Index within its struct of the field with this JSON name, or -1.
int field_index(const StructRow& row, const Value& name);
// The same, where it is probably the field number `expected`: manifests mostly name fields in the
// order of the struct.
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
