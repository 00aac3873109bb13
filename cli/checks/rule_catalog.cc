// See rule_catalog.h.
#include "cli/checks/rule_catalog.h"

#include <algorithm>
#include <functional>

#include "admission/scalars/spelling.h"
#include "grammar/ascii.h"

namespace portcullis {
namespace {

// As `kubectl api-resources` lists them.
struct ShortName {
  std::string_view name, resource;
};
constexpr ShortName kShortNames[] = {{"cm", "configmaps"},
                                     {"cj", "cronjobs"},
                                     {"crd", "customresourcedefinitions"},
                                     {"crds", "customresourcedefinitions"},
                                     {"csr", "certificatesigningrequests"},
                                     {"deploy", "deployments"},
                                     {"ds", "daemonsets"},
                                     {"ep", "endpoints"},
                                     {"ev", "events"},
                                     {"hpa", "horizontalpodautoscalers"},
                                     {"ing", "ingresses"},
                                     {"limits", "limitranges"},
                                     {"netpol", "networkpolicies"},
                                     {"no", "nodes"},
                                     {"ns", "namespaces"},
                                     {"pc", "priorityclasses"},
                                     {"pdb", "poddisruptionbudgets"},
                                     {"po", "pods"},
                                     {"pv", "persistentvolumes"},
                                     {"pvc", "persistentvolumeclaims"},
                                     {"quota", "resourcequotas"},
                                     {"rc", "replicationcontrollers"},
                                     {"rs", "replicasets"},
                                     {"sa", "serviceaccounts"},
                                     {"sc", "storageclasses"},
                                     {"sts", "statefulsets"},
                                     {"svc", "services"},
                                     {"vap", "validatingadmissionpolicies"}};

bool among(std::span<const std::string> list, std::string_view word) {
  return std::ranges::any_of(list, [&](const std::string& s) { return s == word || s == "*"; });
}

// "v1", "v1beta2": whether the text may be a version.
bool is_version(std::string_view text) { return text.size() > 1 && text[0] == 'v' && is_digit(text[1]); }

}  // namespace

RuleCatalog::RuleCatalog(const Resources& resources)
    : former_(Resources::former(resources.minor())), newest_(resources.minor() == UINT32_MAX) {
  auto former = [&](const Served& s) {
    return s.built_in && std::ranges::any_of(former_, [&](const Resources::Former& f) {
             return f.group == s.group && f.version == s.version && f.kind == s.kind;
           });
  };
  for (const Served& s : resources.served()) {
    targets_.push_back({std::string(s.group), std::string(s.version), std::string(s.resource),
                        std::string(s.subresource), std::string(s.kind), s.namespaced, s.operations,
                        former(s)});
  }
  for (const Resources::Former& f : former_) {
    if (!f.served) continue;
    bool there = std::ranges::any_of(targets_, [&](const RuleTarget& t) {
      return t.group == f.group && t.version == f.version && t.kind == f.kind;
    });
    if (there) continue;
    targets_.push_back({std::string(f.group),
                        std::string(f.version),
                        f.plural,
                        {},
                        std::string(f.kind),
                        f.namespaced,
                        kWritten,
                        true});
  }
  for (const RuleTarget& t : targets_) {
    if (std::ranges::find(groups_, t.group) == groups_.end()) groups_.push_back(t.group);
  }
}

bool RuleCatalog::has_group(std::string_view group) const {
  return std::ranges::find(groups_, group) != groups_.end() ||
         std::ranges::any_of(former_, [&](const Resources::Former& f) { return f.group == group; });
}

bool RuleCatalog::may_have(std::string_view version) const { return !newest_ && off_by_default(version); }

uint32_t RuleCatalog::gone(std::string_view group, std::string_view version,
                           std::string_view resource) const {
  uint32_t last = 0;
  for (const Resources::Former& f : former_) {
    bool same = f.group == group && (version == "*" || f.version == version) &&
                (resource == "*" || f.plural == resource);
    if (same && !f.served) last = std::max(last, f.gone);
  }
  return last;
}

const RuleTarget* RuleCatalog::served(std::string_view group, std::string_view resource,
                                      std::span<const std::string> versions) const {
  const RuleTarget* found = nullptr;
  auto rank = [&](const RuleTarget& t) {
    return (among(versions, t.version) ? 2 : 0) + (off_by_default(t.version) ? 0 : 1);
  };
  for (const RuleTarget& t : targets_) {
    if (t.group != group || t.resource != resource || !t.subresource.empty()) continue;
    if (found == nullptr || rank(t) >= rank(*found)) found = &t;
  }
  return found;
}

RuleCatalog::Meaning RuleCatalog::meaning(std::string_view name,
                                          const std::function<bool(const RuleTarget&)>& in_rule,
                                          std::span<const std::string> versions) const {
  std::string word = lower_case(name.substr(0, name.find('.')));  // kubectl's "deployments.apps"
  using Test = std::function<bool(const RuleTarget&)>;
  auto find = [&](bool here, const Test& test) -> const RuleTarget* {
    for (const RuleTarget& t : targets_) {
      if (t.subresource.empty() && (!here || in_rule(t)) && test(t))
        return served(t.group, t.resource, versions);
    }
    return nullptr;
  };
  Test kind = [&](const RuleTarget& t) { return word == lower_case(t.kind) || word == t.resource; };
  auto found = std::ranges::find_if(kShortNames, [&](const ShortName& s) { return s.name == word; });
  Test short_name = [&](const RuleTarget& t) {
    return found != std::end(kShortNames) && t.resource == found->resource;
  };
  auto near = [&](bool here) -> const RuleTarget* {
    std::vector<std::string> names;
    for (const RuleTarget& t : targets_) {
      if (t.subresource.empty() && (!here || in_rule(t))) names.push_back(t.resource);
    }
    std::string_view nearest_name = nearest(word, names);
    return nearest_name.empty() ? nullptr
                                : find(here, [&](const RuleTarget& t) { return t.resource == nearest_name; });
  };
  if (const RuleTarget* t = find(true, kind)) return {t, true};
  for (bool here : {true, false}) {
    if (const RuleTarget* t = find(here, short_name)) return {t};
    if (!here) {
      if (const RuleTarget* t = find(false, kind)) return {t};
    }
    if (const RuleTarget* t = near(here)) return {t};
  }
  return {};
}

const std::string* RuleCatalog::meant_group(std::string_view group,
                                            std::span<const std::string> resources) const {
  auto find = [&](std::string_view name) -> const std::string* {
    auto found = std::ranges::find(groups_, name);
    return found == groups_.end() ? nullptr : &*found;
  };
  std::string_view word = group.substr(0, group.find('/'));
  if (word == "core" || word == "api" || is_version(word)) return find("");
  if (const std::string* same = find(word)) return same;
  std::vector<std::string> names = groups_;
  std::erase(names, "");
  std::string_view near = nearest(word, names);
  if (!near.empty()) return find(near);
  for (const std::string& r : resources) {
    auto has = [&](const RuleTarget& t) { return t.resource == r; };
    auto found = std::ranges::find_if(targets_, has);
    if (found != targets_.end()) return find(found->group);
  }
  return nullptr;
}

}  // namespace portcullis
