// Rules of policies, bindings and webhooks that match nothing, or less than they say: for `check`.
//
// Idea: the API server takes any words as groups, versions and resources, and a rule that nothing fits just never
// matches. Each entry of a rule's lists is looked up by itself (rule_catalog.h), so that one mistake is one
// warning at its place, with what was probably meant. What cannot be known is not said: resources of groups that
// Kubernetes does not own, without a definition among the files. Nor is what does no harm: a version or a whole
// group that is gone beside one that is served, and CREATE, UPDATE or DELETE beside another operation that the
// resource has.
// Equivalent matching makes no difference: it knows the versions that are served, and no others.
// Tested by tests/cli/rules.txt.
#pragma once

#include <vector>

#include "cli/cluster/cluster.h"

namespace portcullis {

// Adds a warning for each wrong entry of each rule of what `cluster` has of the admission group.
void add_rule_problems(const ReviewCluster& cluster, std::vector<PolicyProblem>& out);

}  // namespace portcullis
