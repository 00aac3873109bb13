// check_object: what the API server says to someone who creates or updates an object of
// admissionregistration.k8s.io.
//
// Idea: decoding (schema.h), defaults and validation (validation.h) put together, for one object. Source of
// behaviour: k8s.io/kubernetes pkg/registry/admissionregistration, apiserver pkg/endpoints/handlers.
// Tested by tests/oracle/mutate_policies.py, tests/cli/check.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/builtin/decode.h"
#include "admission/objects/field_error.h"

namespace portcullis {

struct Document;  // admission/objects/document.h

// What the API server says to someone who creates or updates an object of admissionregistration.k8s.io.
struct ObjectReport {
  bool known_kind = true;          // false: not one of the kinds; `decode_error` or `input_error` says why
  std::string input_error;         // not empty: nothing can be said at all (another kind, a bad old object)
  std::string decode_error;        // not empty: the object does not decode
  std::string decode_error_place;  // the field that does not, "spec.validations[0].message"; may be empty
  std::vector<builtin::UnknownField> strict_errors;  // unknown and duplicate fields
  std::vector<FieldError> errors;
  std::vector<std::string> warnings;
  std::string defaulted;  // JSON text, as v1
};

// `object` (and `old_object`, null on create) as documents, which alone can show duplicate fields. Reports live on their
// own.
ObjectReport check_object(const Document& object, const Document* old_object = nullptr);

}  // namespace portcullis
