#include "admission/scalars/group_version.h"

#include <charconv>
#include <compare>
#include <optional>

namespace portcullis {
namespace {

struct VersionParts {
  int stage = 2;  // 0 for alpha, 1 for beta
  int major = 0, minor = 0;
  auto operator<=>(const VersionParts&) const = default;
};

// Removes the digits at the start of `text`; false if there are none, or too many.
bool take_number(std::string_view& text, int& out) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return false;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  text.remove_prefix(static_cast<size_t>(read.ptr - text.data()));
  return read.ec == std::errc();
}

std::optional<VersionParts> version_parts(std::string_view text) {
  VersionParts made;
  if (!text.starts_with('v')) return {};
  text.remove_prefix(1);
  if (!take_number(text, made.major)) return {};
  if (text.empty()) return made;
  const std::string_view stages[] = {"alpha", "beta"};
  made.stage = text.starts_with(stages[1]);
  const std::string_view stage = stages[made.stage];
  if (!text.starts_with(stage)) return {};
  text.remove_prefix(stage.size());
  return take_number(text, made.minor) && text.empty() ? std::optional(made) : std::nullopt;
}

}  // namespace

std::string join_api_version(std::string_view group, std::string_view version) {
  return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

std::string kind_text(std::string_view group, std::string_view version, std::string_view kind) {
  return std::string(group).append("/").append(version).append(", Kind=").append(kind);
}

std::string kind_text(std::string_view api_version, std::string_view kind) {
  const auto [group, version, well_formed] = split_api_version(api_version);
  return kind_text(group, version, kind);
}

std::string malformed_api_version(std::string_view api_version) {
  return "unexpected GroupVersion string: " + std::string(api_version);
}

bool version_before(std::string_view a, std::string_view b) {
  const auto left = version_parts(a), right = version_parts(b);
  if (left && right) return *left < *right;
  return left || right ? !left : a > b;
}

}  // namespace portcullis
