// Which policies a request may concern, and the outcomes of the rules that it meets.
//
// Tested by admission/engine/engine_test.cc, tests/admission/matching.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "admission/engine/policy.h"
#include "admission/matching/matching.h"

namespace portcullis {

// The outcomes of rules for one request. Rules that many policies and bindings have are matched once.
class RuleOutcomes {
 public:
  // Starts a request. Rules and scene must outlive their use here.
  void begin(const std::vector<MatchRules>& rules, const MatchScene& scene);
  // The outcome of the rules with this number; stays where it is until the next request.
  const MatchOutcome& operator[](uint32_t number) {
    Known& known = known_[number];
    if (known.round != round_) [[unlikely]]
      known = {round_, (*rules_)[number].match(*scene_)};
    return known.outcome;
  }

 private:
  struct Known {
    uint64_t round = 0;  // of the request that it is the outcome for
    MatchOutcome outcome;
  };
  const std::vector<MatchRules>* rules_ = nullptr;
  const MatchScene* scene_ = nullptr;
  std::vector<Known> known_;
  uint64_t round_ = 0;
};

// The index from resources to the policies that can match them.
//
// Idea: policies with the same rules are one group, so the time of a request grows with the groups that its resource
// may concern and with the policies that match.
class PolicyIndex {
 public:
  PolicyIndex() = default;
  PolicyIndex(const std::vector<LoadedPolicy>& policies, const std::vector<MatchRules>& rules);
  // Appends the numbers of the policies whose rules match the request or fail, in ascending order. `scratch` keeps
  // its capacity.
  void find(const MatchScene& scene, RuleOutcomes& outcomes, std::vector<uint64_t>& scratch,
            std::vector<uint32_t>& out) const;

 private:
  // A hash that allows lookup by views without allocation.
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct Group {
    uint32_t rules = 0;
    std::vector<uint32_t> policies;
  };
  const std::vector<uint32_t>& candidates(std::string_view resource, bool has_other_names) const;

  std::vector<Group> groups_;
  size_t policy_count_ = 0;
  // By resource: groups whose rules name it, merged with those that match any resource.
  std::unordered_map<std::string, std::vector<uint32_t>, TextHash, std::equal_to<>> by_resource_;
  std::vector<uint32_t> unrestricted_, all_;
};

}  // namespace portcullis
