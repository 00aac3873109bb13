// Advice that makes a policy cheaper: each change is made to the policy's texts and estimated, and told only if a number
// falls.
//
// Idea: `&&` and `||` cost nothing for what they need not look at, and their outcome does not depend on the order, so a
// cheap test goes first: then less is paid where the first test decides. Of two loops that cost about the same, the one
// that a single element can decide goes first: `exists` of `||`, which is true at the first element that is meant, and
// `all` of `&&`. What several expressions compute becomes a variable, which costs once.
// Tested by tests/cli/cost.txt.
#pragma once

#include "cli/checks/policy_estimates.h"

namespace portcullis {

void add_cheaper(const InputObject& policy, const std::vector<PolicyText>& texts, const Assumptions& assumed,
                 SharedParses& parses, WorstCosts& costs);

}  // namespace portcullis
