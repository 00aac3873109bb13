// Conditions that the kind of an object decides: object.kind == "Pod", has(object.spec.template).
//
// Idea: a walk over the tree, through variables; what the kind does not say is open, as long as && and || need it.
// Tested by admission/patching/foreseen_test.cc, tests/cli/mutation_checks.txt.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>

#include "admission/ownership/merge_type.h"
#include "admission/patching/known_expression.h"

namespace portcullis::patching {

// Facts about the objects that expressions see. An empty text is unknown.
struct ObjectFacts {
  std::string_view kind, resource;
  const ownership::MergeType* type = nullptr;  // null: unknown
  bool config_maps = false;                    // params are ConfigMaps
};

class KindConditions {
 public:
  // Both must outlive this.
  KindConditions(const KnownVariables& variables, const ObjectFacts& facts)
      : variables_(variables), facts_(facts) {}

  // Whether the condition holds for all objects, or for none; nothing if it depends.
  std::optional<bool> decide(const Expr& condition) { return decide(condition, 0); }
  // The expression of the variable that the node reads; null if it reads none.
  const Expr* variable(const Expr& e) const;

 private:
  std::optional<bool> decide(const Expr& e, int depth);
  std::optional<bool> decide_variable(const Expr& root, int depth);
  std::optional<bool> equal(const Expr& a, const Expr& b, int depth);
  std::optional<std::string_view> text(const Expr& e, int depth);
  std::optional<bool> has(const Expr& path) const;

  const KnownVariables& variables_;
  const ObjectFacts& facts_;
  std::unordered_map<const Expr*, std::optional<bool>> decided_;  // variables
};

}  // namespace portcullis::patching
