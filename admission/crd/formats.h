// The string formats of CRD schemas. Source of behaviour: kube-openapi pkg/validation/strfmt,
// apiextensions-apiserver pkg/apiserver/validation/formats.go. Limits: `email` accepts addresses of RFC 5322
// without quoted parts and comments. Tested by admission/crd/definition_test.cc.
#pragma once

#include <string_view>

namespace portcullis::crd {

// Whether the API server checks the format with this name ("date-time"); it ignores others.
bool is_known_format(std::string_view name);
// Whether `text` has the format, which must be a known one.
bool has_format(std::string_view name, std::string_view text);

}  // namespace portcullis::crd
