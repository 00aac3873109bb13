// debug: a readable dump of a tree, in the form of cel-go's common/debug.
//
// Tested by grammar/debug_test.cc.
#pragma once

#include <functional>
#include <string>

#include "grammar/ast.h"
#include "grammar/source.h"

namespace portcullis {

// Text put behind each node (or behind an entry of a map or struct: then `entry` is given
// and `node` is null).
using Adorn = std::function<std::string(const Expr* node, const Entry* entry)>;

// The tree under `expr`, one argument a line, indented by two spaces.
std::string debug_print(const Expr* expr, const Adorn& adorn = {});

// Adorned "^#id:*expr.Expr_CallExpr#", a node made by a recorded macro call "^#id:all#"
// where `calls` is given.
std::string debug_print_kinds(const Expr* expr, const Ast* calls = nullptr);

// Adorned "^#id[line,column]#".
std::string debug_print_locations(const Expr* expr, const Ast& ast, const Source& source);

// The recorded macro calls, highest id first, joined by ",\n", adorned with kinds.
std::string debug_print_macro_calls(const Ast& ast);

}  // namespace portcullis
