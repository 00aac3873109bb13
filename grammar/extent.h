// extent: the text of a node, with all its tokens.
//
// Idea: an Ast knows one token of each node (Span), which is where cel-go points at. The whole text reaches from the
// first token of its parts to the last one, and takes in names and closing brackets, which are read from the source.
// Parentheses around a node do not belong to it.
// Limits: a bracket after a raw string that ends in a backslash may be missed; then the text ends early.
// Tested by grammar/extent_test.cc.
#pragma once

#include "grammar/ast.h"
#include "grammar/source.h"

namespace portcullis {

// The code points [start, stop) of a node as it is written (a macro by its call); kNoOffset if it has no place.
Span extent(const Ast& ast, const Expr* expr, const Source& source);

}  // namespace portcullis
