// Names: what Kubernetes accepts as a name, label key or label value, and what it says when it does not.
//
// Idea: one scanner a form instead of a regular expression; the expression only appears in the message. Each
// function returns the messages in the order Kubernetes gives them; empty: valid, and then nothing was
// allocated. Source of behaviour: apimachinery pkg/util/validation (names), pkg/api/validate/content (keys
// and values of labels) and pkg/api/validation/generic.go.
// Limits: lengths are bytes, as there. Tested by admission/scalars/names_test.cc and, through format.*,
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
inline constexpr size_t kSubdomainMaxLength = 253;  // RFC 1123

// RFC 1123 label: names of namespaces, for example. A valid subdomain gets "must not contain dots".
Messages dns1123_label(std::string_view value);
// RFC 1123 subdomain: names of most objects.
Messages dns1123_subdomain(std::string_view value);
// RFC 1035 label: names of services.
Messages dns1035_label(std::string_view value);
// [prefix/]name: label and annotation keys, "qualified names".
Messages label_key(std::string_view value);
Messages label_value(std::string_view value);
// What may stand in a URL path as a name: not "." or "..", no '/' or '%'.
Messages path_segment(std::string_view value);

// The prefix that a generated name starts from: with more than one byte and a '-' at the end, the last *two*
// bytes are replaced by 'a' (the slip is upstream's) so that the checks above apply.
std::string mask_trailing_dash(std::string_view prefix);

// "MSG (e.g. 'A', or 'B', regex used for validation is 'RE')"; without examples, without the "e.g." part.
std::string regex_message(std::string_view message, std::string_view regex,
                          const std::vector<std::string_view>& examples = {});

}  // namespace portcullis::names
