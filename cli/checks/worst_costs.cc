// See worst_costs.h. definition_costs.cc has the costs of definitions, cheaper_policies.h the advice about policies.
#include "cli/checks/worst_costs.h"

#include <algorithm>

#include "cli/checks/cheaper_policies.h"
#include "cli/checks/policy_estimates.h"

namespace portcullis {

bool WorstCost::certain() const {
  return exceeds() && max != kUnbounded &&
         std::ranges::none_of(sizes, [](const SizeTaken& s) { return s.from == SizeTaken::From::Request; });
}

WorstCosts worst_costs(const InputObject& policy, const Assumptions& assumed, SharedParses& parses) {
  const std::vector<PolicyText> texts = texts_of(policy);
  PolicyEstimates found = estimate_policy(policy, texts, assumed, parses, true);
  WorstCosts out{.object = &policy,
                 .expressions = std::move(found.expressions),
                 .budgets = std::move(found.budgets),
                 .advice = {}};
  add_cheaper(policy, texts, assumed, parses, out);
  return out;
}

}  // namespace portcullis
