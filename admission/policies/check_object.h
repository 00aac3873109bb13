// check_object: the API server's answer to a create or update of an object of admissionregistration.k8s.io.
//
// Idea: decoding and defaults (builtin/registration.h), then validation (validation.h), for one object.
// Source of behaviour: k8s.io/kubernetes pkg/registry/admissionregistration, apiserver
// pkg/endpoints/handlers. Tested by tests/oracle/mutate_policies.py, tests/cli/check.txt.
#pragma once

#include <string>
#include <vector>

#include "admission/builtin/decode.h"
#include "admission/objects/field_error.h"

namespace portcullis {

struct Document;  // admission/objects/document.h

// The API server's answer to a create or update.
struct ObjectReport {
  bool known_kind = true;          // false: none of the kinds; `decode_error` or `input_error` explains
  std::string input_error;         // if not empty, the check is impossible (another kind, a bad old object)
  std::string decode_error;        // if not empty, the object does not decode
  std::string decode_error_place;  // the field of the error, "spec.validations[0].message"; may be empty
  std::vector<builtin::UnknownField> strict_errors;  // unknown and duplicate fields
  std::vector<FieldError> errors;
  std::vector<std::string> warnings;
  std::string defaulted;  // JSON text of the object with defaults, as v1
};

// `object` (and `old_object`, null on create) as documents, which alone can show duplicate fields. Reports live on
// their own.
ObjectReport check_object(const Document& object, const Document* old_object = nullptr);

}  // namespace portcullis
