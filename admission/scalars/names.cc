// Names: see names.h. Every form is a sequence of "inner" characters whose first and last are "outer" ones.
#include "admission/scalars/names.h"

#include <algorithm>

#include "grammar/ascii.h"

namespace portcullis::names {
namespace {

constexpr std::string_view kLabelRegex = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kSubdomainRegex =
    "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
constexpr std::string_view kDns1035Regex = "[a-z]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kKeyRegex = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr std::string_view kValueRegex = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";

constexpr std::string_view kLabelMessage =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start "
    "and end "
    "with an alphanumeric character";
constexpr std::string_view kSubdomainMessage =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
    "start "
    "and end with an alphanumeric character";
constexpr std::string_view kDns1035Message =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
    "character, "
    "and end with an alphanumeric character";
constexpr std::string_view kKeyMessage =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character";
constexpr std::string_view kValueMessage =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
    "start and "
    "end with an alphanumeric character";

bool lower_alnum(char c) { return is_lower(c) || is_digit(c); }

bool is_label(std::string_view s) {
  return !s.empty() && lower_alnum(s.front()) && lower_alnum(s.back()) &&
         std::all_of(s.begin(), s.end(), [](char c) { return lower_alnum(c) || c == '-'; });
}

bool is_subdomain(std::string_view s) {
  for (size_t dot; (dot = s.find('.')) != s.npos; s.remove_prefix(dot + 1)) {
    if (!is_label(s.substr(0, dot))) return false;
  }
  return is_label(s);
}

bool is_key_name(std::string_view s) {
  return !s.empty() && is_alphanumeric(s.front()) && is_alphanumeric(s.back()) &&
         std::all_of(s.begin(), s.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

constexpr std::string_view kBytes = " bytes", kCharacters = " characters";

// Both kinds of message count bytes. The newer ones (label keys and values) say so, the older ones (names) do
// not.
void check_length(std::string_view value, size_t limit, std::string_view unit, Messages& out) {
  if (value.size() > limit)
    out.push_back("must be no more than " + std::to_string(limit) + std::string(unit));
}

Messages subdomain(std::string_view value, std::string_view unit) {
  Messages out;
  check_length(value, kSubdomainMaxLength, unit, out);
  if (!is_subdomain(value)) out.push_back(regex_message(kSubdomainMessage, kSubdomainRegex, {"example.com"}));
  return out;
}

std::string key_message() { return regex_message(kKeyMessage, kKeyRegex, {"MyName", "my.name", "123-abc"}); }

void check_prefix(std::string_view prefix, Messages& out) {
  if (prefix.empty()) {
    out.push_back("prefix part must be non-empty");
    return;
  }
  for (const std::string& message : subdomain(prefix, kBytes)) out.push_back("prefix part " + message);
}

}  // namespace

std::string regex_message(std::string_view message, std::string_view regex,
                          const std::vector<std::string_view>& examples) {
  std::string out(message);
  out += " (";
  for (size_t i = 0; i < examples.size(); i++) {
    out += i == 0 ? "e.g. '" : " or '";
    out += examples[i];
    out += "', ";  // before " or ", this makes two spaces, as upstream
  }
  out += "regex used for validation is '";
  out += regex;
  return out += "')";
}

Messages dns1123_label(std::string_view value) {
  Messages out;
  check_length(value, kLabelMaxLength, kCharacters, out);
  if (is_label(value)) return out;
  out.push_back(is_subdomain(value) ? "must not contain dots"
                                    : regex_message(kLabelMessage, kLabelRegex, {"my-name", "123-abc"}));
  return out;
}

Messages dns1123_subdomain(std::string_view value) { return subdomain(value, kCharacters); }

Messages dns1035_label(std::string_view value) {
  Messages out;
  check_length(value, kLabelMaxLength, kCharacters, out);
  if (!is_label(value) || !is_lower(value.front())) {
    out.push_back(regex_message(kDns1035Message, kDns1035Regex, {"my-name", "abc-123"}));
  }
  return out;
}

Messages label_key(std::string_view value) {
  Messages out;
  std::string_view name = value;
  if (auto slash = value.find('/'); slash != value.npos) {
    name = value.substr(slash + 1);
    if (name.find('/') != name.npos) {
      out.push_back("a valid label key " + key_message() +
                    " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
      return out;
    }
    check_prefix(value.substr(0, slash), out);
  }
  if (name.empty()) out.push_back("name part must be non-empty");
  Messages length;
  check_length(name, kLabelMaxLength, kBytes, length);
  for (const std::string& message : length) out.push_back("name part " + message);
  if (!is_key_name(name)) out.push_back("name part " + key_message());
  return out;
}

Messages label_value(std::string_view value) {
  Messages out;
  check_length(value, kLabelMaxLength, kBytes, out);
  if (!value.empty() && !is_key_name(value)) {
    out.push_back(regex_message(kValueMessage, kValueRegex, {"MyValue", "my_value", "12345"}));
  }
  return out;
}

Messages path_segment(std::string_view value) {
  if (value == "." || value == "..") return {"may not be '" + std::string(value) + "'"};
  Messages out;
  for (char c : {'/', '%'}) {
    if (value.find(c) != value.npos) out.push_back(std::string("may not contain '") + c + "'");
  }
  return out;
}

std::string mask_trailing_dash(std::string_view prefix) {
  if (prefix.size() < 2 || prefix.back() != '-') return std::string(prefix);
  return std::string(prefix.substr(0, prefix.size() - 2)) + "a";
}

}  // namespace portcullis::names
