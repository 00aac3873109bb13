// What is known of the expressions of a policy in requests of each operation, for objects of one kind.
//
// Idea: the operation says which of object and oldObject is null, the kind which fields are missing. These decide
// variables and match conditions, which decide more. Tested by tests/cli/types.txt.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "admission/expressions/expression_places.h"
#include "admission/objects/request.h"
#include "admission/typing/checked.h"
#include "admission/typing/guards.h"

namespace portcullis {

class RequestFacts {
 public:
  // Why a diagnostic at a node is wrong for the kind; empty: it is not known to be.
  using WhyWrong = std::function<std::string(const Diagnostic&, const Expr& node)>;

  // `operations`: operation_bit. `variables`: all of the policy, also those that are not added yet; must outlive this.
  RequestFacts(std::string kind, uint8_t operations, WhyWrong why_wrong,
               const std::vector<PlacedExpression>& variables);

  // These add a match condition, and the next variable; its check lives as long as this.
  void add_condition(const PlacedExpression& condition, const Environment& environment, SharedParses& parses);
  const Checked& add_variable(const PlacedExpression& variable, const Environment& environment,
                              SharedParses& parses);

  // What is known of the expression in requests of each operation in which the policy evaluates it.
  std::vector<KindFacts> of(const PlacedExpression& site, const Checked& checked);

 private:
  using Known = std::optional<Literal>;
  using Values = std::map<std::string_view, Literal>;  // of variables

  // What is known of a variable or match condition for the kind.
  struct Deciding {
    Deciding(const PlacedExpression& s, const Environment& environment, SharedParses& parses)
        : site(&s), checked(s.text, environment, parses) {}

    const PlacedExpression* site;
    Checked checked;
    std::optional<std::set<ExprId>> missing = {};  // see missing_in
  };
  // What is known in requests of an operation: of the first so many variables and conditions.
  struct Decided {
    Operation operation;
    size_t variables = 0, conditions = 0;
    Values values = {};
    std::set<const PlacedExpression*> false_conditions = {};
  };

  void decide(Decided& d);
  Known value_of(Deciding& e, const Decided& d);
  std::set<ExprId> missing_in(const Checked& checked) const;
  void add_facts(const Expr& e, const PlacedExpression& site, Operation operation,
                 const std::set<ExprId>& missing, const Values& values, KindFacts& out) const;
  bool is_there(const Expr* root, const PlacedExpression& site, Operation operation) const;

  std::string kind_;
  WhyWrong why_wrong_;
  const std::vector<PlacedExpression>& all_variables_;
  std::vector<Decided> decided_;                 // of each operation
  std::deque<Deciding> variables_, conditions_;  // that were added
};

}  // namespace portcullis
