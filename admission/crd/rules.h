// Rules of x-kubernetes-validations: compiled against a schema, and run on values.
//
// Idea: a RuleChecker is a tree parallel to the schema with the compiled rules of each node. It is compiled
// once per CRD, immutable and shared by threads. A run walks the value, types each node once and sums up the
// cost.
// Source of behaviour: apiextensions-apiserver pkg/apiserver/schema/cel (Compile, NewValidator, Validate).
// Limits: a budget per object (kPolicyCostBudget) and per call (kPerCallCostLimit). Properties are visited in
// the order of the object; upstream's order is random.
// Tested by admission/crd/rules_test.cc, the conformance tables crd_*, and against the oracle's mode
// `crdrule`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "admission/crd/decl_type.h"
#include "admission/crd/schema.h"
#include "admission/expressions/environment.h"
#include "admission/objects/field_error.h"
#include "interpreter/cel.h"

namespace portcullis::crd {

// A rule as the API server compiles it when a CRD is written.
struct CompiledRule {
  std::string error;      // if not empty, it does not compile and has no program
  ProgramPtr program;     // also null for an empty rule
  uint64_t max_cost = 0;  // static estimate
  uint64_t max_cardinality = 0;
  bool uses_old_self = false;
  std::string message_error;  // the error of messageExpression
  ProgramPtr message;
  uint64_t message_max_cost = 0;
  std::string field_path;  // normalised; empty if absent or invalid
};

struct CompiledRules {
  std::string error;  // if not empty, CEL cannot see the schema, so no rule compiles
  std::vector<CompiledRule> rules;
};

// The compiled rules of definitions that differ in rules alone, as many variants of one do: each compiles only those
// whose texts no other one has at the same place. Threads may share it.
class RuleMemo {
 public:
  struct Kept {
    std::vector<RuleText> texts;
    CompiledRules compiled;
    std::shared_ptr<const DeclTypes> types;  // programs refer to them
  };
  // The rules that were kept at this place first, or null. They live as long as the memo.
  const Kept* find(const Environment& environment, const std::string& path) const;
  void keep(const Environment& environment, const std::string& path, Kept kept);

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<const Environment*, std::string>, const Kept>
      places_;  // by environment of rules and path
};

// Receives an expression of a rule, or its messageExpression, with the sizes of its static cost. `rule`: its index.
using RuleTold = std::function<void(size_t rule, bool message, const ExpressionPtr& expression,
                                    const SizeEstimator& sizes)>;

// The environment of rules, and what else depends on the release.
struct RuleEnvironment {
  std::shared_ptr<const Environment> base;     // stored_environment() or new_environment(version)
  bool keywords = true;                        // fields named by keywords (since 1.31)
  bool old_self = true;                        // oldSelf is declared (since 1.24)
  RuleTold told = {};                          // is told each expression that compiles; may be empty
  uint32_t server = KubernetesVersion::kLast;  // the minor whose formats of schemas are checked
  RuleMemo* memo = nullptr;  // if there is one, only rules that it lacks are compiled and told
};
// The environment of stored definitions, and that of new ones at a compatibility version.
RuleEnvironment stored_rules();
RuleEnvironment new_rules(KubernetesVersion version);

// The place of rules in a definition.
struct RulePlace {
  const SchemaPtr& schema;
  const DeclType* type;                           // null: not exposed to CEL
  const std::shared_ptr<const DeclTypes>& types;  // those that `type` is one of; must outlive the programs
  std::string path;                               // in the definition, for the memo
};
// Compiles the rules of a place.
CompiledRules compile_rules(const RulePlace& place, const std::vector<RuleText>& rules,
                            const RuleEnvironment& environment);

// A rule of a schema with its place there: "properties[spec].x-kubernetes-validations[0]".
struct PlacedRule {
  std::string path;
  size_t index;  // in its list
  const RuleText* text;
  const CompiledRule* compiled;
};

// A rule that refused a value: its path in the schema, as in PlacedRule, and its text.
struct FailedRule {
  std::string path, text;
  bool error = false;  // it is not false, but its evaluation ends in an error
};

struct EvaluatedRule {
  const CompiledRule& rule;
  bool message;  // it is the messageExpression
  Value value;   // may be an error
};

// Evaluates again from the same values, which live as long as the evaluating context.
class RuleReplay {
 public:
  virtual ~RuleReplay() = default;
  // `program`: made of the same text in the same environment (ProgramOptions::watch).
  virtual void run(const Program& program, Watch& watch) = 0;
  // Compiles the text again and tells the values of its nodes. Null if it does not compile.
  virtual ExpressionPtr explain(Watch& watch) = 0;
};

// Hears of rules when they are evaluated. Replays are valid during the call only.
class RuleTrace {
 public:
  virtual ~RuleTrace() = default;
  // Each rule that is evaluated, and the messageExpression of one that is false.
  virtual void evaluated(const EvaluatedRule&, RuleReplay&) {}
  // Each rule that refuses a value. `number`: of the rule in Outcome::rules.
  virtual void failed(size_t /*number*/, RuleReplay&) {}
};

class RuleChecker {
 public:
  // Null if the schema has no rules.
  // `place`: of the schema in its definition.
  static std::unique_ptr<const RuleChecker> make(const SchemaPtr& schema, bool resource_root,
                                                 const RuleEnvironment& environment = stored_rules(),
                                                 std::string_view place = {});
  ~RuleChecker();

  struct Outcome {
    std::vector<FieldError> errors;
    std::vector<FailedRule>
        rules;  // of each error, the rule that failed; an empty path: it is none of a rule
    std::vector<FieldError> warnings;  // errors of values that the update did not change
    int64_t remaining = 0;             // of the budget; negative if it ran out
  };
  // Validates `self`; `old_self` is null unless this is an update. Paths start with `path`, "" for the root.
  // With `ratcheting`, errors of unchanged values are only warnings, as in updates by the API server. `trace` may be
  // null.
  Outcome validate(std::string_view path, const Value& self, const Value* old_self, int64_t budget,
                   Context& context, bool ratcheting = false, RuleTrace* trace = nullptr) const;
  // All rules that objects are validated with. They live as long as this.
  std::vector<PlacedRule> rules() const;

 private:
  struct Node;
  explicit RuleChecker(std::unique_ptr<const Node> root);
  std::unique_ptr<const Node> root_;
};

}  // namespace portcullis::crd
