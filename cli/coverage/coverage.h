// Coverage: which outcomes the cases of a test run have shown of each policy.
//
// Idea: a policy has goals, each of which is an outcome that a case can bring about: a validation passes and fails, a
// test within an expression is true and false, a binding applies, its param is there and is missing. The percentage is
// that of goals reached. Errors and empty lists are counted and shown, but are no goals, because most expressions
// cannot fail on an object that the API server lets through. A CoveragePlan says what to watch in one engine; it is
// made before the first request, since it adds to the engine's table of paths. A definition of custom resources counts as a
// policy without bindings, whose validations are its rules.
// Limits: webhooks and schemas have no coverage; an expression that does not compile has no parts.
// Tested by cli/coverage/coverage_test.cc, tests/cli/coverage.txt.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/admission.h"
#include "admission/expressions/expression_places.h"
#include "cli/cluster/cluster.h"
#include "cli/coverage/outcomes.h"
#include "cli/coverage/parts.h"
#include "manifests/definitions.h"

namespace portcullis {

// What the whole expression brought about, in its Outcomes:
//   match condition, validation   yes: true, no: false, error
//   variable                      its values
//   message expression            yes: used, no: its value could not be used, error; only where the validation failed
//   audit annotation              yes: published, no: null or blank, error
//   mutation                      yes: changed the object, no: did not, error
struct CoverageExpression {
  ExpressionRole role = ExpressionRole::Validation;
  size_t index = 0;  // in its list
  std::string
      name;  // of a variable, condition or annotation; of a rule "x-kubernetes-validations[0] of spec"
  std::string path, text;
  Position position;                // in the file
  std::vector<Position> places;     // of each code point of the text; of white space line 0; empty: unknown
  std::vector<CoveragePart> parts;  // the first is the whole; empty: it does not compile or is never loaded
  Outcomes whole;
  std::vector<Outcomes> seen;  // by part

  // The place of a part, or of the whole if it is unknown.
  Position place(const CoveragePart& part) const;
  // The outcomes of a part; an unobserved branch has those of its condition.
  Outcomes outcomes(const CoveragePart& part) const;
};

struct CoverageBinding {
  std::string name, file;
  Position position;
  Position param_position;  // of spec.paramRef
  bool has_params = false;
  std::string not_found;  // parameterNotFoundAction
  // yes: with params, no: none were found, other: it refers to none.
  Outcomes seen;
};

struct CoveragePolicy {
  std::string name, file, kind;
  bool mutating = false;
  bool defines = false;  // it is a definition with rules
  Position position;
  std::string failure_policy = "Fail";
  std::vector<CoverageExpression> expressions;
  std::deque<CoverageBinding> bindings;
  Outcomes failures;  // yes: failurePolicy let an error pass, no: it denied
};

// One outcome that a case can bring about.
struct CoverageGoal {
  const CoverageExpression* expression = nullptr;
  int part = -1;  // of the expression; -1: the whole
  const CoverageBinding* binding = nullptr;
  std::string_view file;
  Position position;
  std::string missing;  // "`has(c.image)` is never false", as if it were not covered
  uint64_t times = 0;   // 0: not covered
};
// In the order of the policy.
std::vector<CoverageGoal> coverage_goals(const CoveragePolicy& policy);

// Goals that are not covered, with one entry in place of all goals of an expression or part that nothing evaluated.
std::vector<CoverageGoal> missing_goals(const CoveragePolicy& policy);

struct CoverageCount {
  size_t covered = 0, goals = 0;
  void operator+=(const CoverageCount& o) { covered += o.covered, goals += o.goals; }
  double percent() const {
    return goals == 0 ? 0 : 100.0 * static_cast<double>(covered) / static_cast<double>(goals);
  }
};
CoverageCount count_goals(const CoveragePolicy& policy);

// The lines on which an expression or a part of it begins, and how often that was evaluated; of several the outermost.
std::map<int, uint64_t> line_times(const CoverageExpression& expression);

// "96.3 %": rounded down, so that 100 means all; "none" if there is nothing to cover.
std::string percent_text(CoverageCount count);

// An expression as a collector watches it. Its counter is followed by those of its parts.
struct WatchedExpression {
  ProgramPtr program;  // null: it is not loaded
  size_t counter = 0;
  std::vector<int32_t> slots;  // by node: the counter of its part, from `counter` on; 0: none
};

struct WatchedPolicy {
  size_t failures = 0;  // the counter of CoveragePolicy::failures
  std::vector<WatchedExpression> conditions, validations, messages, annotations, mutations;
  std::map<std::string, WatchedExpression, std::less<>> variables;
  std::map<std::string, size_t, std::less<>> bindings;  // their counters
};

struct WatchedRule {
  WatchedExpression rule, message;
};

// What to watch in the reviews of one engine. Immutable, so threads share it.
struct CoveragePlan {
  std::map<const crd::CompiledRule*, WatchedRule> rules;
  std::map<std::string, WatchedPolicy, std::less<>> validating, mutating;  // by name
  std::vector<Outcomes*> targets;                                          // by counter, in the Coverage
};

class Coverage {
 public:
  // Adds the policies of a cluster with their bindings, and the definitions that have rules. `engine` was made of them, and
  // has not decided a request yet. The definitions must outlive the plan.
  std::shared_ptr<const CoveragePlan> plan(const ReviewCluster& cluster, const Engine& engine,
                                           std::span<const GivenDefinition> definitions = {});
  // Adds what a collector counted, by counter of the plan.
  void add(const CoveragePlan& plan, const std::vector<Outcomes>& counts);

  // By file and place, once all is added.
  std::vector<const CoveragePolicy*> policies() const;
  CoverageCount total() const;
  // The text of a file of policies or bindings.
  const std::string& text(const std::string& file) const { return files_.at(file); }

 private:
  friend class Planner;
  std::mutex mutex_;
  std::deque<CoveragePolicy> policies_;
  std::map<std::string, CoveragePolicy*> known_;  // by file, place and name
  std::map<std::string, std::string> files_;
};

}  // namespace portcullis
