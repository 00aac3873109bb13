// Schema: a structural OpenAPI v3 schema as data.
//
// Idea: what custom resources are validated with and what rules see of them; read once when a CRD is loaded.
// Source of behaviour: apiextensions-apiserver pkg/apiserver/schema (NewStructural). Property order is the
// document's. Limits: kMaxSchemaDepth. Tested by admission/crd/rules_test.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grammar/result.h"
#include "interpreter/values/value.h"

namespace portcullis::crd {

inline constexpr int kMaxSchemaDepth = 500;  // schemas of real CRDs stay below 40; this only bounds the stack

// One entry of x-kubernetes-validations.
struct RuleText {
  std::string rule, message, message_expression, field_path;
  std::optional<std::string> reason;
  std::optional<bool> optional_old_self;
};

struct Schema;
using SchemaPtr = std::shared_ptr<const Schema>;

struct Schema {
  std::string type, format, pattern;
  bool nullable = false;
  bool int_or_string = false, embedded_resource = false, preserve_unknown_fields = false;
  std::string list_type;                // "", "atomic", "set", "map"
  std::optional<std::string> map_type;  // "granular", "atomic"
  std::vector<std::string> list_map_keys;

  std::vector<std::pair<std::string, SchemaPtr>> properties;
  SchemaPtr items;                         // null: none
  SchemaPtr additional;                    // schema of additionalProperties, or null
  std::optional<bool> additional_allowed;  // additionalProperties given as a boolean
  std::vector<std::string> required;
  std::vector<Value> enums;       // values live in the arena that the schema was read into
  std::optional<Value> fallback;  // default
  std::optional<int64_t> max_length, min_length, max_items, min_items, max_properties, min_properties;
  std::optional<double> maximum, minimum, multiple_of;
  bool exclusive_maximum = false, exclusive_minimum = false, unique_items = false;
  std::vector<SchemaPtr> all_of, any_of, one_of;
  SchemaPtr negated;    // not
  SchemaPtr with_meta;  // of an embedded resource: with_object_meta() of it, unless it is complete by itself
  std::vector<RuleText> rules;
  std::vector<std::string> refused;  // keywords that no structural schema has: such a schema is not used

  const Schema* property(std::string_view name) const;
};

// What is wrong with a schema: either it cannot be read at all (a value of a wrong type), or it is not
// structural, with the API server's text.
struct SchemaError {
  std::string text;
  bool unreadable = false;
};

// Reads the schema `data` (a map). `data` must outlive the schema.
std::optional<SchemaError> read_schema(const Value& data, SchemaPtr& out);
// Reads an entry of x-kubernetes-validations; an error text if it cannot be read.
Result<RuleText> read_rule(const Value& data);

// `schema` with `kind`, `apiVersion`, `metadata.name` and `metadata.generateName`, which the roots of
// resources always have; the same schema if it has them.
SchemaPtr with_object_meta(const SchemaPtr& schema);

}  // namespace portcullis::crd
