// The static costs of a policy's expressions with assumed sizes, and of its budgets: for the policy as it is, and as it
// would be with other texts.
// Tested by tests/cli/cost.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/checks/worst_costs.h"

namespace portcullis {

// An expression at its place, whose text may be another than that of the file.
struct PolicyText {
  const ExpressionPlace* place = nullptr;
  int webhook = -1;
  std::string path, label, name, text;
};
std::vector<PolicyText> texts_of(const InputObject& policy);

struct PolicyEstimates {
  std::vector<WorstCost> expressions;  // in the order of the texts
  std::vector<ExpressionPtr> compiled;
  std::vector<EstimateParts> parts;
  std::vector<CostBudget> budgets;
  const CostBudget* budget(std::string_view label) const;
};

// `details`: also parts and sizes.
PolicyEstimates estimate_policy(const InputObject& policy, const std::vector<PolicyText>& texts,
                                const Assumptions& assumed, SharedParses& parses, bool details);

// The fields that the expression reads of `variables`.
std::vector<std::string> variables_read(const Expr* e);

}  // namespace portcullis
