// metav1.Status, as the API server prints what it answers instead of an object.
// Tested by tests/cli.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/admission.h"
#include "admission/objects/field_error.h"

namespace portcullis {

// Without a code it is an error that is no Status: only the message.
std::string status_json(const Status& status);

// The status of a request that nothing can be made of: code 400.
std::string bad_request(std::string_view message);

// The refusal of an object by rules of its kind: `Widget.example.com "a" is invalid: ...`, and its Status, code 422.
std::string invalid_message(const GroupVersionKind& kind, std::string_view name,
                            const std::vector<FieldError>& errors);
std::string invalid_status(const GroupVersionKind& kind, std::string_view name,
                           const std::vector<FieldError>& errors);

// What the API server says of an object that does not decode as its kind.
std::string cannot_be_handled(const GroupVersionKind& kind, std::string_view why);

}  // namespace portcullis
