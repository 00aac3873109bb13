// Schema: a structural OpenAPI v3 schema as data.
//
// Idea: the schema validates custom resources and gives rules their types; it is read once, when a CRD is
// loaded. Source of behaviour: apiextensions-apiserver pkg/apiserver/schema (NewStructural). Properties keep
// the order of the document. Limits: kMaxSchemaDepth. Tested by admission/crd/rules_test.cc.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grammar/result.h"
#include "interpreter/values/value.h"

namespace portcullis::crd {

inline constexpr int kMaxSchemaDepth = 500;  // real CRDs stay below 40; this only bounds the stack

// One entry of x-kubernetes-validations.
struct RuleText {
  std::string rule, message, message_expression, field_path;
  std::optional<std::string> reason;
  std::optional<bool> optional_old_self;

  bool operator==(const RuleText&) const = default;
};

struct Schema;
using SchemaPtr = std::shared_ptr<const Schema>;

struct Schema {
  std::string type, format, pattern;
  bool has_type_only = false;  // it has no other keyword that says anything, not even a description
  bool is_bare = false;        // the same but for type, default and properties
  bool has_title = false, has_description = false;
  bool nullable = false;
  bool int_or_string = false, embedded_resource = false, preserve_unknown_fields = false;
  std::string list_type;                // "", "atomic", "set", "map"
  bool has_list_type = false;           // it is given, perhaps as ""
  std::optional<std::string> map_type;  // "granular", "atomic"
  std::vector<std::string> list_map_keys;

  std::map<std::string, SchemaPtr, std::less<>> properties;
  SchemaPtr items;                         // null if absent
  SchemaPtr additional;                    // schema of additionalProperties, or null
  std::optional<bool> additional_allowed;  // additionalProperties, if it is a boolean
  std::vector<std::string> required;
  std::vector<Value> enums;       // values live in the arena that the schema was read into
  std::optional<Value> fallback;  // default
  std::optional<int64_t> max_length, min_length, max_items, min_items, max_properties, min_properties;
  std::optional<double> maximum, minimum, multiple_of;
  bool exclusive_maximum = false, exclusive_minimum = false, unique_items = false;
  std::vector<SchemaPtr> all_of, any_of, one_of;
  SchemaPtr negated;    // not
  SchemaPtr with_meta;  // of an embedded resource: with_object_meta() of it, if that differs
  std::vector<RuleText> rules;
  std::vector<std::string> refused;  // keywords that the server refuses
  bool structural = true;            // false: such a keyword, here or below, makes the schema unusable

  const Schema* property(std::string_view name) const;
};

// The error of a schema: either it cannot be read (a value of a wrong type), or it is not structural; the
// text is the API server's.
struct SchemaError {
  std::string text;
  bool unreadable = false;
};

// Reads the schema `data` (a map), which must outlive the schema.
std::optional<SchemaError> read_schema(const Value& data, SchemaPtr& out);
// Reads an entry of x-kubernetes-validations; fails if a value has a wrong type.
Result<RuleText> read_rule(const Value& data);

// `schema` with `kind`, `apiVersion`, `metadata.name` and `metadata.generateName`, which every resource has;
// the same schema if it already has them.
SchemaPtr with_object_meta(const SchemaPtr& schema);

// Calls `visit` for a schema, unless it is null, and all schemas in it, each with its path below `path` in the
// definition.
void for_each_schema(const SchemaPtr& schema, const std::string& path,
                     const std::function<void(const Schema&, const std::string&)>& visit);

}  // namespace portcullis::crd
