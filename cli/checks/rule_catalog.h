// The resources that rules of policies can match, and suggestions for misspelt names.
//
// Idea: a rule is a product of lists, and each of its entries is looked up separately. A group is closed if
// all of its resources are known: the groups of Kubernetes, and names that no group can have. In other
// groups, only the resources of CustomResourceDefinitions among the files are known. Limits: an older release
// may have served alpha and beta versions that no table has; aggregated APIs are unknown. Tested by
// tests/cli/rules.txt.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/resources.h"

namespace portcullis {

// One resource or subresource at one version.
struct RuleTarget {
  std::string group, version, resource, subresource, kind;
  bool namespaced = true;
  uint8_t operations = 0;
  bool loose = false;  // of an older release: subresources and operations are unknown
  std::string name() const { return subresource.empty() ? resource : resource + "/" + subresource; }
  std::string api_version() const { return join_api_version(group, version); }
};

class RuleCatalog {
 public:
  explicit RuleCatalog(const Resources& resources);

  std::span<const RuleTarget> targets() const { return targets_; }

  // Whether a resource of the group is or was served.
  bool has_group(std::string_view group) const;
  bool is_closed(std::string_view group) const { return Resources::is_closed(group); }
  // Whether the release may have served resources at a version that no table has: alpha and beta versions of
  // older releases.
  bool may_have(std::string_view version) const;

  // The release that removed a resource ("*": any) at a version ("*": any) of a group; 0 if none did.
  uint32_t gone(std::string_view group, std::string_view version, std::string_view resource) const;

  // The resource that an unknown name means: its kind ("Pod", "pod"), a short name of kubectl, the same name
  // in another group, or a similar name. Those `in_rule` are searched first.
  struct Meaning {
    const RuleTarget* target = nullptr;  // null: unknown
    bool kind = false;                   // the name is the kind, in one of the groups
  };
  Meaning meaning(std::string_view name, const std::function<bool(const RuleTarget&)>& in_rule,
                  std::span<const std::string> versions) const;
  // The group that an unknown group means, if it has `resources`; null if unknown.
  const std::string* meant_group(std::string_view group, std::span<const std::string> resources) const;
  // The served resource: at one of the versions, or else at the newest that is on by default.
  const RuleTarget* served(std::string_view group, std::string_view resource,
                           std::span<const std::string> versions) const;

 private:
  std::vector<RuleTarget> targets_;
  std::vector<Resources::Former> former_;
  std::vector<std::string> groups_;  // the served ones
  bool newest_;
};

}  // namespace portcullis
