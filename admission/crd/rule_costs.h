// The static costs of all rules of a schema, place by place, as the API server computes them when a definition is
// written.
//
// Idea: a rule costs its expression's estimate times the number of values that the lists and maps around it may have.
// Who wants to know more of the expressions than their costs is told of each.
// Source of behaviour: apiextensions-apiserver pkg/apis/apiextensions/validation (CELSchemaContext).
// Tested by tests/cli/crd.txt, tests/cli/cost.txt.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "admission/crd/rules.h"
#include "admission/crd/schema.h"

namespace portcullis::crd {

inline constexpr uint64_t kRuleCostLimit = 10'000'000;         // upstream's StaticEstimatedCostLimit
inline constexpr uint64_t kDefinitionCostLimit = 100'000'000;  // upstream's StaticEstimatedCRDCostLimit

struct RuleCost {
  const RuleText* text = nullptr;  // in the schema
  std::string path;                // "spec.versions[0]...x-kubernetes-validations[0]"
  CompiledRule compiled;
  uint64_t count = 0;        // of values that the rule is run for
  uint64_t whole = 0;        // of all of them
  std::string uncorrelated;  // the list in which oldSelf cannot be used
};

struct RuleCosts {
  std::vector<RuleCost> rules;
  std::vector<std::pair<std::string, std::string>> failures;  // path and text: CEL cannot see the schema
};

// Is told each expression of the rule at `path`, or its messageExpression, during the call.
using RuleExpressionTold = std::function<void(const std::string& path, bool message,
                                              const ExpressionPtr& expression, const SizeEstimator& sizes)>;

// The rules of the schema of a resource, which is at `path` in its definition.
RuleCosts rule_costs(const SchemaPtr& root, const std::string& path, const RuleEnvironment& environment,
                     const RuleExpressionTold& told = {});

}  // namespace portcullis::crd
