// Formats of strings that CRD schemas may name.
// Source of behaviour: kube-openapi pkg/validation/strfmt, apiextensions-apiserver
// pkg/apiserver/validation/formats.go. Limits: `email` takes the addresses of RFC 5322 without quoted parts
// and comments. Tested by admission/crd/object_test.cc.
#pragma once

#include <string_view>

namespace portcullis::crd {

// Is this a format that the API server checks, by its name in a schema ("date-time")? Others are ignored.
bool is_known_format(std::string_view name);
// Does `text` have the format, which must be a known one?
bool has_format(std::string_view name, std::string_view text);

}  // namespace portcullis::crd
