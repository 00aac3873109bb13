// The webhooks that policies share behind an API server, so that each gets objects at the version that it would have in one.
//
// Idea: an API server converts an object for a webhook only if no rule of the webhook matches the version that was sent, and
// then to the first version that a rule names. Policies share the rules of their webhook, so a rule of one (`*`, v2) can keep
// from another (v1, matchPolicy Equivalent) the conversion that it needs. Portcullis then converts itself, unless only a
// conversion webhook can, or no definition says how. Where policies need that, each webhook has the policies whose rules
// ask for the same versions of a resource (MatchRules::asked_versions), which nothing else about the rules can tell apart.
// Limits: whether policies need it is said of their rules alone, without resourceNames, selectors and bindings; so
// webhooks may be separate that could be one. An API server converts for a rule only if its resourceNames match, too, which a
// webhook cannot ask for: of rules with other names for other versions, the first one's version counts. Source of behaviour: apiserver pkg/admission/plugin/webhook/generic
// (ShouldCallHook). Tested by tests/server/manifests.py, tests/server/versions_cluster.py.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "manifests/object.h"
#include "manifests/resources.h"

namespace portcullis {

// A rule of a webhook: that of a policy, for some of its groups, with versions that take the place of its own.
struct WebhookRule {
  const Value* rule;
  std::vector<std::string> groups, versions;
};

// The rules of each webhook, by the versions that its policies ask for.
using WebhookParts = std::map<std::string, std::vector<WebhookRule>>;

// The webhooks of these policies; empty if all can share one. An error if the rules of a policy name more groups, resources
// and subresources than can be looked at.
Result<WebhookParts> webhook_parts(std::span<const InputObject* const> policies, const Resources& resources);

}  // namespace portcullis
