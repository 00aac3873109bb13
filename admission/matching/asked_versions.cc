#include "admission/matching/asked_versions.h"

#include "admission/scalars/names.h"

namespace portcullis {
namespace {

// Calls `take` with each version, and whether it is the first one of its rule, until that returns false.
template <typename Take>
bool each_version(std::string_view versions, Take take) {
  for (bool first = true, more = true; more;) {
    const size_t end = versions.find_first_of("./");
    if (!take(versions.substr(0, end), first)) return false;
    more = end != versions.npos;
    first = more && versions[end] == kBetweenRules;
    if (more) versions.remove_prefix(end + 1);
  }
  return true;
}

}  // namespace

bool is_asked_versions(std::string_view text) {
  if (text == kAnyVersion) return true;
  if (!text.starts_with(kVersions)) return false;
  std::string_view last;
  return each_version(text.substr(kVersions.size()), [&](std::string_view version, bool first) {
    const bool sorted = first || version > last;
    last = version;
    return sorted && version != kAnyVersion && names::dns1123_label(version).empty();
  });
}

std::vector<std::vector<std::string>> versions_of_rules(std::string_view text) {
  if (text == kAnyVersion) return {{}};
  std::vector<std::vector<std::string>> out;
  each_version(text.substr(kVersions.size()), [&](std::string_view version, bool first) {
    if (first) out.emplace_back();
    out.back().emplace_back(version);
    return true;
  });
  return out;
}

}  // namespace portcullis
