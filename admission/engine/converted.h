// Objects at another version than that of the request: where rules match an equivalent resource, and in webhooks.
// Source of behaviour: apiserver pkg/admission/conversion.go (ConvertToGVK). Tested by admission/engine/engine_test.cc,
// tests/admission.
#pragma once

#include "admission/matching/matching.h"
#include "admission/objects/request.h"
#include "admission/patching/patched.h"

namespace portcullis {

// `object` at the version of `kind`, as the API server converts it: objects of built-in kinds (`typed`, see
// AdmissionRequest) by their conversions, others by another apiVersion. Null stays null.
Value at_version(Arena& arena, bool typed, const Value& object, const GroupVersionKind& kind);

// Why objects of `kind` are not converted, in the arena. ByWebhook: the API server's error where the conversion webhook
// fails; here none is called.
std::string_view not_converted(const GroupVersionKind& kind, Conversion conversion, Arena& arena);

// What a policy made of an object of a built-in kind at the version of `kind`, as that of `wanted`, the kind of the request.
// Quirk of upstream: it is not converted to the version that the policy matched, and no direct conversion between two
// versions exists, so this fails where they differ (pkg/admission/plugin/policy/mutating/dispatcher.go).
patching::Patched at_version_of_request(Arena& arena, const GroupVersionKind& wanted,
                                        const GroupVersionKind& kind, const patching::Patched& patched);

// Whether the request is one of the subresource scale of a custom resource, whose converter has no Scale.
bool scales_custom_resource(const AdmissionRequest& request);

}  // namespace portcullis
