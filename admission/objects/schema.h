// Schema: the API types of admissionregistration.k8s.io, one row a field, and objects decoded by them.
//
// Idea: everything that decoding, strict decoding, defaulting and printing need to know of a field stands
// in one row (schema_rows.cc); all six kinds at all three versions are such rows. A decoded object is a
// tree of Data that follows the rows, so "absent", "null", "zero" and "empty" stay apart exactly as they
// do in Go's structs.
// Source of behaviour: sigs.k8s.io/json (errors, duplicates, nulls), k8s.io/api/admissionregistration
// (fields), k8s.io/kubernetes/pkg/apis/admissionregistration/v1*/defaults.go.
// Limits: at most kMaxStrictErrors unknown or duplicate fields are reported, as in Kubernetes.
// Its parts: schema_rows.cc, decoding.cc, schema.cc (printing, comparing). Tested by tests/oracle/.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/objects/document.h"

namespace portcullis {

inline constexpr size_t kMaxStrictErrors = 100;

enum class FieldKind : uint8_t {
  String,
  Bool,
  Int32,
  Int64,
  Bytes,
  Time,
  Raw,
  StringMap,
  Struct,
  Strings,
  Structs
};

enum FieldFlags : uint8_t { kPlainField = 0, kPointer = 1, kOmitEmpty = 2, kOmitZero = 4 };

// What a field becomes when it is absent, as JSON, by version; empty: stays absent.
struct FieldDefault {
  std::string_view v1 = {}, v1beta1 = {}, v1alpha1 = {};
};

struct StructRow;

struct FieldRow {
  std::string_view name;
  FieldKind kind = FieldKind::String;
  uint8_t flags = kOmitEmpty;
  std::string_view go_type =
      "string";                     // of the value, or of an element; `@` stands for the version's package
  const StructRow* type = nullptr;  // Struct, Structs
  std::string_view embedded = {};   // Go's path of embedded structs to the field: "RuleWithOperations.Rule"
  FieldDefault fallback = {};
};

struct StructRow {
  std::string_view go_name;
  std::span<const FieldRow> fields;
};

// A decoded value.
struct Data {
  const StructRow* type = nullptr;         // of a struct
  bool set = false;                        // a pointer, list or map that is not nil; a time that is not zero
  bool flag = false;                       // Bool
  int64_t number = 0;                      // Int32, Int64; Time: Unix seconds
  int32_t nanos = 0;                       // Time
  std::string text;                        // String; Bytes; Raw: JSON text
  std::map<std::string, std::string> map;  // StringMap, by key
  std::vector<Data> items;                 // Struct: by row; Strings, Structs: elements

  // The field of this name of a struct; an empty Data if this is a struct that is not there.
  const Data& operator[](std::string_view field) const;
  Data& at(std::string_view field);
  // Elements of a list.
  size_t size() const { return items.size(); }
  const std::string& str() const { return text; }
  // What a pointer or plain string holds.
  std::string_view field_text(std::string_view field) const { return (*this)[field].text; }
};

// A struct all of whose fields are zero.
Data zero_struct(const StructRow& type);

enum class ApiVersion : uint8_t { V1, V1beta1, V1alpha1 };

// One of the six kinds.
struct ApiKind {
  std::string_view kind;
  std::string_view resource;
  const StructRow* type;
  bool at_v1alpha1 = true;
};
extern const std::span<const ApiKind> api_kinds;
inline constexpr std::string_view kRegistrationGroup = "admissionregistration.k8s.io";

struct Decoded {
  const ApiKind* kind = nullptr;
  ApiVersion version = ApiVersion::V1;
  Data data;                               // with defaults, as v1
  std::vector<std::string> strict_errors;  // unknown and duplicate fields
  std::string error;                       // not empty: the object does not decode
  std::string error_place;                 // the field that does not, "spec.validations[0].message"
  std::string unsupported;                 // not empty: decodes, but is not of the six kinds
};

// Decodes, defaults and converts to v1.
Decoded decode_object(const Document& object);
// The same of a value of JSON kinds.
Decoded decode_object(const Value& object);

// Other types of the API that requests bring along.
extern const StructRow object_meta_row, label_selector_row, namespace_row, create_options_row,
    update_options_row, delete_options_row;

// Decodes one struct as encoding/json does. `error` is set if it does not decode; `strict` (may be null) gets
// unknown and duplicate fields.
Data decode_struct(const Document& object, const StructRow& type, std::string& error,
                   std::vector<std::string>* strict = nullptr);

// JSON as Go marshals the v1 struct, but with keys in byte order at every level.
void append_json(std::string& out, const Data& data);
// The same in the order of the struct's fields (for messages).
std::string go_json(const Data& data);
// A list of texts, likewise.
std::string strings_json(const Data& list);

// Kubernetes' Semantic.DeepEqual: nil and empty lists and maps are equal.
bool semantic_equal(const Data& a, const Data& b);
// reflect.DeepEqual.
bool deep_equal(const Data& a, const Data& b);

}  // namespace portcullis
