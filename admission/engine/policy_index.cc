// PolicyIndex: see policy.h.
#include <set>

#include "admission/engine/policy.h"

namespace portcullis {
namespace {

bool names_resource(const MatchRules& match, std::string_view name) {
  for (const ResourceRule& r : match.rules()) {
    for (const auto& resource : r.resources) {
      if (resource.name == name) return true;
    }
  }
  return false;
}
bool names_everything(const MatchRules& match) { return match.unrestricted() || names_resource(match, "*"); }

}  // namespace

PolicyIndex::PolicyIndex(const std::vector<LoadedPolicy>& policies) {
  std::set<std::string> resources;
  for (uint32_t i = 0; i < policies.size(); i++) {
    all_.push_back(i);
    if (names_everything(policies[i].match)) unrestricted_.push_back(i);
    for (const ResourceRule& r : policies[i].match.rules()) {
      for (const auto& resource : r.resources) resources.insert(resource.name);
    }
  }
  resources.erase("*");
  for (const std::string& name : resources) {
    std::vector<uint32_t>& list = by_resource_[name];
    for (uint32_t i : all_) {
      if (names_everything(policies[i].match) || names_resource(policies[i].match, name)) list.push_back(i);
    }
  }
}

const std::vector<uint32_t>& PolicyIndex::candidates(std::string_view resource, bool has_equivalents) const {
  if (has_equivalents) return all_;
  auto found = by_resource_.find(resource);
  return found == by_resource_.end() ? unrestricted_ : found->second;
}

}  // namespace portcullis
