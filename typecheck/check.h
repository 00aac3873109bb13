// Check: type inference and overload resolution (cel-go's checker), written onto the AST once.
//
// Idea: one walk; every node gets its `type`, and names get a Reference that says what they resolved to, so
// that nobody looks a name up again. The tree is rewritten as cel-go does: a qualified variable `a.b` becomes
// one Ident "a.b", a namespaced call `math.least(x)` loses its target and gets its full name.
// Messages and positions are cel-go's. Limits: kMaxDiagnostics errors are kept, the rest is counted. Tested
// by typecheck/check_test.cc, and against Kubernetes by tests/.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <vector>

#include "grammar/ast.h"
#include "grammar/diagnostic.h"
#include "typecheck/environment.h"
#include "typecheck/type.h"

namespace portcullis {

class Source;

enum class ReferenceKind : uint8_t {
  Local,     // a variable of an enclosing comprehension; `name` is it
  Variable,  // a declared variable; `name` in full, with a leading dot if a local of that name hides it
  TypeName,  // a type as a value; `type` is what it names
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
  // Function: all overloads of that name, for dispatch at run time when several fit; null for `_?._`.
  const FunctionGroup* group = nullptr;
};

// Owns what check() writes onto an AST; must live as long as the AST is used.
struct Annotations {
  TypePool types;
  std::list<Reference> references;
};

// Checks `ast` (of `source`) in `environment` and, if it is well typed, runs the environment's validators.
// Returns what is wrong, unsorted (render() sorts); empty: well typed, and every node has a type.
// After errors the annotations are incomplete.
Diagnostics check(const Source& source, Ast& ast, const Environment& environment, Annotations& annotations);

}  // namespace portcullis
