// The expressions that other checks look into: those of mutating policies, all match conditions, and validations of
// requests without object or oldObject. They were compiled for the API server's errors (ReviewCluster::problems), and
// are kept of no other policies, which may be many. Tested by tests/cli/mutation_checks.txt, tests/cli/conditions.txt.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "admission/expressions/expression.h"
#include "cli/cluster/cluster.h"

namespace portcullis {

class CompiledExpressions {
 public:
  void add(const InputObject& object, const std::string& path, const CompiledExpression& compiled);
  // Null: it was not compiled, or has errors.
  ExpressionPtr find(const InputObject& object, const std::string& path) const;

 private:
  std::map<std::pair<const InputObject*, std::string>, ExpressionPtr> known_;
};

}  // namespace portcullis
