// The largest costs of expressions for objects that a request can hold, and what they consist of.
//
// Idea: the static estimate of the API server, with a size for everything that an expression reads: the bound of a
// schema, a size that the user assumes, or the largest that fits a request of 3 MiB. The estimate tells the cost of
// every part, so the whole is blamed on the parts as they are written, each times the rounds of the loops around it.
// A policy's variables cost once for all expressions of a budget that read them.
// Source of behaviour: cel-go checker/cost.go, apiserver pkg/admission/plugin/cel, crd/rule_costs.h. The estimates of
// rules are what the API server limits; of policies it limits only what evaluations cost.
// Limits: sizes are taken one by one, although together they must fit one request, so nested loops are overestimated, as
// they are by the API server. Elements of computed lists have the largest size.
// Tested by tests/cli/cost.txt.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/expressions/expression_places.h"
#include "cli/cluster/cluster.h"
#include "grammar/shared_parses.h"
#include "interpreter/cel.h"
#include "manifests/definitions.h"
#include "typecheck/estimate.h"

namespace portcullis {

// The largest sizes of lists, maps and texts that the user knows, by path ("object.spec.containers[].args") or by the
// last name in it ("args").
class Assumptions {
 public:
  // From PATH=N; fails with a sentence for the user.
  Result<void> add(std::string_view text);
  // The size at a path; nothing if none is assumed.
  std::optional<uint64_t> find(const std::string& path) const;
  // Those that no expression asked for.
  std::vector<std::string> unused() const;

 private:
  struct Size {
    uint64_t size = 0;
    mutable bool used = false;
  };
  std::map<std::string, Size, std::less<>> sizes_;
};

// A part of an expression, as it is written. Parents precede their parts.
struct CostPart {
  int depth = 0;
  std::string text;
  uint64_t cost = 0;    // with its parts, in all rounds of the loops around it
  uint64_t rounds = 0;  // of a loop
};

// A size on which a cost depends.
struct SizeTaken {
  enum class From : uint8_t { Request, User, Schema };
  std::string path;
  uint64_t size = 0;
  From from = From::Request;  // the largest that fits a request, if it is not known
};

// A change that lowers a cost, which was computed again with it.
struct CostAdvice {
  std::string text;
  std::string_view what;  // the number that falls: "at most", "at least", ...
  uint64_t before = 0, after = 0;
};

struct WorstCost {
  std::string path, label;
  Position position;
  std::string error;             // why it does not compile; empty: it does
  uint64_t min = 0, max = 0;     // of one evaluation
  uint64_t count = 1;            // of evaluations for one object: of a rule below lists
  uint64_t whole = 0;            // of all of them
  uint64_t limit = 0;            // on `whole`
  std::vector<CostPart> parts;   // the biggest first
  std::vector<SizeTaken> sizes;  // those that matter
  std::vector<CostAdvice> advice;

  // Whether it exceeds the limit with sizes that are known.
  bool certain() const;
  bool exceeds() const { return whole > limit; }
};

// What several expressions share.
struct CostBudget {
  std::string label;  // "validations"
  uint64_t worst = 0, limit = 0;
  bool known = true;  // all sizes are
};

struct WorstCosts {
  const InputObject* object = nullptr;
  std::vector<WorstCost> expressions;
  std::vector<CostBudget> budgets;
  std::vector<CostAdvice> advice;  // about several expressions
};

// Of a policy, or of the match conditions of a webhook configuration.
WorstCosts worst_costs(const InputObject& policy, const Assumptions& assumed, SharedParses& parses);

// Of the rules of a definition.
WorstCosts worst_costs(const GivenDefinition& definition);

// The text, at most about so many bytes of it, with "..." for the rest.
std::string cut(std::string text, size_t most);

// The parts of an expression whose static cost was found.
std::vector<CostPart> cost_parts(const Ast& ast, const EstimateParts& found);

}  // namespace portcullis
