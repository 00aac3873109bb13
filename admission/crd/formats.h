// The string formats of CRD schemas. Source of behaviour: kube-openapi pkg/validation/strfmt,
// apiextensions-apiserver pkg/apiserver/validation/formats.go. Limits: `email` accepts addresses of RFC 5322
// without quoted parts and comments. Tested by admission/crd/definition_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace portcullis::crd {

// The first 1.x whose API servers check the format with this name ("date-time"), 0 if all do; nothing if they ignore
// it.
std::optional<uint32_t> format_since(std::string_view name);
// Whether an API server of 1.`server` checks it.
bool is_known_format(std::string_view name, uint32_t server);
// Whether the servers of 1.`server` check other formats than those of the release before.
bool formats_changed(uint32_t server);
// Whether `text` has the format, which must be a known one.
bool has_format(std::string_view name, std::string_view text);

}  // namespace portcullis::crd
