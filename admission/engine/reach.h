// Which policies and bindings a request reaches, and why it does not reach the others, for explanations.
//
// Idea: a review keeps none of this. An explanation makes and matches the scene again, with the predicates of the
// review (matching.h, scene.h), and names what does not fit. Of several rules it names the nearest: another resource
// or group counts more than another version, operation, scope or name. It names selectors if the rules fit.
// Limits: match conditions are expressions and not considered here.
// Tested by tests/cli/not_applied.txt, tests/cli/who.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/admission.h"
#include "admission/matching/matching.h"

namespace portcullis {

// How a policy, or one of its bindings, matches a request.
struct Reach {
  enum class Kind {
    Matches,
    Missed,
    Failed
  };  // Failed: matching ends in an error, which the decision reports
  Kind kind = Kind::Missed;
  std::string_view policy, binding;  // if `binding` is empty, the policy itself does not match
  std::string
      field;  // the field of the policy (Matches, or no binding) or binding that decides; empty: the whole
  std::string text;  // "resourceRules[0] matches CREATE of v1 pods", or why not
};

// The validating policies of an engine, or the mutating ones in the first pass, with their bindings, each by name. A
// policy that does not match has one element, one that matches an element for each binding. Views live as long as the
// engine.
std::vector<Reach> policy_reach(const Engine& engine, const AdmissionRequest& request, bool mutating);

// "apps/v1 deployments/scale"; without a subresource "apps/v1 deployments".
std::string resource_text(const GroupVersionResource& resource, std::string_view subresource);

// Where and why rules or selectors of a policy, binding or webhook do not match.
struct Misfit {
  std::string field;  // "resourceRules[0].operations", "namespaceSelector.matchLabels[env]"
  std::string text;
};
// All selectors, or the nearest rule. `rules` is the name of the list of rules, `of` what has it. Empty if they match.
std::vector<Misfit> misfits(const MatchRules& match, const MatchScene& scene, std::string_view rules,
                            std::string_view of);

}  // namespace portcullis
