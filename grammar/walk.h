// walk: builds the AST of a parse tree. Private to grammar/; parse.cc makes the parse tree.
// Tested by grammar/parse_test.cc, grammar/suites_test.cc.
#pragma once

#include "grammar/ast.h"
#include "grammar/diagnostic.h"
#include "grammar/parse.h"
#include "grammar/source.h"

namespace antlr4::tree {
class ParseTree;
}

namespace portcullis {

// Builds the expression under `tree`, an `expr` of CEL.g4 (null if a syntax error left none). Nodes go into
// `ast`, errors into `diagnostics`, which already holds the syntax errors. Returns null if a limit ends the
// walk.
Expr* walk(antlr4::tree::ParseTree* tree, const Source& source, const ParseOptions& options, Ast& ast,
           Diagnostics& diagnostics);

}  // namespace portcullis
