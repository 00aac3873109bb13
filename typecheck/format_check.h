// format_check: the static check of `'...'.format([...])` (cel-go: the string_format validator).
//
// Idea: the clauses of the format text are walked with the static types of the elements; what evaluation
// would reject is an error already. Only types are judged; nothing is formatted.
// Tested by typecheck/validate_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast.h"

namespace portcullis {

struct FormatProblem {
  std::string message;       // empty: none
  const Expr* at = nullptr;  // null: the call
};

// Checks `format` against the checked elements `args`. `v4`: by the rules of strings version 4 and later.
// `max_precision` 0: no limit.
FormatProblem check_format_call(std::string_view format, const std::vector<Expr*>& args, bool v4,
                                uint32_t max_precision);

}  // namespace portcullis
