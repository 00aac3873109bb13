// metav1.Status, as the API server prints what it answers instead of an object.
// Tested by tests/cli.py.
#pragma once

#include <string>
#include <string_view>

#include "admission/admission.h"

namespace portcullis {

std::string status_json(const Status& status);

// The status of a request that nothing can be made of: code 400.
std::string bad_request(std::string_view message);

// What the API server says of an object that does not decode as its kind.
std::string cannot_be_handled(const GroupVersionKind& kind, std::string_view why);

}  // namespace portcullis
