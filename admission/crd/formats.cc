#include "admission/crd/formats.h"

#include <algorithm>
#include <string>

#include "admission/builtin/time.h"
#include "admission/crd/typed.h"
#include "admission/scalars/names.h"
#include "admission/scalars/url.h"
#include "grammar/ascii.h"
#include "interpreter/formats/netip.h"
#include "interpreter/functions/regex.h"

namespace portcullis::crd {
namespace {

using netip::Address;
using netip::Prefix;
using Text = std::string_view;

template <const char* kPattern>
bool matches(Text s) {
  static const Regex kRegex(kPattern);
  return kRegex.search(s);
}

constexpr char kUuid[] = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$";
constexpr char kUuid3[] = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$";
constexpr char kUuid4[] = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$";
constexpr char kUuid5[] = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$";
constexpr char kHexColor[] = "^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$";
constexpr char kRgbColor[] =
    R"(^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$)";
constexpr char kSsn[] = R"(^\d{3}[- ]?\d{2}[- ]?\d{4}$)";
constexpr char kBase64[] =
    R"(^(?:[A-Za-z0-9+\/]{4})*(?:[A-Za-z0-9+\/]{2}==|[A-Za-z0-9+\/]{3}=|[A-Za-z0-9+\/]{4})$)";
constexpr char kCard[] =
    R"(^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$)";
constexpr char kHostname[] =
    R"(^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$)";
constexpr char kTime[] = "^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$";
// A name before angle brackets is made of atoms. The domain is one, or a literal address in square brackets.
#define ATOM "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\x{80}-\\x{10ffff}-]+"
constexpr char kEmail[] = "^[ \t]*((?:" ATOM "|[. \t])*<[ \t]*)?" ATOM "(\\." ATOM ")*@[ \t]*(" ATOM
                          "(\\." ATOM ")*|\\[[^\\[\\]\\\\]*\\])>?[ \t]*$";
#undef ATOM
constexpr char kObjectId[] = "^[0-9a-fA-F]{24}$";
constexpr char kMac[] =
    "^(([0-9a-fA-F]{2}:)+[0-9a-fA-F]{2}|([0-9a-fA-F]{2}-)+[0-9a-fA-F]{2}|([0-9a-fA-F]{4}\\.)+[0-9a-fA-F]{4}"
    "|[0-9a-fA-F]+)$";

constexpr size_t kMostHostname = 255, kMostLabel = 63;

bool is_hostname(Text s) {
  if (s.size() > kMostHostname || !matches<kHostname>(s)) return false;
  for (size_t start = 0; start <= s.size();) {
    size_t end = std::min(s.find('.', start), s.size());
    if (end - start > kMostLabel) return false;
    start = end + 1;
  }
  return true;
}

bool is_date(Text s) { return builtin::parse_go_time(builtin::kDateOnly, s).error.empty(); }

bool is_date_time(Text s) {
  constexpr size_t kShortest = 4, kHour = 0, kMinute = 3, kSecond = 6;
  if (s.size() < kShortest) return false;
  const std::string lower = lower_case(s);
  size_t t = lower.find('t');
  if (t == std::string::npos || !is_date(Text(lower).substr(0, t))) return false;
  std::string time = lower.substr(t + 1, lower.find('t', t + 1) - t - 1);
  return matches<kTime>(time) && time.compare(kHour, 2, "23") <= 0 && time.compare(kMinute, 2, "59") <= 0 &&
         time.compare(kSecond, 2, "59") <= 0;
}

// Go's older parsers accept decimals with leading zeros.
std::string without_leading_zeros(Text s) {
  std::string out;
  bool start = true;
  for (size_t i = 0; i < s.size(); ++i) {
    bool digit = is_digit(s[i]);
    bool more = i + 1 < s.size() && is_digit(s[i + 1]);
    if (start && s[i] == '0' && more) continue;
    out += s[i];
    start = !digit;
  }
  return out;
}

// The same of an address. What has colons is hexadecimal, but an IPv4 address may be the end of it.
std::string without_zeros_of_ipv4(Text s) {
  const size_t decimal = s.find('.') == Text::npos ? s.size() : s.rfind(':') + 1;
  return std::string(s.substr(0, decimal)) + without_leading_zeros(s.substr(decimal));
}

bool is_address(Text s, char separator) {
  Address address;
  std::string error;
  bool ok = separator == ':' ? netip::parse_address(s, address, error)
                             : netip::parse_address(without_zeros_of_ipv4(s), address, error);
  return ok && s.find(separator) != Text::npos && s.find('%') == Text::npos;
}
bool is_ipv4(Text s) { return is_address(s, '.'); }
bool is_ipv6(Text s) { return is_address(s, ':'); }
bool is_cidr(Text s) {
  Prefix prefix;
  std::string error;
  size_t slash = s.find('/');
  return slash != Text::npos && netip::parse_prefix(without_zeros_of_ipv4(s.substr(0, slash)) +
                                                        without_leading_zeros(s.substr(slash)),
                                                    prefix, error);
}

// Hardware addresses of 6, 8 or 20 bytes.
bool is_mac(Text s) {
  if (!matches<kMac>(s)) return false;
  auto digits = std::count_if(s.begin(), s.end(), [](char c) { return c != ':' && c != '-' && c != '.'; });
  return digits == 12 || digits == 16 || digits == 40;
}

std::string digits_of(Text s) {
  std::string out;
  for (char c : s) {
    if (c != '-' && c != ' ') out += c;
  }
  return out;
}

bool is_isbn10(Text s) {
  std::string d = digits_of(s);
  static const Regex kForm("^(?:[0-9]{9}X|[0-9]{10})$");
  if (!kForm.search(d)) return false;
  int sum = 0;
  for (int i = 0; i < 10; ++i)
    sum += (i + 1) * (d[static_cast<size_t>(i)] == 'X' ? 10 : d[static_cast<size_t>(i)] - '0');
  return sum % 11 == 0;
}
bool is_isbn13(Text s) {
  std::string d = digits_of(s);
  static const Regex kForm("^(?:[0-9]{13})$");
  if (!kForm.search(d)) return false;
  int sum = 0;
  for (int i = 0; i < 13; ++i) sum += (i % 2 == 0 ? 1 : 3) * (d[static_cast<size_t>(i)] - '0');
  return sum % 10 == 0;
}
bool is_isbn(Text s) { return is_isbn10(s) || is_isbn13(s); }

// Checks the form and Luhn's checksum, and ignores separators of digits.
bool is_card(Text s) {
  std::string d;
  for (char c : s) {
    if (is_digit(c)) d += c;
  }
  if (!matches<kCard>(d)) return false;
  int sum = 0;
  for (size_t i = 0; i < d.size(); ++i) {
    int n = d[d.size() - 1 - i] - '0';
    if (i % 2 == 1) n = n * 2 >= 10 ? n * 2 - 9 : n * 2;
    sum += n;
  }
  return sum % 10 == 0;
}

bool is_uri(Text s) {
  Arena arena;
  Url parsed;
  return url::parse_request_uri(arena, s, parsed).empty();
}
bool is_duration(Text s) {
  Arena arena;
  return !typed_duration(arena, s).is_error();
}
bool is_email(Text s) {
  if (!matches<kEmail>(s) || (s.find('<') == Text::npos) != (s.find('>') == Text::npos)) return false;
  const size_t open = s.find('[');
  if (open == Text::npos) return true;
  const Text literal = s.substr(open + 1, s.find(']') - open - 1);
  Address address;
  std::string error;
  return netip::parse_address(literal, address, error) && literal.find('%') == Text::npos;
}
bool is_ssn(Text s) { return s.size() == 11 && matches<kSsn>(s); }
bool is_anything(Text) { return true; }
bool is_short_name(Text s) { return names::dns1123_label(s).empty(); }
bool is_long_name(Text s) { return names::dns1123_subdomain(s).empty(); }

struct Format {
  Text name;  // without dashes
  bool (*check)(Text);
  uint32_t since = 0;  // the minor of the first server that checks it: one after the release that has it
};
constexpr Format kFormats[] = {
    {"bsonobjectid", matches<kObjectId>},
    {"uri", is_uri},
    {"email", is_email},
    {"hostname", is_hostname},
    {"ipv4", is_ipv4},
    {"ipv6", is_ipv6},
    {"cidr", is_cidr},
    {"mac", is_mac},
    {"uuid", matches<kUuid>},
    {"uuid3", matches<kUuid3>},
    {"uuid4", matches<kUuid4>},
    {"uuid5", matches<kUuid5>},
    {"isbn", is_isbn},
    {"isbn10", is_isbn10},
    {"isbn13", is_isbn13},
    {"creditcard", is_card},
    {"ssn", is_ssn},
    {"hexcolor", matches<kHexColor>},
    {"rgbcolor", matches<kRgbColor>},
    {"byte", matches<kBase64>},
    {"password", is_anything},
    {"date", is_date},
    {"duration", is_duration},
    {"datetime", is_date_time},
    {"k8sshortname", is_short_name, 35},
    {"k8slongname", is_long_name, 35},
};

const Format* find_format(Text name) {
  std::string plain;
  for (char c : name) {
    if (c != '-') plain += c;
  }
  const Format* f = std::find_if(std::begin(kFormats), std::end(kFormats),
                                 [&](const Format& x) { return x.name == plain; });
  return f == std::end(kFormats) ? nullptr : f;
}

}  // namespace

std::optional<uint32_t> format_since(Text name) {
  const Format* f = find_format(name);
  return f == nullptr ? std::nullopt : std::optional(f->since);
}
bool is_known_format(Text name, uint32_t server) {
  const Format* f = find_format(name);
  return f != nullptr && f->since <= server;
}
bool formats_changed(uint32_t server) {
  return std::ranges::any_of(kFormats, [&](const Format& f) { return f.since == server; });
}
bool has_format(Text name, Text text) { return find_format(name)->check(text); }

}  // namespace portcullis::crd
