// The costs of policies' expressions: the static range, and the measured cost on given manifests.
//
// Idea: expressions are found by their paths in the object, and compiled as the API server compiles them. The
// measured cost is the engine's own count during a review (ReviewTrace), so it is the number that a cluster
// enforces. Limits: variables have no measured cost of their own, since Kubernetes charges it to the
// expression that reads them first. Tested by tests/cli/check.txt.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "admission/admission.h"
#include "admission/expressions/environment.h"
#include "admission/expressions/expression_places.h"
#include "cli/cluster/cluster.h"

namespace portcullis {

// "validations[0]", with what distinguishes several expressions of an entry, and the name of a variable, condition or
// annotation.
std::string label_of(const PlacedExpression& expression);

// "spec.hosts[]": the values that the rule at a path in a definition is run for; empty: the whole object.
std::string rule_place(std::string_view path);
// "spec.hosts[] rule[0]", or its message.
std::string rule_label(std::string_view path, bool message);

// Whether a static cost says nothing: unknown sizes give enormous numbers (2^64 divided by ten).
bool is_unbounded(uint64_t cost);
// A static cost as people read it; "unbounded" if it says nothing.
std::string cost_text(uint64_t cost);
// "0.02%" of a limit, or "18.1x".
std::string share_text(uint64_t cost, uint64_t limit);

struct ExpressionEstimate {
  bool estimated = false;     // the expression compiles
  uint64_t min = 0, max = 0;  // static; UINT64_MAX: no bound
};

struct ExpressionCost : ExpressionEstimate {
  std::string path;                       // "spec.validations[0].expression"
  std::string label;                      // shorter, for people: "validations[0]"
  Position position;                      // in the file
  std::optional<ReviewTrace::Part> part;  // the part of a review that evaluates it
  int index = 0;
  std::optional<uint64_t> measured;           // the highest on any manifest
  const InputObject* cancelled_on = nullptr;  // the first manifest that exceeds the limit of a call
};

struct PolicyCosts {
  const InputObject* object = nullptr;
  std::vector<ExpressionCost> expressions;
  size_t evaluations = 0;  // number of manifests and params that the policy was evaluated for
  uint64_t conditions = 0, validations = 0,
           annotations = 0;  // the highest use of each budget by one evaluation
  uint64_t mutation = 0;     // the same of the budget that each mutation has for itself
  // The first manifests that exceed each budget.
  const InputObject *conditions_over = nullptr, *validations_over = nullptr, *annotations_over = nullptr;
};

// Estimates of expressions that were already compiled (ReviewCluster::problems).
class KnownEstimates {
 public:
  void add(const InputObject& object, const std::string& path, const CompiledExpression& compiled);
  // Null: the expression was not compiled.
  const ExpressionEstimate* find(const InputObject& object, const std::string& path) const;

 private:
  std::map<std::pair<const InputObject*, std::string>, ExpressionEstimate> known_;
};

// The costs of a policy of either sort, or of the match conditions of a webhook configuration. Compiles
// expressions without a known estimate.
PolicyCosts static_costs(const InputObject& policy, KubernetesVersion version, const KnownEstimates& known,
                         SharedParses& parses);

// Whether two measurements of one policy are equal.
bool same_measure(const PolicyCosts& a, const PolicyCosts& b);

// Adds warnings about evaluations that exceeded a limit.
void add_cost_problems(const PolicyCosts& costs, std::vector<PolicyProblem>& out);

// Measures the costs of reviews, as `trace` of a context. Call `begin` before each review of a manifest and
// `finish` after the last one.
class CostTrace final : public ReviewTrace {
 public:
  explicit CostTrace(std::vector<PolicyCosts>& costs);
  void evaluated(const Evaluated& expression, Replay& replay) override;
  void begin(const InputObject* manifest) {
    finish();
    manifest_ = manifest;
  }
  void finish();

 private:
  std::map<std::pair<bool, std::string_view>, PolicyCosts*> policies_;  // by sort (mutating) and name
  const InputObject* manifest_ = nullptr;
  // Of the current evaluation.
  PolicyCosts* policy_ = nullptr;
  std::string param_;
  uint64_t conditions_ = 0, validations_ = 0, annotations_ = 0;
};

}  // namespace portcullis
