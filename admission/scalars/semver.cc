// Semver: see semver.h. The order of the checks is upstream's, because the first failure is the message.
#include "admission/scalars/semver.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "grammar/ascii.h"
#include "grammar/quote.h"
#include "interpreter/values/builder.h"

namespace portcullis::semver {
namespace {

bool identifier_char(char c) { return is_alphanumeric(c) || c == '-'; }
bool only_digits(std::string_view s) { return std::all_of(s.begin(), s.end(), is_digit); }
bool only_identifier(std::string_view s) { return std::all_of(s.begin(), s.end(), identifier_char); }
bool leading_zero(std::string_view s) { return s.size() > 1 && s[0] == '0'; }

std::string_view quoted(Arena& arena, std::string_view message, std::string_view text,
                        std::string_view after = {}) {
  return joined(arena, {message, quote(text), after});
}

// strconv.ParseUint of digits.
std::string_view parse_number(Arena& arena, std::string_view s, uint64_t& out) {
  if (s.empty()) return quoted(arena, "strconv.ParseUint: parsing ", s, ": invalid syntax");
  if (std::from_chars(s.data(), s.data() + s.size(), out).ec == std::errc()) return {};
  return quoted(arena, "strconv.ParseUint: parsing ", s, ": value out of range");
}

struct Part {
  std::string_view bad_characters, bad_zero;  // messages
};
constexpr Part kMajor = {"Invalid character(s) found in major number ",
                         "Major number must not contain leading zeroes "};
constexpr Part kMinor = {"Invalid character(s) found in minor number ",
                         "Minor number must not contain leading zeroes "};
constexpr Part kPatch = {"Invalid character(s) found in patch number ",
                         "Patch number must not contain leading zeroes "};

std::string_view parse_part(Arena& arena, const Part& part, std::string_view s, uint64_t& out) {
  if (!only_digits(s)) return quoted(arena, part.bad_characters, s);
  if (leading_zero(s)) return quoted(arena, part.bad_zero, s);
  return parse_number(arena, s, out);
}

std::string_view parse_identifier(Arena& arena, std::string_view s, Semver::Identifier& out) {
  out = {s};
  if (s.empty()) return "Prerelease is empty";
  if (!only_digits(s)) {
    return only_identifier(s) ? std::string_view{}
                              : quoted(arena, "Invalid character(s) found in prerelease ", s);
  }
  if (leading_zero(s)) return quoted(arena, "Numeric PreRelease version must not contain leading zeroes ", s);
  out.numeric = true;
  return parse_number(arena, s, out.number);
}

// Takes the text before the next '.' from `s`; false if nothing is left.
bool next(std::string_view& s, bool& more, std::string_view& out) {
  if (!more) return false;
  size_t dot = s.find('.');
  more = dot != s.npos;
  out = s.substr(0, dot);
  s = more ? s.substr(dot + 1) : std::string_view{};
  return true;
}

std::string_view parse_prerelease(Arena& arena, std::string_view s, Semver& out) {
  auto* list = arena.array<Semver::Identifier>(static_cast<size_t>(std::count(s.begin(), s.end(), '.')) + 1);
  size_t n = 0;
  bool more = true;
  for (std::string_view part; next(s, more, part);) {
    if (auto error = parse_identifier(arena, part, list[n++]); !error.empty()) return error;
  }
  out.prerelease = {list, n};
  return {};
}

std::string_view check_build(Arena& arena, std::string_view s) {
  bool more = true;
  for (std::string_view part; next(s, more, part);) {
    if (part.empty()) return "Build meta data is empty";
    if (!only_identifier(part)) return quoted(arena, "Invalid character(s) found in build meta data ", part);
  }
  return {};
}

int compare_numbers(uint64_t a, uint64_t b) { return a == b ? 0 : a < b ? -1 : 1; }

int compare_identifiers(const Semver::Identifier& a, const Semver::Identifier& b) {
  if (a.numeric != b.numeric) return a.numeric ? -1 : 1;
  if (a.numeric) return compare_numbers(a.number, b.number);
  int c = a.text.compare(b.text);
  return c == 0 ? 0 : c < 0 ? -1 : 1;
}

// Splits at the first two dots; returns the number of parts.
size_t split3(std::string_view s, std::string_view (&parts)[3]) {
  size_t n = 0;
  for (; n < 2; n++) {
    size_t dot = s.find('.');
    if (dot == s.npos) break;
    parts[n] = s.substr(0, dot);
    s.remove_prefix(dot + 1);
  }
  parts[n] = s;
  return n + 1;
}

}  // namespace

std::string_view parse(Arena& arena, std::string_view text, Semver& out) {
  out = Semver{};
  if (text.empty()) return "Version string empty";
  std::string_view parts[3];
  if (split3(text, parts) != 3) return "No Major.Minor.Patch elements found";
  if (auto error = parse_part(arena, kMajor, parts[0], out.major); !error.empty()) return error;
  if (auto error = parse_part(arena, kMinor, parts[1], out.minor); !error.empty()) return error;
  std::string_view patch = parts[2], build, prerelease;
  size_t plus = patch.find('+');
  if (plus != patch.npos) {
    build = patch.substr(plus + 1);
    patch = patch.substr(0, plus);
  }
  size_t dash = patch.find('-');
  if (dash != patch.npos) {
    prerelease = patch.substr(dash + 1);
    patch = patch.substr(0, dash);
  }
  if (auto error = parse_part(arena, kPatch, patch, out.patch); !error.empty()) return error;
  if (dash != patch.npos) {
    if (auto error = parse_prerelease(arena, prerelease, out); !error.empty()) return error;
  }
  out.build = build;
  return plus == patch.npos ? std::string_view{} : check_build(arena, build);
}

std::string_view parse_normalized(Arena& arena, std::string_view text, Semver& out) {
  out = Semver{};
  if (text.starts_with('v')) text.remove_prefix(1);
  std::string_view parts[3] = {};
  size_t n = split3(text, parts);
  if (n < 3 && parts[n - 1].find_first_of("+-") != text.npos) {
    return "short version cannot contain PreRelease/Build meta data";
  }
  TextBuilder joined(arena);
  for (size_t i = 0; i < 3; i++) {
    std::string_view part = i < n ? parts[i] : "0";
    if (i > 0) joined.append('.');
    if (part.size() > 1) {
      part.remove_prefix(std::min(part.find_first_not_of('0'), part.size()));
      if (part.empty() || !is_digit(part[0])) joined.append('0');  // also before a letter: "x1" becomes "0x1"
    }
    joined.append(part);
  }
  return parse(arena, joined.view(), out);
}

int compare(const Semver& a, const Semver& b) {
  if (int c = compare_numbers(a.major, b.major)) return c;
  if (int c = compare_numbers(a.minor, b.minor)) return c;
  if (int c = compare_numbers(a.patch, b.patch)) return c;
  if (a.prerelease.empty() || b.prerelease.empty())
    return int{a.prerelease.empty()} - int{b.prerelease.empty()};
  size_t n = std::min(a.prerelease.size(), b.prerelease.size());
  for (size_t i = 0; i < n; i++) {
    if (int c = compare_identifiers(a.prerelease[i], b.prerelease[i])) return c;
  }
  return compare_numbers(a.prerelease.size(), b.prerelease.size());
}

std::string_view print(Arena& arena, const Semver& v) {
  TextBuilder out(arena);
  for (uint64_t n : {v.major, v.minor, v.patch}) {
    if (out.size() > 0) out.append('.');
    out.append(std::to_string(n));
  }
  char mark = '-';
  for (const Semver::Identifier& id : v.prerelease) {
    out.append(mark);
    out.append(id.text);
    mark = '.';
  }
  if (!v.build.empty()) {
    out.append('+');
    out.append(v.build);
  }
  return out.view();
}

}  // namespace portcullis::semver
