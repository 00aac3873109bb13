// Rules of x-kubernetes-validations: compiled against a schema, and run on values.
//
// Idea: a RuleChecker is a tree beside the schema with the compiled rules of each node; compiled once per CRD,
// immutable, shared by threads. Running it walks the value, types each node once and adds up the cost.
// Source of behaviour: apiextensions-apiserver pkg/apiserver/schema/cel (Compile, NewValidator, Validate).
// Limits: a budget per object (kPolicyCostBudget) and per call (kPerCallCostLimit). Order of properties is
// that of the object; upstream's is random.
// Tested by the conformance tables crd_*, and against the oracle's mode `crdrule`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admission/crd/decl_type.h"
#include "admission/crd/schema.h"
#include "admission/expressions/environment.h"
#include "admission/objects/field_error.h"
#include "interpreter/cel.h"

namespace portcullis::crd {

// A rule as the API server compiles it when a CRD is written.
struct CompiledRule {
  std::string error;      // not empty: it does not compile; then there is no program
  ProgramPtr program;     // null also for an empty rule
  uint64_t max_cost = 0;  // static estimate
  uint64_t max_cardinality = 0;
  bool uses_old_self = false;
  std::string message_error;  // of messageExpression
  ProgramPtr message;
  uint64_t message_max_cost = 0;
  std::string field_path;  // normalised, empty if there is none or it is not valid
};

struct CompiledRules {
  std::string error;  // the schema is not exposed to CEL, so no rule can be compiled
  std::vector<CompiledRule> rules;
};

// What rules are compiled with.
struct RuleEnvironment {
  std::shared_ptr<const Environment> base;  // stored_environment() or new_environment(version)
  bool keywords = true;                     // fields named by keywords (since 1.31)
  bool old_self = true;                     // declared since 1.24
};
// Of definitions that are stored, and of new ones at a compatibility version.
RuleEnvironment stored_rules();
RuleEnvironment new_rules(KubernetesVersion version);

// Compiles `rules` at a node of type `type` (null: not exposed) with schema `schema`. `types` of the result
// keep alive what programs refer to.
CompiledRules compile_rules(const SchemaPtr& schema, const DeclType* type, const std::vector<RuleText>& rules,
                            const RuleEnvironment& environment);

class RuleChecker {
 public:
  // Null: there are no rules anywhere in the schema.
  static std::unique_ptr<const RuleChecker> make(const SchemaPtr& schema, bool resource_root);
  ~RuleChecker();

  struct Outcome {
    std::vector<FieldError> errors;
    std::vector<FieldError> warnings;  // errors of what an update does not change
    int64_t remaining = 0;             // of the budget; negative: it ran out
  };
  // Validates `self` (with `old_self` on updates, null: there is none). Paths start at `path`, ""
  // for the root. With `ratcheting`, rules that fail on what did not change only warn, as the API
  // server does in updates.
  Outcome validate(std::string_view path, const Value& self, const Value* old_self, int64_t budget,
                   Context& context, bool ratcheting = false) const;

 private:
  struct Node;
  explicit RuleChecker(std::unique_ptr<const Node> root);
  std::unique_ptr<const Node> root_;
};

}  // namespace portcullis::crd
