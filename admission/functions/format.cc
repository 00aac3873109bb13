// Library kubernetes.format: named formats of texts, and their error messages.
//
// Idea: a format is a row {name, internal name, size for costs, check}. A check of a valid text appends no
// message. Source of behaviour: apiserver pkg/cel/library/format.go, kube-openapi pkg/validation/strfmt.
#include <algorithm>

#include "admission/functions/libraries.h"
#include "admission/functions/values.h"
#include "admission/scalars/names.h"
#include "grammar/ascii.h"
#include "interpreter/functions/call.h"

namespace portcullis::kubernetes {
namespace {

using Checked = std::span<const Value>;

bool one_message(Arena& arena, bool valid, std::string_view message, Checked& out) {
  if (!valid) out = {arena.make<Value>(Value::string(message)), 1};
  return valid;
}

template <names::Messages (*check)(std::string_view)>
bool named(std::string_view text, Arena& arena, Checked& out) {
  names::Messages messages = check(text);
  Value* list = arena.array<Value>(messages.size());
  for (size_t i = 0; i < messages.size(); i++) list[i] = Value::string(arena.copy(messages[i]));
  out = {list, messages.size()};
  return messages.empty();
}

// Checks the prefix of a generated name.
template <names::Messages (*check)(std::string_view)>
bool prefix(std::string_view text, Arena& arena, Checked& out) {
  return named<check>(names::mask_trailing_dash(text), arena, out);
}

bool uri(std::string_view text, Arena& arena, Checked& out) {
  Url u;
  std::string_view error = url::parse_request_uri(arena, text, u);
  return one_message(arena, error.empty(), error, out);
}

// 8-4-4-4-12 hexadecimal digits; each dash is optional.
bool is_uuid(std::string_view s) {
  for (int group : {8, 4, 4, 4, 12}) {
    if (group != 8 && s.starts_with('-')) s.remove_prefix(1);
    for (; group > 0; group--, s.remove_prefix(1)) {
      if (s.empty() || !is_hex_digit(s[0])) return false;
    }
  }
  return s.empty();
}

// Groups of four of the standard alphabet, the last one padded. The empty text is invalid.
bool is_base64(std::string_view s) {
  if (s.empty() || s.size() % 4 != 0) return false;
  for (int pads = 0; pads < 2 && s.ends_with('='); pads++) s.remove_suffix(1);
  return std::all_of(s.begin(), s.end(), [](char c) { return is_alphanumeric(c) || c == '+' || c == '/'; });
}

// The value of the two digits at `at`; -1 if they are missing.
int two_digits(std::string_view s, size_t at) {
  if (at + 2 > s.size() || !is_digit(s[at]) || !is_digit(s[at + 1])) return -1;
  return (s[at] - '0') * 10 + (s[at + 1] - '0');
}

// YYYY-MM-DD, an existing day.
bool is_date(std::string_view s) {
  int high = two_digits(s, 0), low = two_digits(s, 2), month = two_digits(s, 5), day = two_digits(s, 8);
  if (s.size() != 10 || s[4] != '-' || s[7] != '-' || high < 0 || low < 0 || month < 1 || month > 12)
    return false;
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = low % 4 == 0 && (low != 0 || high % 4 == 0);
  return day >= 1 && day <= kDays[month - 1] + (month == 2 && leap);
}

// The separator of seconds and fraction: upstream accepts any character, not only a dot.
size_t any_character(std::string_view s) {
  if (s.empty() || s[0] == '\n') return 0;
  unsigned char c = static_cast<unsigned char>(s[0]);
  size_t width = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
  return std::min(width, s.size());
}

bool is_zone(std::string_view s) {
  if (s == "z") return true;
  return s.size() == 6 && (s[0] == '+' || s[0] == '-') && two_digits(s, 1) >= 0 && s[3] == ':' &&
         two_digits(s, 4) >= 0;
}

// hh:mm:ss, fraction, zone, in lower case.
bool is_time(std::string_view s) {
  int hours = two_digits(s, 0), minutes = two_digits(s, 3), seconds = two_digits(s, 6);
  if (hours < 0 || minutes < 0 || seconds < 0 || s[2] != ':' || s[5] != ':') return false;
  if (hours > 23 || minutes > 59 || seconds > 59) return false;
  s.remove_prefix(8);
  if (is_zone(s)) return true;
  size_t at = any_character(s), digits = 0;
  while (at > 0 && at + digits < s.size() && is_digit(s[at + digits])) digits++;
  return digits > 0 && is_zone(s.substr(at + digits));
}

// A date, 't', a time. Text after a second 't' is ignored.
bool is_datetime(std::string_view text) {
  const std::string s = lower_case(text);
  std::string_view view = s;
  size_t t = view.find('t');
  if (t == view.npos || !is_date(view.substr(0, t))) return false;
  std::string_view time = view.substr(t + 1);
  return is_time(time.substr(0, time.find('t')));
}

bool uuid(std::string_view text, Arena& arena, Checked& out) {
  return one_message(arena, is_uuid(text), "does not match the UUID format", out);
}
bool base64(std::string_view text, Arena& arena, Checked& out) {
  return one_message(arena, is_base64(text), "invalid base64", out);
}
bool date(std::string_view text, Arena& arena, Checked& out) {
  return one_message(arena, is_date(text), "invalid date", out);
}
bool datetime(std::string_view text, Arena& arena, Checked& out) {
  return one_message(arena, is_datetime(text), "invalid datetime", out);
}

constexpr Opaque kSelf = {&kFormatClass};

enum {
  kLabel,
  kSubdomain,
  kDns1035,
  kQualified,
  kLabelPrefix,
  kSubdomainPrefix,
  kDns1035Prefix,
  kLabelValue,
  kUri,
  kUuid,
  kByte,
  kDate,
  kDatetime
};

// The sizes are those of the regular expressions of upstream's checks, or estimates of them.
constexpr FormatValue kFormats[] = {
    {kSelf, "dns1123Label", "DNS1123Label", 30, named<names::dns1123_label>},
    {kSelf, "dns1123Subdomain", "DNS1123Subdomain", 60, named<names::dns1123_subdomain>},
    {kSelf, "dns1035Label", "DNS1035Label", 30, named<names::dns1035_label>},
    {kSelf, "qualifiedName", "QualifiedName", 60, named<names::label_key>},
    {kSelf, "dns1123LabelPrefix", "DNS1123LabelPrefix", 30, prefix<names::dns1123_label>},
    {kSelf, "dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, prefix<names::dns1123_subdomain>},
    {kSelf, "dns1035LabelPrefix", "DNS1035LabelPrefix", 30, prefix<names::dns1035_label>},
    {kSelf, "labelValue", "LabelValue", 40, named<names::label_value>},
    {kSelf, "uri", "URI", 1103, uri},
    {kSelf, "uuid", "uuid", 70, uuid},
    {kSelf, "byte", "byte", 84, base64},
    {kSelf, "date", "date", 71, date},
    {kSelf, "datetime", "datetime", 71, datetime},
};

const FormatValue* find_format(std::string_view name) {
  for (const FormatValue& f : kFormats) {
    if (f.name == name) return &f;
  }
  return nullptr;
}

Value equal(const Opaque& self, const Value& other, Arena& arena) {
  const auto* right = as<FormatValue>(other, kFormatClass);
  if (!right) return no_such_overload(arena);
  return Value::boolean(static_cast<const FormatValue&>(self).internal_name == right->internal_name);
}

std::string_view print(const Opaque& self, Arena&) {
  return static_cast<const FormatValue&>(self).internal_name;
}

Value validate(CallContext& context, const FormatValue& format, std::string_view text) {
  Checked messages;
  if (format.validate(text, context.arena(), messages)) return Value::optional(nullptr);
  return Value::optional(context.arena().make<Value>(Value::list(messages.data(), messages.size())));
}

template <int index>
Value constant(CallContext&, const Value*, size_t) {
  return Value::opaque(&kFormats[index]);
}

#define FORMAT(INDEX, NAME, DOC, VALID)                        \
  {.id = "format." NAME,                                       \
   .signature = "format." NAME "() -> kubernetes.NamedFormat", \
   .call = constant<INDEX>,                                    \
   .doc = DOC,                                                 \
   .examples = "format." NAME "().validate('" VALID "').hasValue()  // => false"}

constexpr Function kRows[] = {
    {.id = "format-named",
     .signature = "format.named(string) -> optional_type(kubernetes.NamedFormat)",
     .call = wrap([](CallContext& c, std::string_view name) {
       const FormatValue* f = find_format(name);
       return Value::optional(f ? c.arena().make<Value>(Value::opaque(f)) : nullptr);
     }),
     .doc = "an optional with the format of this name, if there is one",
     .examples = "format.named('uri').hasValue()  // => true"},
    {.id = "format-validate",
     .signature = "kubernetes.NamedFormat.validate(string) -> optional_type(list(string))",
     .call = wrap([](CallContext& c, const FormatValue& f, std::string_view s) { return validate(c, f, s); }),
     .doc = "an optional with the errors of the string; none if it has the format",
     .examples = "format.date().validate('2021-02-30').value()  // => ['invalid date']"},
    FORMAT(kLabel, "dns1123Label", "names like those of namespaces: up to 63 of a-z, 0-9 and '-'", "my-name"),
    FORMAT(kSubdomain, "dns1123Subdomain", "names like those of most objects: labels joined by dots",
           "apps.k8s.io"),
    FORMAT(kDns1035, "dns1035Label", "names like those of services: labels that begin with a letter",
           "web-1"),
    FORMAT(kQualified, "qualifiedName", "keys of labels and annotations: [prefix/]name", "apps.k8s.io/name"),
    FORMAT(kLabelPrefix, "dns1123LabelPrefix", "prefixes of generated labels", "my-name-"),
    FORMAT(kSubdomainPrefix, "dns1123SubdomainPrefix", "prefixes of generated subdomains", "a.my-name-"),
    FORMAT(kDns1035Prefix, "dns1035LabelPrefix", "prefixes of generated RFC 1035 labels", "web-"),
    FORMAT(kLabelValue, "labelValue", "values of labels; may be empty", "My_value.1"),
    FORMAT(kUri, "uri", "strings that isURL() accepts", "http://example.com"),
    FORMAT(kUuid, "uuid", "32 hexadecimal digits, with or without dashes",
           "123e4567-e89b-12d3-a456-426614174000"),
    FORMAT(kByte, "byte", "base64 with padding; not empty", "aGVsbG8="),
    FORMAT(kDate, "date", "dates: YYYY-MM-DD", "2021-01-01"),
    FORMAT(kDatetime, "datetime", "dates with times: RFC 3339", "2021-01-01T00:00:00Z"),
};
#undef FORMAT

}  // namespace

const OpaqueClass kFormatClass = {.type_name = "kubernetes.NamedFormat",
                                  .equal = equal,
                                  .print = print,
                                  .go_type = "cel.Format",
                                  .has_text = false};
const Library kFormat = {.name = "kubernetes.format",
                         .functions = kRows,
                         .doc = "named formats of strings, with messages for strings that do not have them"};

}  // namespace portcullis::kubernetes
