// What the API server checks of the address of a webhook: in webhook configurations and in the conversion of a custom
// resource definition. Source of behaviour: apiserver pkg/util/webhook/validation.go. Tested by
// tests/oracle/custom_resources.py --specs, and by the cases of webhook configurations in tests/cli/webhooks.txt.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "admission/objects/field_error.h"

namespace portcullis {

// Adds the errors of a URL at `path`.
void validate_webhook_url(std::string_view url, const std::string& path, FieldErrors& errors);

// Adds the errors of a list of versions of AdmissionReviews or ConversionReviews at `path`: those of its items. The
// caller adds kNoKnownVersion, with its own form of the list.
void validate_review_versions(std::span<const std::string_view> versions, const std::string& path,
                              FieldErrors& errors);
inline constexpr std::string_view kNoKnownVersion = "must include at least one of v1, v1beta1";

struct WebhookService {
  std::string_view name, name_space;
  std::optional<std::string_view> path;
  int64_t port;  // after defaulting
};
// Adds the errors of a reference to a Service at `path`.
void validate_webhook_service(const WebhookService& service, const std::string& path, FieldErrors& errors);

}  // namespace portcullis
