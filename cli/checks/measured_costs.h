// The costs of policies on given manifests: reviews them with all sound policies, and keeps the largest costs.
//
// Idea: the engine's own count, so the number that a cluster enforces (costs.h). Kinds of params whose scope is in doubt
// are reviewed with both scopes, and what depends on the scope is no measurement. Limits: mutating policies run once;
// validating ones see the manifests as they are without them.
// Tested by tests/cli/check.txt, tests/cli/cost.txt.
#pragma once

#include <vector>

#include "cli/checks/costs.h"
#include "cli/cluster/cluster.h"
#include "cli/cluster/crd.h"
#include "cli/cluster/param_scopes.h"
#include "cli/reading/input.h"

namespace portcullis {

// The files of a command: policies, and manifests to measure with; settled (namespaces.h), with the kinds of params.
struct MeasuredFiles {
  const std::vector<InputObject>&policies, &manifests;
  ReviewCluster& cluster;
  const ParamScopes& scopes;
  Arena& arena;
};

// Adds what policies cost on the manifests to `costs`, and drops what depends on a doubtful scope, which is added to
// `problems`, as are evaluations that exceed a limit. Policies with errors in `problems` are not measured. False if
// nothing can be reviewed; says why, and what is refused.
bool measure_costs(const MeasuredFiles& files, std::vector<PolicyCosts>& costs,
                   std::vector<PolicyProblem>& problems);

}  // namespace portcullis
