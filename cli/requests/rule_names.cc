// See rule_names.h.
#include "cli/requests/rule_names.h"

#include <functional>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "cli/messages/messages.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

// A resource without its subresource; empty for a wildcard.
std::string_view resource_in(const Value& text) {
  if (!text.is(Kind::String)) return {};
  std::string_view name = text.as_text().substr(0, text.as_text().find('/'));
  return name == "*" ? std::string_view() : name;
}

// `rule`: the number of the rule that names the resource; `item`: the resource's among its resources.
using Visit =
    std::function<void(std::string_view group, std::string_view resource, size_t rule, size_t item)>;

// Visits the resources that an object's rules at `rules` name.
void each_name(const InputObject& object, std::string_view rules, const Visit& visit) {
  auto list = list_at(object.value, rules);
  for (size_t i = 0; i < list.size(); i++) {
    auto resources = list_at(list[i], "resources");
    for (const Value& group : list_at(list[i], "apiGroups")) {
      for (size_t j = 0; j < resources.size(); j++) {
        std::string_view resource = resource_in(resources[j]);
        if (!group.is(Kind::String) || resource.empty()) continue;
        visit(group.as_text(), resource, i, j);
      }
    }
  }
}

constexpr std::string_view kRules = "spec.matchConstraints.resourceRules";

}  // namespace

void add_rule_names(const ReviewCluster& cluster, Resources& resources) {
  std::set<std::pair<std::string_view, std::string_view>> known;  // most policies name the same ones
  Visit add = [&](std::string_view group, std::string_view resource, size_t, size_t) {
    if (known.emplace(group, resource).second) resources.add_name(group, resource);
  };
  for (const InputObject* p : cluster.policies()) each_name(*p, kRules, add);
  for (const InputObject* b : cluster.bindings()) each_name(*b, "spec.matchResources.resourceRules", add);
}

RequestTally::RequestTally(const ReviewCluster& cluster) : cluster_(cluster) {
  for (const InputObject* p : cluster.policies()) {
    each_name(*p, kRules, [&](std::string_view group, std::string_view resource, size_t, size_t) {
      if (!has(named_, group, resource)) named_[std::string(group)].emplace(resource);
    });
  }
}

bool RequestTally::has(const Names& names, std::string_view group, std::string_view resource) {
  auto found = names.find(group);
  return found != names.end() && found->second.contains(resource);
}

void RequestTally::add(const RequestMaker& maker, size_t number) {
  for (std::string_view name : maker.namespaces()) {
    if (!namespaces_.contains(name)) namespaces_.emplace(name);
  }
  replaced_.insert(maker.replaced().begin(), maker.replaced().end());
  for (const Request& r : maker.requests()) add(r, number++);
}

void RequestTally::add(const Request& r, size_t number) {
  const AdmissionRequest& a = r.attributes;
  const GroupVersionResource& to = a.resource;
  if (!has(given_, to.group, to.resource)) given_[std::string(to.group)].emplace(to.resource);
  bool known = r.refusal || role_of(*r.object) == Role::Review || has(named_, to.group, to.resource) ||
               has(named_, "*", to.resource) || guessed_.contains(to.group);
  if (known) return;
  std::string version = join_api_version(a.kind.group, a.kind.version);
  if (cluster_.resources().find(version, a.kind.kind).availability == Availability::Guessed)
    guessed_.try_emplace(std::string(to.group),
                         Guess{number, std::string(a.kind.kind), std::string(to.resource)});
}

void RequestTally::add(const RequestTally& other) {
  namespaces_.insert(other.namespaces_.begin(), other.namespaces_.end());
  replaced_.insert(other.replaced_.begin(), other.replaced_.end());
  for (const auto& [group, resources] : other.given_)
    given_[group].insert(resources.begin(), resources.end());
  for (const auto& [group, guess] : other.guessed_) {
    auto [mine, added] = guessed_.try_emplace(group, guess);
    if (!added && guess.number < mine->second.number) mine->second = guess;
  }
}

void RequestTally::warn_of_missed_rules() const {
  if (guessed_.empty()) return;
  for (const InputObject* p : cluster_.policies()) {
    std::map<std::string_view, std::pair<std::string, std::string>> missed;  // by group: names and paths
    each_name(*p, kRules, [&](std::string_view group, std::string_view resource, size_t rule, size_t item) {
      if (!guessed_.contains(group) || has(given_, group, resource)) return;
      auto [found, first] =
          missed.try_emplace(group, "", fmt::format("{}[{}].resources[{}]", kRules, rule, item));
      found->second.first += (first ? "" : ", ") + quote_json(resource);
    });
    for (const auto& [group, names] : missed) {
      const Guess& guess = guessed_.find(group)->second;
      say(Severity::Warning, p->file->name, p->locate(names.second),
          "no manifest is taken as what this policy names in group " + std::string(group) + ": " +
              names.first + "; if that is the resource of " + guess.kind + ", which is taken as " +
              quote_json(guess.resource) + ", give its CustomResourceDefinition",
          p->file->text);
    }
  }
}

}  // namespace portcullis
