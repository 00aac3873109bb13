// Kubernetes' costs by function name: what its CostEstimator answers instead of cel-go's rules.
//
// Idea: one table {function name, run-time cost, static cost}. The name alone decides, whatever the overload
// or the receiver, so `indexOf` of strings costs as that of lists does: quirks of upstream that are
// behaviour. Source of behaviour: k8s.io/apiserver pkg/cel/library/cost.go.
// Tested by tests/kubernetes/tables_test.cc, the conformance tables `cost` and `cost_lists`, and
// against the oracle.
#pragma once

#include <span>

#include "typecheck/cost.h"

namespace portcullis::kubernetes {

// For EnvironmentOptions::named_costs. Constant.
std::span<const NamedCost> named_costs();

}  // namespace portcullis::kubernetes
