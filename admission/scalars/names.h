// Names: checks names, label keys and label values as Kubernetes does, and words its complaints.
//
// Idea: each form has one scanner in place of a regular expression, which only the message shows. Each
// function returns its messages in the order of Kubernetes. A valid text gives no message and allocates
// nothing.
// Source of behaviour: apimachinery pkg/util/validation (names), pkg/api/validate/content (keys
// and values of labels) and pkg/api/validation/generic.go.
// Limits: lengths count bytes, as upstream. Tested by admission/scalars/names_test.cc and, through format.*,
// against the oracle.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::names {

using Messages = std::vector<std::string>;

// RFC 1123 and RFC 1035 labels, label values, the name in a key.
inline constexpr size_t kLabelMaxLength = 63;
inline constexpr size_t kSubdomainMaxLength = 253;  // RFC 1123 subdomains

// RFC 1123 label, for example the name of a namespace. A valid subdomain that is no label gets "must not
// contain dots".
Messages dns1123_label(std::string_view value);
// RFC 1123 subdomain: the name of most objects.
Messages dns1123_subdomain(std::string_view value);
// RFC 1035 label: the name of a Service.
Messages dns1035_label(std::string_view value);
// [prefix/]name: the key of a label or annotation ("qualified name").
Messages label_key(std::string_view value);
Messages label_value(std::string_view value);
// What may stand in a URL path as a name: not "." or "..", no '/' or '%'.
Messages path_segment(std::string_view value);

// The prefix of a generated name, prepared for the checks above. If it has more than one byte and ends with
// '-', upstream replaces its last *two* bytes by 'a', and so does this.
std::string mask_trailing_dash(std::string_view prefix);

// "MSG (e.g. 'A', or 'B', regex used for validation is 'RE')"; without `examples`, the part "e.g." is
// missing.
std::string regex_message(std::string_view message, std::string_view regex,
                          const std::vector<std::string_view>& examples = {});

}  // namespace portcullis::names
