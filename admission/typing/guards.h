// Which parts of an expression are not evaluated for objects of one kind: `object.kind != 'Pod' ||
// object.spec.containers...`
//
// Idea: the expression is evaluated as far as the kind and the operation decide it; what is not decided, and what is
// an error (object.kind in DELETE), is unknown. An operand whose other operand decides && or ||, and a branch that a
// condition excludes, is not reached, or its error does not matter.
// Limits: only tests of object.kind (also over literal lists), of request.operation, of object for null, has() of a
// field that the kind does not have, and variables of the policy that these decide. Tested by tests/cli/types.txt.
#pragma once

#include <map>
#include <optional>

#include "grammar/ast.h"

namespace portcullis {

// What is known of an expression for requests of an operation with objects of a kind: the values of nodes, as "Pod" of
// object.kind, "DELETE" of request.operation, null of object in DELETE, false of has() of a field that the kind does
// not have, the value of a variable.
using KindFacts = std::map<ExprId, Literal>;

// The value of the expression in such requests; nothing if it is unknown, or an error.
std::optional<Literal> known_value(const Expr& root, const KindFacts& facts);

// Whether the part `node` of `root` has no say in such requests.
bool is_guarded(const Expr& root, ExprId node, const KindFacts& facts);

}  // namespace portcullis
