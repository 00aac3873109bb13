// What the expressions of policies cost: the static range, and what was measured on given manifests.
//
// Idea: expressions are found by their paths in the object and compiled as the API server compiles them; the
// measure is the engine's own account of a review (ReviewTrace), so it is the number that a cluster enforces.
// Limits: variables have no measure of their own, since Kubernetes charges them to the expression that reads
// them first. Tested by tests/cli/check.txt.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "admission/admission.h"
#include "admission/expressions/environment.h"
#include "cli/cluster/cluster.h"
#include "cli/reading/input.h"

namespace portcullis {

struct ExpressionEstimate {
  bool estimated = false;     // it compiles
  uint64_t min = 0, max = 0;  // static; UINT64_MAX: no bound
};

struct ExpressionCost : ExpressionEstimate {
  std::string path;                       // "spec.validations[0].expression"
  std::string label;                      // the same for people: "validations[0]"
  Position position;                      // in the file
  std::optional<ReviewTrace::Part> part;  // what a review evaluates
  int index = 0;
  std::optional<uint64_t> measured;           // the most on any manifest
  const InputObject* cancelled_on = nullptr;  // the first manifest that takes more than the limit of a call
};

struct PolicyCosts {
  const InputObject* object = nullptr;
  std::vector<ExpressionCost> expressions;
  size_t evaluations = 0;  // manifests and params that the policy was evaluated for
  uint64_t conditions = 0, validations = 0,
           annotations = 0;  // the most that one evaluation took of each budget
  // The first manifests that take more than there is of each.
  const InputObject *conditions_over = nullptr, *validations_over = nullptr, *annotations_over = nullptr;
};

// Estimates of expressions that were compiled for something else (ReviewCluster::problems).
class KnownEstimates {
 public:
  void add(const InputObject& object, const std::string& path, const CompiledExpression& compiled);
  // Null: the expression was not compiled.
  const ExpressionEstimate* find(const InputObject& object, const std::string& path) const;

 private:
  std::map<std::pair<const InputObject*, std::string>, ExpressionEstimate> known_;
};

// Costs of a policy of either sort, or of the match conditions of a webhook configuration. Compiles what is not known.
PolicyCosts static_costs(const InputObject& policy, KubernetesVersion version, const KnownEstimates& known,
                         SharedParses& parses);

// Whether two measures of one policy are the same.
bool same_measure(const PolicyCosts& a, const PolicyCosts& b);

// Warns of what was cancelled since it cost more than a limit.
void add_cost_problems(const PolicyCosts& costs, std::vector<PolicyProblem>& out);

// Collects what reviews cost; set as `trace` of a context. Call `begin` before each review of a manifest and
// `finish` behind the last.
class CostTrace final : public ReviewTrace {
 public:
  explicit CostTrace(std::vector<PolicyCosts>& costs) : costs_(costs) {}
  void evaluated(const Evaluated& expression, Replay& replay) override;
  void begin(const InputObject* manifest) {
    finish();
    manifest_ = manifest;
  }
  void finish();

 private:
  std::vector<PolicyCosts>& costs_;
  const InputObject* manifest_ = nullptr;
  // Of the evaluation under way.
  PolicyCosts* policy_ = nullptr;
  std::string param_;
  uint64_t conditions_ = 0, validations_ = 0, annotations_ = 0;
};

}  // namespace portcullis
