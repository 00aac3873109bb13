// unparse: prints an AST as text, as cel-go's Unparse does.
//
// Idea: the text parses back to the same tree. Parentheses appear only where precedence needs them, macros as
// they were called (Ast::macro_calls), strings in double quotes, bytes as octal escapes; long lines break at
// operators.
// Limits: comments and spacing are lost; a comprehension without a recorded macro call has no source form.
// Tested by grammar/unparse_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast.h"
#include "grammar/result.h"

namespace portcullis {

// Defaults are cel-go's.
struct UnparseOptions {
  // A line that has reached this length breaks at the next wrapping operator; at least 1.
  int wrap_column = 80;
  bool wrap_after_operator = true;
  std::vector<std::string_view> wrap_operators = {operators::kLogicalAnd, operators::kLogicalOr};
};

// The text of `expr`. Fails on a node without a source form and on options that cel-go refuses.
Result<std::string> unparse(const Ast& ast, const Expr* expr, const UnparseOptions& options = {});

inline Result<std::string> unparse(const Ast& ast, const UnparseOptions& options = {}) {
  return unparse(ast, ast.root, options);
}

}  // namespace portcullis
