// Mistakes of mutations that `check` finds without an object: those that admission/patching foresees for the
// kinds that a policy's rules reach, with positions in the file.
//
// Idea: a mistake is reported if its expression is always evaluated for objects of some kind. If a condition
// decides, which may test the kind in an unknown way, it is only reported if every kind has it. The API
// server reports nothing before an object arrives, so all are warnings. Limits: undefined kinds of other
// groups are not checked, which a note says. Tested by tests/cli/mutation_checks.txt,
// tests/oracle/foreseen.py.
#pragma once

#include <memory>
#include <vector>

#include "admission/crd/definition.h"
#include "cli/checks/compiled_expressions.h"
#include "cli/cluster/cluster.h"

namespace portcullis {

// Adds warnings about all mutating policies of the cluster to `problems`, and notes on unknown kinds.
void add_mutation_problems(const ReviewCluster& cluster, const CompiledExpressions& compiled,
                           const std::vector<std::shared_ptr<const crd::Definition>>& definitions,
                           std::vector<PolicyProblem>& problems);

}  // namespace portcullis
