// The AdmissionReview that a webhook is sent.
//
// Source of behaviour: apiserver pkg/admission/plugin/webhook/request/admissionreview.go, k8s.io/api admission/v1
// and v1beta1 (their requests have the same shape). Tested by tests/oracle/random_webhooks.py.
#pragma once

#include <string>
#include <string_view>

#include "admission/engine/webhooks.h"

namespace portcullis::chain {

// The version of the reviews for a webhook: the first one in admissionReviewVersions that is known. Empty: none is.
std::string_view review_version(const LoadedWebhook& webhook);

// The review as JSON. `match`: as what the webhook was reached; `objects`: those of the request at that version.
std::string review_request(const AdmissionRequest& request, const WebhookMatch& match,
                           const WebhookObjects& objects, std::string_view version, std::string_view uid);

}  // namespace portcullis::chain
