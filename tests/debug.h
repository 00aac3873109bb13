// debug: a readable dump of a tree, in the form of cel-go's common/debug.
//
// Tested by grammar/debug_test.cc.
#pragma once

#include <functional>
#include <string>

#include "grammar/ast.h"
#include "grammar/source.h"

namespace portcullis {

// Returns the text put behind a node, or behind an entry of a map or struct (then `entry` is set and `node`
// is null).
using Adorn = std::function<std::string(const Expr* node, const Entry* entry)>;

// The tree under `expr`: one argument per line, indented by two spaces per level.
std::string debug_print(const Expr* expr, const Adorn& adorn = {});

// Prints each node with "^#id:*expr.Expr_CallExpr#" behind it; if `calls` is given, a node made by a macro
// call recorded in it gets "^#id:all#" instead.
std::string debug_print_kinds(const Expr* expr, const Ast* calls = nullptr);

// Prints each node with "^#id[line,column]#" behind it.
std::string debug_print_locations(const Expr* expr, const Ast& ast, const Source& source);

// The recorded macro calls, highest id first, joined by ",\n", each with the kinds of its nodes.
std::string debug_print_macro_calls(const Ast& ast);

}  // namespace portcullis
