// What the API server refuses in the schema of a definition, but for what its rules cost (report.cc).
// Source of behaviour: apiextensions-apiserver pkg/apiserver/schema/{validation,complete}.go,
// pkg/apis/apiextensions/validation. Limits: keywords that no structural schema has are refused when it is
// read (schema.cc). Tested by tests/cli/crd.txt, admission/crd/object_test.cc, and against the real code by
// tests/oracle/custom_resources.py --definitions.
#pragma once

#include <string>

#include "admission/crd/schema.h"
#include "admission/objects/field_error.h"

namespace portcullis::crd {

// Errors of structure: types that are missing, value validations that say more than values, defaults that do
// not fit, or that rules refuse. With any of these, rules are not looked at. Paths start at `path`.
void check_structural(const SchemaPtr& root, const std::string& path, FieldErrors& errors);
// Everything else: list and map types, and what is wrong with rules without compiling them.
void check_extensions(const Schema& root, const std::string& path, FieldErrors& errors);

}  // namespace portcullis::crd
