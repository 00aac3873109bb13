// What the rules of policies can match: the resources that are served, and what a misspelt name of one means.
//
// Idea: a rule is a product of lists, and each of its entries is looked up here alone. A group is closed if all
// of its resources are known: those of Kubernetes, and names that no group can have. In all other groups only
// what a CustomResourceDefinition among the files says is known.
// Limits: an older release may have served alpha and beta versions that no table has; aggregated APIs are
// unknown. Tested by tests/cli/rules.txt.
#pragma once

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
  bool loose = false;  // of an older release: its subresources and their operations are unknown
  std::string name() const { return subresource.empty() ? resource : resource + "/" + subresource; }
  std::string api_version() const { return join_api_version(group, version); }
};

class RuleCatalog {
 public:
  explicit RuleCatalog(const Resources& resources);

  std::span<const RuleTarget> targets() const { return targets_; }

  // Whether something of the group is served, or was.
  bool has_group(std::string_view group) const;
  bool is_closed(std::string_view group) const { return Resources::is_closed(group); }
  // Whether the release may have served resources at a version that no table has: alpha and beta versions of
  // older releases.
  bool may_have(std::string_view version) const;

  // The release since which a resource ("*": any) is gone at a version ("*": any) of a group; 0 if it is not.
  uint32_t gone(std::string_view group, std::string_view version, std::string_view resource) const;

  // The resource that a name means which nothing has: its kind ("Pod", "pod"), a short name of kubectl, the name
  // in another group or one that is spelt much like it. `groups`: where it is looked for first; a "*" is all.
  struct Meaning {
    const RuleTarget* target = nullptr;  // null: nobody knows
    bool kind = false;                   // it is the kind, in one of the groups
  };
  Meaning meaning(std::string_view name, std::span<const std::string> groups,
                  std::span<const std::string> versions) const;
  // The group that is meant by one that there is not, where `resources` are; null if nobody knows.
  const std::string* meant_group(std::string_view group, std::span<const std::string> resources) const;
  // What a resource is served in: at one of the versions, or else at the newest that is on by default.
  const RuleTarget* served(std::string_view group, std::string_view resource,
                           std::span<const std::string> versions) const;

 private:
  std::vector<RuleTarget> targets_;
  std::vector<Resources::Former> former_;
  std::vector<std::string> groups_;  // that are served
  bool newest_;
};

}  // namespace portcullis
