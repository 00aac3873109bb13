#include "admission/builtin/image.h"

#include "grammar/ascii.h"

namespace portcullis::builtin {
namespace {

constexpr size_t kMaxNameLength = 255;  // of the path without domain and tag, as in the reference grammar
constexpr size_t kMaxTagLength = 128;
constexpr size_t kMinDigestLength = 32;
constexpr size_t kIdentifierLength = 64;  // 64 hexadecimal digits are an image id, not a name

bool name_char(char c) { return is_lower(c) || is_digit(c); }
template <class Test>
bool all_characters(std::string_view s, Test test) {
  for (char c : s) {
    if (!test(c)) return false;
  }
  return true;
}
constexpr auto kIsDigit = [](char c) { return is_digit(c); };

// Components separated by '/': lower-case letters and digits, separated by one '.', one or two '_', or any
// number of '-'.
bool is_path(std::string_view s) {
  for (size_t i = 0;;) {
    if (i == s.size() || !name_char(s[i])) return false;
    while (i < s.size() && name_char(s[i])) ++i;
    if (i == s.size()) return true;
    if (s[i] == '/') {
      ++i;
      continue;
    }
    size_t from = i;
    while (i < s.size() && !name_char(s[i]) && s[i] != '/') ++i;
    std::string_view separator = s.substr(from, i - from);
    bool dashes = all_characters(separator, [](char c) { return c == '-'; });
    if (separator != "." && separator != "_" && separator != "__" && !dashes) return false;
  }
}

// Letters, digits and '-', separated by '.'; each part begins and ends with a letter or digit.
bool is_host(std::string_view s) {
  char before = '.';
  for (char c : s) {
    bool fits = is_alphanumeric(c) || (c == '-' && before != '.') || (c == '.' && is_alphanumeric(before));
    if (!fits) return false;
    before = c;
  }
  return is_alphanumeric(before);
}

bool is_domain(std::string_view s) {
  std::string_view host = s;
  bool v6 = !s.empty() && s[0] == '[';
  size_t colon = v6 ? s.find("]:") : s.rfind(':');
  if (v6 && colon != std::string_view::npos) ++colon;
  if (colon != std::string_view::npos) {
    std::string_view port = s.substr(colon + 1);
    if (port.empty() || !all_characters(port, kIsDigit)) return false;
    host = s.substr(0, colon);
  }
  if (v6) {
    return host.size() > 2 && host.back() == ']' &&
           all_characters(host.substr(1, host.size() - 2),
                          [](char c) { return is_hex_digit(c) || c == ':'; });
  }
  return is_host(host);
}

bool is_tag(std::string_view s) {
  auto word = [](char c) { return is_alphanumeric(c) || c == '_'; };
  return !s.empty() && s.size() <= kMaxTagLength && word(s[0]) &&
         all_characters(s, [&](char c) { return word(c) || c == '.' || c == '-'; });
}

// algorithm:hex. A known algorithm has a fixed number of lower-case digits; any other algorithm is refused.
bool is_digest(std::string_view s) {
  size_t colon = s.find(':');
  if (colon == std::string_view::npos || s.size() - colon - 1 < kMinDigestLength) return false;
  std::string_view algorithm = s.substr(0, colon), digits = s.substr(colon + 1);
  size_t want = algorithm == "sha256" ? 64 : algorithm == "sha384" ? 96 : algorithm == "sha512" ? 128 : 0;
  return digits.size() == want &&
         all_characters(digits, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

// Whether the first part of a name is a registry.
bool names_registry(std::string_view part) {
  return part == "localhost" ||
         !all_characters(part, [](char c) { return c != '.' && c != ':' && !is_upper(c); });
}

}  // namespace

std::string_view image_tag(std::string_view image) {
  if (image.size() == kIdentifierLength &&
      all_characters(image, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }))
    return {};
  std::string_view domain, rest = image;
  size_t slash = image.find('/');
  if (slash != std::string_view::npos && names_registry(image.substr(0, slash))) {
    domain = image.substr(0, slash);
    rest = image.substr(slash + 1);
    if (!is_domain(domain)) return {};
  }
  std::string_view digest;
  if (size_t at = rest.find('@'); at != std::string_view::npos) {
    digest = rest.substr(at + 1);
    rest = rest.substr(0, at);
    if (!is_digest(digest)) return {};
  }
  std::string_view tag;
  if (size_t colon = rest.find(':'); colon != std::string_view::npos) {
    tag = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
    if (!is_tag(tag)) return {};
  }
  constexpr size_t kOfficialPrefix = 8;  // "library/" is prefixed to a name without a slash
  size_t length =
      rest.size() + (domain.empty() && rest.find('/') == std::string_view::npos ? kOfficialPrefix : 0);
  if (length > kMaxNameLength || !is_path(rest)) return {};
  return tag.empty() && digest.empty() ? std::string_view("latest") : tag;
}

}  // namespace portcullis::builtin
