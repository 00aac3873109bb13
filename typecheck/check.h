// check: infers the types of an expression and resolves its names and overloads, as cel-go's checker does.
//
// Idea: one walk gives every node its `type`, and gives nodes with names a Reference to what the name
// resolved to, so that later passes look up no names. The tree is rewritten as in cel-go: a qualified
// variable `a.b` becomes one Ident "a.b"; a namespaced call `math.least(x)` loses its target and gets its
// full name. Messages and their places are cel-go's.
// Limits: kMaxDiagnostics errors are kept, the rest are counted.
// The folder in reading order: type, shared_nodes, signature, validate, function, cost, environment, unify, check,
// format_check, estimate.
// Tested by typecheck/check_test.cc, and by tests/conformance and tests/oracle against Kubernetes.
#pragma once

#include <list>
#include <string>
#include <vector>

#include "grammar/ast.h"
#include "grammar/diagnostic.h"
#include "typecheck/environment.h"
#include "typecheck/type.h"

namespace portcullis {

class Source;

enum class ReferenceKind : uint8_t {
  Local,     // a variable of an enclosing comprehension; `name`
  Variable,  // a declared variable; `name` in full, with a leading dot if a local variable hides it
  TypeName,  // a type as a value; `type` is the type
  Constant,  // an enum constant; `constant`
  Function,  // a call; `overloads`
  Struct,    // a struct literal; `name` in full
};

struct Reference {
  ReferenceKind kind = ReferenceKind::Variable;
  std::string name;
  const Type* type = nullptr;
  int64_t constant = 0;
  // Function: the overloads that fit, in the order of declaration; several if arguments are dyn.
  std::vector<const Overload*> overloads;
  // Function: all overloads of that name, for dispatch at run time if several fit. Null for `_?._`.
  const FunctionGroup* group = nullptr;
};

// Owns the types and references that check() writes onto an AST; must outlive the AST's users.
struct Annotations {
  TypePool types;
  std::list<Reference> references;
};

// Checks `ast` in `environment` and, if it is well typed, runs the environment's
// validators. Returns the errors, unsorted (render() sorts them). No errors: every node has a type. After
// errors the annotations are incomplete.
Diagnostics check(Ast& ast, const Environment& environment, Annotations& annotations);

}  // namespace portcullis
