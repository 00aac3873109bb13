// Writes metav1.Status, which the API server returns instead of an object. Source of behaviour: apimachinery
// pkg/api/errors. Tested by tests/cli.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/admission.h"
#include "admission/objects/field_error.h"
#include "admission/objects/request.h"

namespace portcullis {

// How the API server refuses a request for another reason than policies.
struct ServerRefusal {
  std::string field;  // of the object, for its place
  int code = 0;
  std::string_view reason;
  std::string message, status;  // the message and the whole Status: JSON
};

// JSON of `status`. A status without code is an error that is no Status: only its message.
std::string status_json(const Status& status);

// The Status of a malformed request: code 400.
std::string bad_request(std::string_view message);

// The refusal of an invalid object: `Widget.example.com "a" is invalid: ...`, and its Status, code 422.
std::string invalid_message(const GroupVersionKind& kind, std::string_view name,
                            const std::vector<FieldError>& errors);
std::string invalid_status(const GroupVersionKind& kind, std::string_view name,
                           const std::vector<FieldError>& errors);

// The API server's message about an object that does not decode as its kind.
std::string cannot_be_handled(const GroupVersionKind& kind, std::string_view why);
// The same about the object of a request. Quirk of upstream: the scheme of custom resources has no Scale, so the
// message about theirs says only that.
std::string cannot_be_handled(const AdmissionRequest& request, std::string_view why);

}  // namespace portcullis
