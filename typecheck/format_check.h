// format_check: checks `'...'.format([...])` before evaluation (cel-go's string_format validator).
//
// Idea: each clause of the format text is compared with the static type of its argument; what would fail at
// run time is an error now. Nothing is formatted.
// Tested by typecheck/validate_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast.h"

namespace portcullis {

struct FormatProblem {
  std::string message;       // empty: no problem
  const Expr* at = nullptr;  // the node to report at; null: the call
};

// What a clause says of an argument that its verb (s, d, f, e, b, x, X or o) cannot print; the name of the argument's
// type follows. `v4`: by strings version 4 and later. Source: cel-go's ext/formatting.go and formatting_v2.go.
std::string_view format_complaint(char verb, bool v4);
// What is said of a clause whose verb is none of these.
std::string unknown_verb(char verb);

struct Precision {
  std::optional<int64_t> value;  // nothing: the clause has none
  std::string error;             // cel-go's text; empty if it can be read
};
// Reads the precision of a clause (".12"). `at` is behind the '%', and moves behind the digits. `max`: the largest
// allowed.
Precision read_precision(std::string_view format, size_t& at, int64_t max);

// Checks the text `format` with the checked elements `args` of its list. `v4`: by the rules of strings
// version 4 and later. `max_precision`: the largest precision allowed; 0: no limit.
FormatProblem check_format_call(std::string_view format, const std::vector<Expr*>& args, bool v4,
                                uint32_t max_precision);

}  // namespace portcullis
