// fieldPath of a rule: ".spec.a['b.c']" -> "spec.a.b.c", checked against the schema.
// Source of behaviour: apiextensions-apiserver pkg/apiserver/schema/cel/validation.go (ValidFieldPath).
#pragma once

#include <string>
#include <string_view>

#include "admission/crd/schema.h"
#include "grammar/result.h"

namespace portcullis::crd {

// The path as field errors print it, or why it is not valid.
Result<std::string> valid_field_path(std::string_view json_path, const Schema& schema);

}  // namespace portcullis::crd
