// Mistakes of mutations that need no object to be found (`check`): what admission/patching foresees of the kinds that a
// policy's rules reach, each at its place in the file.
//
// Idea: a mistake is told where the expression that makes it is always used for objects of a kind; where a condition
// decides, which may ask for the kind in a way that nobody understands, only if it is one for every kind. The API
// server says nothing of it until an object comes, so all of them are warnings.
// Limits: kinds of other groups without a definition are not looked at, and a note says so.
// Tested by tests/cli/mutation_checks.txt, tests/oracle/foreseen.py.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "admission/crd/object.h"
#include "admission/expressions/expression.h"
#include "cli/cluster/cluster.h"

namespace portcullis {

// The expressions of mutating policies that were compiled for something else (ReviewCluster::problems).
class CompiledMutations {
 public:
  void add(const InputObject& object, const std::string& path, const CompiledExpression& compiled);
  // Null: it was not compiled, or is refused.
  ExpressionPtr find(const InputObject& object, const std::string& path) const;

 private:
  std::map<std::pair<const InputObject*, std::string>, ExpressionPtr> known_;
};

// Adds warnings for all mutating policies of the cluster to `problems`, and notes on kinds that are not known.
void add_mutation_problems(const ReviewCluster& cluster, const CompiledMutations& compiled,
                           const std::vector<std::shared_ptr<const crd::Definition>>& definitions,
                           std::vector<PolicyProblem>& problems);

}  // namespace portcullis
