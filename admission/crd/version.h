// Versions of a definition, for the sources that implement Definition.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "admission/crd/definition.h"
#include "interpreter/values/member.h"

namespace portcullis::crd {

struct Definition::Version {
  std::string name, path, schema_error;
  bool served = false, storage = false, deprecated = false;
  std::optional<std::string> deprecation;        // the warning, if the definition has one
  bool status = false;                           // whether status is a subresource
  std::optional<Scale> scale;                    // the subresource scale
  const Value* data = nullptr;                   // the schema
  SchemaPtr schema;                              // null: none, or not structural
  SchemaPtr refused;                             // the schema, if it is not structural
  std::shared_ptr<const RuleChecker> validator;  // null: the schema has no rules
  std::shared_ptr<const MergeTypes> merging;     // of `schema`
};

// The member of an object; null if it is absent or null.
inline const Value* member_of(const Value& object, std::string_view name) {
  const Value* found = find_member(object, name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

}  // namespace portcullis::crd
