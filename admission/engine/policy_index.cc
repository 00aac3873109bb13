// See policy_index.h.
#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "admission/engine/policy_index.h"

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

void RuleOutcomes::begin(const std::vector<MatchRules>& rules, const MatchScene& scene) {
  rules_ = &rules;
  scene_ = &scene;
  if (known_.size() < rules.size()) known_.resize(rules.size());
  ++round_;
}

PolicyIndex::PolicyIndex(const std::vector<LoadedPolicy>& policies, const std::vector<MatchRules>& rules)
    : policy_count_(policies.size()) {
  std::map<uint32_t, uint32_t> group_of;  // by the number of the rules
  for (uint32_t i = 0; i < policies.size(); i++) {
    auto [at, fresh] = group_of.try_emplace(policies[i].match, static_cast<uint32_t>(groups_.size()));
    if (fresh) groups_.push_back({policies[i].match, {}});
    groups_[at->second].policies.push_back(i);
  }
  std::map<std::string_view, std::set<uint32_t>> named;
  for (uint32_t i = 0; i < groups_.size(); i++) {
    const MatchRules& match = rules[groups_[i].rules];
    all_.push_back(i);
    if (names_everything(match)) unrestricted_.push_back(i);
    for (const ResourceRule& r : match.rules()) {
      for (const auto& resource : r.resources) {
        if (resource.name != "*") named[resource.name].insert(i);
      }
    }
  }
  for (auto& [name, groups] : named) {
    groups.insert(unrestricted_.begin(), unrestricted_.end());
    by_resource_[std::string(name)].assign(groups.begin(), groups.end());
  }
}

const std::vector<uint32_t>& PolicyIndex::candidates(std::string_view resource, bool has_other_names) const {
  if (has_other_names) return all_;
  auto found = by_resource_.find(resource);
  return found == by_resource_.end() ? unrestricted_ : found->second;
}

void PolicyIndex::find(const MatchScene& scene, RuleOutcomes& outcomes, std::vector<uint64_t>& scratch,
                       std::vector<uint32_t>& out) const {
  const Group* only = nullptr;
  bool several = false;
  const std::string_view resource = scene.request->resource.resource;
  const auto has_name = [&](const Equivalent& e) { return e.resource.resource == resource; };
  for (uint32_t i : candidates(resource, !std::ranges::all_of(scene.equivalents, has_name))) {
    const Group& group = groups_[i];
    const MatchOutcome& outcome = outcomes[group.rules];
    if (!outcome.matches && outcome.error.empty()) continue;
    if (only == nullptr) {
      only = &group;
      continue;
    }
    // From the second group on, bits put the policies in order.
    auto mark = [&](const Group& g) {
      for (uint32_t policy : g.policies) scratch[policy / 64] |= uint64_t{1} << (policy % 64);
    };
    if (!several) {
      scratch.assign(policy_count_ / 64 + 1, 0);
      mark(*only);
      several = true;
    }
    mark(group);
  }
  if (only == nullptr) return;
  if (!several) {
    out.insert(out.end(), only->policies.begin(), only->policies.end());
    return;
  }
  for (uint32_t word = 0; word < scratch.size(); word++) {
    for (uint64_t bits = scratch[word]; bits != 0; bits &= bits - 1)
      out.push_back(word * 64 + static_cast<uint32_t>(std::countr_zero(bits)));
  }
}

}  // namespace portcullis
