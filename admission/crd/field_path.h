// Paths into objects in definitions (fieldPath of a rule, a selectable field): converts ".spec.a['b.c']" to
// "spec.a.b.c" and checks it against the schema. Source of behaviour: apiextensions-apiserver
// pkg/apiserver/schema/cel/validation.go (ValidFieldPath). Tested by admission/crd/field_path_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "admission/crd/schema.h"
#include "grammar/result.h"

namespace portcullis::crd {

struct FieldPath {
  std::string text;  // as field errors print it
  // Of what is there, a part of the given schema; null where anything is allowed.
  const Schema* schema = nullptr;
};
// The path, or the reason why it is invalid. `brackets`: whether ['x'] is allowed.
Result<FieldPath> valid_field_path(std::string_view json_path, const Schema& schema, bool brackets = true);

}  // namespace portcullis::crd
