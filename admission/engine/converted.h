// Objects at another version than that of the request: where rules match an equivalent resource, and in webhooks.
// Source of behaviour: apiserver pkg/admission/conversion.go (ConvertToGVK). Tested by admission/engine/engine_test.cc,
// tests/admission.
#pragma once

#include "admission/matching/matching.h"
#include "admission/objects/request.h"

namespace portcullis {

// `object` at the version of `kind`, as the API server converts it: objects of built-in kinds (`typed`, see
// AdmissionRequest) by their conversions, others by another apiVersion. Null stays null.
Value at_version(Arena& arena, bool typed, const Value& object, const GroupVersionKind& kind);

// Why objects of `kind` are not converted, in the arena. ByWebhook: the API server's error where the conversion webhook
// fails; here none is called.
std::string_view not_converted(const GroupVersionKind& kind, Conversion conversion, Arena& arena);

}  // namespace portcullis
