// What `check` finds in webhook configurations beyond their rules and conditions: webhooks that stand in the way of
// their own namespace or of kube-system, and timeouts that add up to more than a request has.
//
// Idea: admission/foresight looks for a request that certainly reaches the webhooks; the labels of namespaces are those
// of the files. The API server takes such configurations, so all findings are warnings of ours.
// Tested by tests/cli/webhook_checks.txt.
#pragma once

#include <vector>

#include "cli/checks/compiled_expressions.h"
#include "cli/checks/condition_checks.h"
#include "cli/cluster/cluster.h"

namespace portcullis {

// Adds warnings about all webhook configurations of the cluster.
void add_webhook_problems(const ReviewCluster& cluster, const CompiledExpressions& compiled,
                          const ServedByCluster& served, std::vector<PolicyProblem>& problems);

}  // namespace portcullis
