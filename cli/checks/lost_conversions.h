// Policies that see no converted objects behind a webhook, because of the rules of other policies.
//
// Idea: an API server converts an object for a webhook only if no rule of the webhook matches the version that was sent. The
// policies of one webhook share its rules, so a rule of one (`*`, v2) can match what another (v1, matchPolicy Equivalent)
// needs at another version. Portcullis then converts itself, unless only a conversion webhook could, or no definition says how.
// Limits: groups and resources that a rule of the policy names; resourceNames, selectors and bindings are left out. Source of
// behaviour: apiserver pkg/admission/plugin/webhook/generic (ShouldCallHook). Tested by tests/server/manifests.py.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "manifests/object.h"
#include "manifests/resources.h"

namespace portcullis {

struct LostConversion {
  std::string_view policy, other;  // `other` has the rule that matches more versions
  std::string resource;            // "widgets.example.com"
};

// Those among the policies of one webhook, one for each policy and resource. Views are of the policies.
std::vector<LostConversion> lost_conversions(std::span<const InputObject* const> policies,
                                             const Resources& resources);

}  // namespace portcullis
