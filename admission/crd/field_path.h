// fieldPath of a rule: converts ".spec.a['b.c']" to "spec.a.b.c" and checks it against the schema. Source of
// behaviour: apiextensions-apiserver pkg/apiserver/schema/cel/validation.go (ValidFieldPath). Tested by
// admission/crd/field_path_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "admission/crd/schema.h"
#include "grammar/result.h"

namespace portcullis::crd {

// The path as field errors print it, or the reason why it is invalid.
Result<std::string> valid_field_path(std::string_view json_path, const Schema& schema);

}  // namespace portcullis::crd
