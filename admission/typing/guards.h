// Which parts of an expression are not evaluated for objects of one kind: `object.kind != 'Pod' || object.spec.containers...`
//
// Idea: the expression is evaluated as far as the kind alone decides it; what is not decided is unknown. An operand whose
// other operand decides && or ||, and a branch that a condition excludes, is not reached, or its error does not matter.
// Limits: only tests of object.kind (also over literal lists) and has() of a field that the kind does not have; variables
// of the policy are unknown. Tested by tests/cli/types.txt.
#pragma once

#include <set>
#include <string_view>

#include "grammar/ast.h"

namespace portcullis {

// What is known of an expression for objects of a kind.
struct KindFacts {
  std::string_view kind;     // "Pod"
  std::set<ExprId> kinds;    // the nodes whose value it is: object.kind
  std::set<ExprId> missing;  // the nodes has() of a field that the kind does not have
};

// Whether the part `node` of `root` has no say for this kind.
bool is_guarded(const Expr& root, ExprId node, const KindFacts& facts);

}  // namespace portcullis
