// See lost_conversions.h.
#include "cli/checks/lost_conversions.h"

#include <algorithm>

#include "admission/builtin/registration.h"
#include "admission/matching/matching.h"

namespace portcullis {
namespace {

struct PolicyRules {
  std::string_view name;
  MatchRules match;
};

// Whether some name matches both patterns.
bool meet(std::string_view a, std::string_view b) { return a == b || a == "*" || b == "*"; }

bool meet(const ResourceRule& a, const ResourceRule& b) {
  using Scope = ResourceRule::Scope;
  return (a.operations & b.operations) != 0 &&
         (a.scope == b.scope || a.scope == Scope::Any || b.scope == Scope::Any);
}

// The served versions of a custom resource ("*": of any of the group) between which only a webhook converts; "*" alone if
// no definition tells.
std::vector<std::string> versions_by_webhook(const Resources& resources, std::string_view group,
                                             std::string_view resource) {
  const auto is_meant = [&](const auto& r) { return r.group == group && meet(r.resource, resource); };
  const std::vector<Served> served = resources.served();
  if (std::ranges::none_of(served, is_meant)) return {"*"};
  std::vector<std::string> out;
  for (const std::vector<EquivalentResource>& same : resources.equivalents()) {
    if (!is_meant(same[0]) || !same[0].by_webhook || same.size() < 2) continue;
    for (const EquivalentResource& r : same) {
      const auto is_same = [&](const Served& s) {
        return s.group == r.group && s.version == r.version && s.resource == r.resource;
      };
      if (std::ranges::any_of(served, is_same)) out.push_back(r.version);
    }
  }
  return out;
}

// Whether a rule of `other` matches the resource at one of `versions` that no rule of `policy` matches.
bool takes_conversion(const MatchRules& other, const MatchRules& policy, const ResourceRule& needed,
                      const ResourceRule::Resource& resource, std::string_view group,
                      const std::vector<std::string>& versions) {
  const auto matches = [&](const ResourceRule& r, std::string_view version) {
    return meet(r, needed) && r.groups.contains(group) && r.versions.contains(version) &&
           std::ranges::any_of(r.resources, [&](const ResourceRule::Resource& has) {
             return meet(has.name, resource.name) && meet(has.subresource, resource.subresource);
           });
  };
  const bool untold = std::ranges::count(versions, "*") > 0;
  return std::ranges::any_of(other.rules(), [&](const ResourceRule& wide) {
    return std::ranges::any_of(untold ? wide.versions.names() : versions, [&](std::string_view version) {
      return matches(wide, version) &&
             std::ranges::none_of(policy.rules(), [&](const ResourceRule& r) { return matches(r, version); });
    });
  });
}

}  // namespace

std::vector<LostConversion> lost_conversions(std::span<const InputObject* const> policies,
                                             const Resources& resources) {
  Arena arena;
  std::vector<PolicyRules> all;
  for (const InputObject* p : policies) {
    const Decoded decoded = decode_object(arena, p->value);
    all.push_back({p->name, MatchRules(decoded.data["spec"]["matchConstraints"], true)});
  }
  std::vector<LostConversion> out;
  const auto find_taker = [&](const PolicyRules& p, const ResourceRule& rule, const ResourceRule::Resource& r,
                              const std::string& group) {
    std::string name = r.name + (r.subresource.empty() ? "" : "/" + r.subresource) + "." + group;
    const bool known = std::ranges::any_of(
        out, [&](const LostConversion& l) { return l.policy == p.name && l.resource == name; });
    if (known || Resources::is_closed(group)) return;
    const std::vector<std::string> versions = versions_by_webhook(resources, group, r.name);
    for (const PolicyRules& other : all) {
      if (!takes_conversion(other.match, p.match, rule, r, group, versions)) continue;
      out.push_back({p.name, other.name, std::move(name)});
      return;
    }
  };
  for (const PolicyRules& p : all) {
    if (!p.match.equivalent()) continue;
    for (const ResourceRule& rule : p.match.rules()) {
      for (const std::string& group : rule.groups.names()) {
        if (group == "*") continue;
        for (const ResourceRule::Resource& r : rule.resources) find_taker(p, rule, r, group);
      }
    }
  }
  return out;
}

}  // namespace portcullis
