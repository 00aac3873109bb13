// Rules of policies, bindings and webhooks that match nothing, or less than they say: for `check`.
//
// Idea: the API server accepts any words as groups, versions and resources; a rule with a wrong word never
// matches. Each entry of a rule's lists is looked up separately (rule_catalog.h), so that each mistake is one
// warning at its position, with a suggestion. Nothing is said about unknown resources: those of groups that
// Kubernetes does not own, without a definition among the files. Nor about harmless entries: a removed
// version or group beside a served one, and CREATE, UPDATE or DELETE beside another operation that the
// resource has. Equivalent matching does not matter: versions that are not served only count for definitions, where the
// warning is right all the same. Tested by tests/cli/rules.txt.
#pragma once

#include <vector>

#include "cli/cluster/cluster.h"

namespace portcullis {

// Adds a warning for each wrong entry of each rule of the cluster's admission objects.
void add_rule_problems(const ReviewCluster& cluster, std::vector<PolicyProblem>& out);

}  // namespace portcullis
