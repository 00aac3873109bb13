// PreparedPolicies: policies that are compiled one at a time, before it is known with which bindings and params they
// are loaded.
//
// Idea: validation decodes and parses each policy anyway; compiling it then saves doing both again at load. Loading
// does the rest, and takes the policies, so only one engine is loaded with them.
// Source of behaviour: apiserver pkg/admission/plugin/policy/validating/plugin.go (compilePolicy). Tested by
// admission/engine/engine_test.cc, tests/admission.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "admission/engine/policy.h"
#include "admission/matching/matching.h"

namespace portcullis {

class PreparedPolicies {
 public:
  // `parses`: of all who look at the policies, which are dropped with each policy; may be null.
  PreparedPolicies(ExpressionVersion version, SharedParses* parses) : version_(version), parses_(parses) {}

  // Compiles a policy that decodes and is one. It lacks its bindings, and the params of its kind.
  LoadedPolicy& add(const Data& object, bool mutating);

  // The number of these rules among rules(). Most policies and bindings share theirs with others.
  uint32_t rules_of(const Data& match, bool required);
  ProgramStore& store() { return store_; }
  std::vector<MatchRules>& rules() { return rules_; }
  // In the order in which they were added.
  std::vector<LoadedPolicy>& policies(bool mutating) { return mutating ? mutating_ : validating_; }

 private:
  ExpressionVersion version_;
  SharedParses* parses_;
  ProgramStore store_;
  std::vector<MatchRules> rules_;
  std::map<std::pair<bool, std::string>, uint32_t> rules_of_;  // by requirement (MatchRules) and text
  std::vector<LoadedPolicy> validating_, mutating_;
};

}  // namespace portcullis
