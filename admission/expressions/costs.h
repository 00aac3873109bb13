// Kubernetes' costs by function name, which replace the rules of cel-go for these functions.
//
// Idea: one table {function name, run-time cost, static cost}. Only the name counts, not the overload or the
// receiver: `indexOf` of strings costs as much as that of lists. Such quirks of upstream are behaviour.
// Source of behaviour: k8s.io/apiserver pkg/cel/library/cost.go.
// Tested by tests/kubernetes/tables_test.cc, the conformance tables `cost` and `cost_lists`, and
// against the oracle.
#pragma once

#include <span>
#include <string_view>

#include "typecheck/cost.h"

namespace portcullis::kubernetes {

// The table for EnvironmentOptions::named_costs; a constant.
std::span<const NamedCost> named_costs();

// What a call costs at run time, as the rows of functions say it; empty if the table does not have the function.
std::string_view cost_text(std::string_view function, std::string_view overload);

}  // namespace portcullis::kubernetes
