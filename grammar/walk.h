// walk: parse tree to AST. Private to grammar/; parse.cc makes the tree.
#pragma once

#include "grammar/ast.h"
#include "grammar/diagnostic.h"
#include "grammar/parse.h"
#include "grammar/source.h"

namespace antlr4::tree {
class ParseTree;
}

namespace portcullis {

// The expression under `tree`, an `expr` of CEL.g4 (null: a syntax error left nothing). Nodes go into `ast`,
// what is wrong into `diagnostics`, which holds the syntax errors already. Null when it gave up.
Expr* walk(antlr4::tree::ParseTree* tree, const Source& source, const ParseOptions& options, Ast& ast,
           Diagnostics& diagnostics);

}  // namespace portcullis
