// See webhook_parts.h.
#include "cli/checks/webhook_parts.h"

#include <algorithm>
#include <set>

#include "admission/builtin/registration.h"
#include "admission/matching/asked_versions.h"
#include "admission/matching/matching.h"
#include "admission/objects/request.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

constexpr std::string_view kOther = "*";   // a name that no rule has
constexpr size_t kMostRequests = 100'000;  // of the rules of one policy, for each operation and scope

struct PolicyRules {
  const Value* constraints;     // spec.matchConstraints
  std::span<const Value> list;  // resourceRules of these
  MatchRules match;
};

// The names of rules, of which their requests are made.
struct Names {
  std::set<std::string_view> groups, resources, subresources = {"", kOther};

  void add(const ResourceRule& rule) {
    groups.insert(rule.groups.names().begin(), rule.groups.names().end());
    for (const ResourceRule::Resource& r : rule.resources) {
      resources.insert(r.name);
      subresources.insert(r.subresource);
    }
  }
};

bool are_too_many(const MatchRules& match) {
  Names names;
  for (const ResourceRule& r : match.rules()) names.add(r);
  return names.groups.size() * names.resources.size() > kMostRequests / names.subresources.size();
}

// Calls `f` with a request for each combination of names, operations and scopes.
template <typename F>
void each_request(const Names& names, F f) {
  AdmissionRequest request;
  for (auto op : kAllOperations) {
    request.operation = op;
    for (std::string_view name : {"", "x"}) {
      request.namespace_name = name;
      for (std::string_view group : names.groups) {
        for (std::string_view resource : names.resources) {
          for (std::string_view subresource : names.subresources) {
            request.resource = {group, {}, resource};
            request.subresource = subresource;
            f(request);
          }
        }
      }
    }
  }
}

bool is_built_in(std::string_view group) { return group != kOther && Resources::is_closed(group); }

// --- whether policies can share a webhook ---

class Sharing {
 public:
  explicit Sharing(const Resources& resources) : resources_(resources), served_(resources.served()) {}

  // Whether a rule of `other` takes a custom resource at a version that no rule of `policy` takes, so that the API server
  // does not convert it.
  bool takes_conversions(const MatchRules& other, const MatchRules& policy) {
    return policy.equivalent() && std::ranges::any_of(policy.rules(), [&](const ResourceRule& needed) {
             return std::ranges::any_of(other.rules(), [&](const ResourceRule& wide) {
               return has_more_versions(wide, needed) && share_resource(wide, needed) &&
                      share_custom_group(wide, needed) && takes_conversion(other, wide, policy, needed);
             });
           });
  }

 private:
  static bool has_more_versions(const ResourceRule& wide, const ResourceRule& needed) {
    return std::ranges::any_of(wide.versions.names(),
                               [&](const std::string& v) { return !needed.versions.contains(v); });
  }

  static bool share_resource(const ResourceRule& a, const ResourceRule& b) {
    return std::ranges::any_of(a.resources, [&](const ResourceRule::Resource& x) {
      return std::ranges::any_of(b.resources, [&](const ResourceRule::Resource& y) {
        return x.name == y.name || x.name == kOther || y.name == kOther;
      });
    });
  }

  static bool share_custom_group(const ResourceRule& a, const ResourceRule& b) {
    const auto has_of = [](const ResourceRule& of, const ResourceRule& rule) {
      return std::ranges::any_of(of.groups.names(), [&](const std::string& group) {
        return !is_built_in(group) && rule.groups.contains(group);
      });
    };
    return has_of(a, b) || has_of(b, a);
  }

  bool takes_conversion(const MatchRules& other, const ResourceRule& wide, const MatchRules& policy,
                        const ResourceRule& needed) {
    Names names;
    names.add(wide);
    names.add(needed);
    bool found = false;
    each_request(names, [&](AdmissionRequest request) {
      if (found || is_built_in(request.resource.group) || !wide.matches_at_a_version(request) ||
          !needed.matches_at_a_version(request))
        return;
      const std::vector<std::string>& versions =
          by_webhook(request.resource.group, request.resource.resource);
      const bool untold = std::ranges::count(versions, kOther) > 0 || lacks_version(request, needed);
      found = std::ranges::any_of(untold ? wide.versions.names() : versions, [&](const std::string& version) {
        request.resource.version = version;
        return takes(other, request) && !takes(policy, request);
      });
    });
    return found;
  }

  static bool takes(const MatchRules& rules, const AdmissionRequest& request) {
    return std::ranges::any_of(rules.rules(),
                               [&](const ResourceRule& r) { return r.matches(request, request.resource); });
  }

