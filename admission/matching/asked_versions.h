// The text that names the versions for which the rules of a policy ask: "any-version", or "versions/v2/v1.v3", the
// versions of each rule in the order of rules. Paths of webhooks end with it.
//
// MatchRules::asked_versions writes it. Tested by tests/server/manifests.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portcullis {

inline constexpr std::string_view kAnyVersion = "any-version", kVersions = "versions/";
inline constexpr char kBetweenRules = '/', kBetweenVersions = '.';

// Whether rules can ask for this. The versions of a rule are names of different versions, sorted. "any-version" is the
// name of none, so that nobody mixes the two forms unnoticed.
bool is_asked_versions(std::string_view text);

// The versions of each rule; one rule without versions for "any-version". `text` is what is_asked_versions() accepts.
std::vector<std::vector<std::string>> versions_of_rules(std::string_view text);

}  // namespace portcullis
