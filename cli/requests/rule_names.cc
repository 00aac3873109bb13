// See rule_names.h.
#include "cli/requests/rule_names.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "cli/messages/messages.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

std::span<const Value> list_at(const Value& object, std::string_view path) {
  const Value* found = find_path(object, path);
  return found != nullptr && found->is(Kind::List) ? found->as_list() : std::span<const Value>();
}

// A resource without its subresource; empty for a wildcard.
std::string_view resource_in(const Value& text) {
  if (!text.is(Kind::String)) return {};
  std::string_view name = text.as_text().substr(0, text.as_text().find('/'));
  return name == "*" ? std::string_view() : name;
}

using Visit = std::function<void(std::string_view group, std::string_view resource, const std::string& path)>;

// Visits the resources that an object's rules at `rules` name, with their paths.
void each_name(const InputObject& object, const std::string& rules, const Visit& visit) {
  auto list = list_at(object.value, rules);
  for (size_t i = 0; i < list.size(); i++) {
    auto resources = list_at(list[i], "resources");
    for (const Value& group : list_at(list[i], "apiGroups")) {
      for (size_t j = 0; j < resources.size(); j++) {
        std::string_view resource = resource_in(resources[j]);
        if (!group.is(Kind::String) || resource.empty()) continue;
        visit(group.as_text(), resource,
              rules + "[" + std::to_string(i) + "].resources[" + std::to_string(j) + "]");
      }
    }
  }
}

const std::string kRules = "spec.matchConstraints.resourceRules";

using Names = std::map<std::string_view, std::set<std::string_view>>;  // by group

}  // namespace

void add_rule_names(const ReviewCluster& cluster, Resources& resources) {
  Visit add = [&](std::string_view group, std::string_view resource, const std::string&) {
    resources.add_name(group, resource);
  };
  for (const InputObject* p : cluster.policies()) each_name(*p, kRules, add);
  for (const InputObject* b : cluster.bindings()) each_name(*b, "spec.matchResources.resourceRules", add);
}

void warn_of_missed_rules(const ReviewCluster& cluster, std::span<const Request> requests) {
  Names named, given;
  std::map<std::string_view, const Request*> guessed;  // by group, one that no rule names
  auto visit_all = [&](const Visit& visit) {
    for (const InputObject* p : cluster.policies()) each_name(*p, kRules, visit);
  };
  visit_all([&](std::string_view group, std::string_view resource, const std::string&) {
    named[group].insert(resource);
  });
  for (const Request& r : requests) {
    const AdmissionRequest& a = r.attributes;
    given[a.resource.group].insert(a.resource.resource);
    bool known = r.refusal || role_of(*r.object) == Role::Review ||
                 named[a.resource.group].contains(a.resource.resource) ||
                 named["*"].contains(a.resource.resource);
    std::string version = join_api_version(a.kind.group, a.kind.version);
    if (!known && cluster.resources().find(version, a.kind.kind).availability == Availability::Guessed)
      guessed.emplace(a.resource.group, &r);
  }
  for (const InputObject* p : cluster.policies()) {
    std::map<std::string_view, std::pair<std::string, std::string>> missed;  // by group: names and paths
    each_name(*p, kRules, [&](std::string_view group, std::string_view resource, const std::string& path) {
      if (!guessed.contains(group) || given[group].contains(resource)) return;
      auto [found, first] = missed.try_emplace(group, "", path);
      found->second.first += (first ? "" : ", ") + quote_json(resource);
    });
    for (const auto& [group, names] : missed) {
      const AdmissionRequest& a = guessed.at(group)->attributes;
      say(Severity::Warning, p->file->name, p->locate(names.second),
          "no manifest is taken as what this policy names in group " + std::string(group) + ": " +
              names.first + "; if that is the resource of " + std::string(a.kind.kind) +
              ", which is taken as " + quote_json(a.resource.resource) +
              ", give its CustomResourceDefinition",
          p->file->text);
    }
  }
}

}  // namespace portcullis
