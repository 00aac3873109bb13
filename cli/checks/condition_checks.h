// Match conditions that `check` finds to be true, to be false or to fail for every request that the rules of their
// policy or webhook let through, and validations that fail for all of an operation (`object` is null in a DELETE).
//
// Idea: admission/foresight judges each expression for each sort of request; a finding is what holds for all of them,
// or a failure for all of one operation, so no request can disprove it. The API server takes such expressions, so all
// findings are warnings of ours. Tested by tests/cli/conditions.txt.
#pragma once

#include <vector>

#include "admission/foresight/known_request.h"
#include "cli/checks/compiled_expressions.h"
#include "cli/cluster/cluster.h"

namespace portcullis {

// What a cluster serves, from the tables and the definitions among the files. Views live as long as `resources`.
class ServedByCluster {
 public:
  explicit ServedByCluster(const Resources& resources);
  ServedByCluster(const ServedByCluster&) = delete;  // served() points into this object
  const foresight::ServedResources& served() const { return served_; }

 private:
  std::vector<Resources::Former> former_;
  std::vector<foresight::ServedResource> list_;
  foresight::ServedResources served_;
};

// Adds warnings about the conditions and validations of all policies and webhook configurations of the cluster.
void add_condition_problems(const ReviewCluster& cluster, const CompiledExpressions& compiled,
                            const ServedByCluster& served, std::vector<PolicyProblem>& problems);

}  // namespace portcullis
