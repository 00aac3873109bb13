// Validation of a value without CEL: types, bounds, patterns, formats, enums, required fields, allOf, anyOf,
// oneOf and not.
//
// Source of behaviour: kube-openapi pkg/validation/validate, apiextensions-apiserver
// pkg/apiserver/validation. Errors of properties have the order of the schema; upstream's order is random.
// Tested by admission/crd/definition_test.cc, tests/custom_resources.cc.
#pragma once

#include "admission/crd/correlation.h"
#include "admission/crd/schema.h"
#include "admission/expressions/environment.h"
#include "admission/objects/field_error.h"

namespace portcullis::crd {

// Adds the errors of `value`, which is at `path` of its object, to `errors`. `correlation` has the value before an
// update; errors of unchanged values are not reported. Texts of errors name places below `value`. `server`: the minor
// whose formats are checked; nothing: every format of the schema counts, in every type, as upstream validates defaults.
void check_structure(const Value& value, const Schema& schema, const Correlation& correlation,
                     const std::string& path, FieldErrors& errors,
                     std::optional<uint32_t> server = KubernetesVersion::kLast);

}  // namespace portcullis::crd
