// estimate: the static cost {min, max} of a checked expression (cel-go checker/cost.go).
//
// Idea: one walk adds up costs and tracks sizes: of literals, of results whose row states a size, of paths
// from variables if the SizeEstimator knows them. The cost of a call comes from the first of: a registered
// overload cost (kCostRegistered), the environment's cost by name, the row. cel-go's quirks are kept;
// estimate.cc names them.
// Tested by typecheck/estimate_test.cc.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "grammar/ast.h"
#include "typecheck/cost.h"
#include "typecheck/environment.h"

namespace portcullis {

// What the walk finds of the parts of an expression.
struct EstimateParts {
  // By node, of one evaluation and with all parts of the node.
  std::map<ExprId, CostEstimate> costs;
  // By comprehension, of the list or map that it walks.
  std::map<ExprId, SizeEstimate> rounds;
  std::optional<SizeEstimate> result;  // the size of the expression's value, if known
};

// The static cost of `ast`, which must have passed check() in `environment`. `sizes` null: the sizes of input
// are unknown. `parts` may be null.
CostEstimate estimate(const Ast& ast, const Environment& environment, const SizeEstimator* sizes = nullptr,
                      EstimateParts* parts = nullptr);

// The size of a literal, or of a list or map literal; nothing for other expressions.
std::optional<SizeEstimate> written_size(const Expr* e);

// Sizes from hints by path joined with dots ("x.@items.name": largest size); smallest size is 0.
class SizeHints final : public SizeEstimator {
 public:
  explicit SizeHints(std::map<std::string, uint64_t, std::less<>> largest) : largest_(std::move(largest)) {}
  std::optional<SizeEstimate> estimate_size(const SizeNode& node) const override;

 private:
  std::map<std::string, uint64_t, std::less<>> largest_;
};

}  // namespace portcullis
