// Validation of the schemas of a CustomResourceDefinition. rule_report.cc validates the costs of rules.
// Source of behaviour: apiextensions-apiserver pkg/apiserver/schema/{validation,complete}.go,
// pkg/apis/apiextensions/validation. Limits: schema.cc finds the keywords that a structural schema must not
// have. Tested by tests/cli/crd.txt, admission/crd/definition_test.cc, and against Kubernetes' code by
// tests/oracle/custom_resources.py --definitions.
#pragma once

#include <string>

#include "admission/crd/rules.h"
#include "admission/crd/schema.h"
#include "admission/objects/field_error.h"

namespace portcullis::crd {

// Structural errors: missing types, value validations with keywords of structure, invalid defaults (including
// defaults that break rules). If there are any, rules are not checked. Paths start with `path`. `memo`: of the rules
// that defaults are checked with; may be null.
void check_structural(const SchemaPtr& root, const std::string& path, FieldErrors& errors,
                      RuleMemo* memo = nullptr);
// All other errors: list and map types, and errors of rules that need no compilation.
void check_extensions(const Schema& root, const std::string& path, FieldErrors& errors);

}  // namespace portcullis::crd