  // Whether a rule names a version that the definition of the resource does not serve: an API server may have a newer one.
  bool lacks_version(const AdmissionRequest& request, const ResourceRule& rule) const {
    std::set<std::string_view> versions = {kOther};
    for (const Served& s : served_) {
      if (s.group == request.resource.group && s.resource == request.resource.resource)
        versions.insert(s.version);
    }
    return versions.size() > 1 &&
           !std::ranges::all_of(rule.versions.names(),
                                [&](const std::string& version) { return versions.contains(version); });
  }

  // The served versions between which only a webhook converts; kOther: no definition tells which there are.
  const std::vector<std::string>& by_webhook(std::string_view group, std::string_view resource) {
    auto [at, fresh] = by_webhook_.try_emplace(std::pair(std::string(group), std::string(resource)));
    if (!fresh) return at->second;
    const auto is_meant = [&](const auto& r) {
      return !is_built_in(r.group) && (group == kOther || r.group == group) &&
             (resource == kOther || r.resource == resource);
    };
    if (std::ranges::none_of(served_, is_meant)) {
      const bool built_in = group == kOther && std::ranges::count(served_, resource, &Served::resource) > 0;
      if (!built_in) at->second.emplace_back(kOther);
      return at->second;
    }
    for (const std::vector<EquivalentResource>& same : resources_.equivalents()) {
      if (!is_meant(same[0]) || !same[0].by_webhook || same.size() < 2) continue;
      for (const EquivalentResource& r : same) {
        const auto is_same = [&](const Served& s) {
          return s.group == r.group && s.version == r.version && s.resource == r.resource;
        };
        if (std::ranges::any_of(served_, is_same)) at->second.push_back(r.version);
      }
    }
    return at->second;
  }

  const Resources& resources_;
  const std::vector<Served> served_;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> by_webhook_;
};

bool can_share(const std::vector<PolicyRules>& all, const Resources& resources) {
  std::map<std::string, const MatchRules*> different;  // by their text
  for (const PolicyRules& p : all) different.emplace(to_json(*p.constraints), &p.match);
  Sharing sharing(resources);
  return std::ranges::none_of(different, [&](const auto& policy) {
    return std::ranges::any_of(different, [&](const auto& other) {
      return sharing.takes_conversions(*other.second, *policy.second);
    });
  });
}

// --- what the webhooks ask for ---

void add_parts(const PolicyRules& policy, WebhookParts& parts) {
  const std::vector<ResourceRule>& rules = policy.match.rules();
  Names names;
  for (const ResourceRule& r : rules) names.add(r);
  if (names.groups.contains(kOther)) names.groups.insert("");  // a built-in one
  std::map<std::pair<std::string, size_t>, std::set<std::string>>
      groups;  // by versions and number of the rule
  each_request(names, [&](const AdmissionRequest& request) {
    const std::string_view group = request.resource.group;
    std::string versions(kAnyVersion);
    if (!is_built_in(group)) versions = policy.match.asked_versions(request);
    for (size_t i = 0; i < rules.size(); i++) {
      if (!rules[i].matches_at_a_version(request)) continue;
      const bool named = std::ranges::count(rules[i].groups.names(), group) > 0;
      groups[{versions, i}].emplace(named ? group : kOther);
    }
  });
  for (const auto& [key, of] : groups) {
    for (std::vector<std::string>& versions : versions_of_rules(key.first)) {
      parts[key.first].push_back({&policy.list[key.second], {of.begin(), of.end()}, std::move(versions)});
    }
  }
}

}  // namespace

Result<WebhookParts> webhook_parts(std::span<const InputObject* const> policies, const Resources& resources) {
  Arena arena;
  std::vector<PolicyRules> all;
  for (const InputObject* p : policies) {
    const Value* spec = find_member(p->value, "spec");
    const Value* match = spec == nullptr ? nullptr : find_member(*spec, "matchConstraints");
    const Value* list = match == nullptr ? nullptr : find_member(*match, "resourceRules", Kind::List);
    if (list == nullptr) continue;
    const Decoded decoded = decode_object(arena, p->value);
    all.push_back({match, list->as_list(), MatchRules(decoded.data["spec"]["matchConstraints"], true)});
    if (are_too_many(all.back().match))
      return Error{"the rules of policy " + quote_json(p->name) +
                   " name too many groups, resources and subresources: split the policy"};
  }
  WebhookParts parts;
  if (can_share(all, resources)) return parts;
  for (const PolicyRules& p : all) add_parts(p, parts);
  return parts;
}

}  // namespace portcullis
