// Validators: checks of literals in an expression that has passed the type check (cel-go: AST validators).
//
// Idea: a validator is a row {name, kind, predicate}. An environment applies each name once, in the order of
// first declaration, however many libraries declare it. Checks that need the interpreter (is this text a
// duration, does this pattern compile) are function pointers in the row.
// Tested by typecheck/validate_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast.h"
#include "grammar/diagnostic.h"

namespace portcullis {

enum class ValidatorKind : uint8_t {
  LiteralArgument,  // where argument `argument` of a call of `function` is a literal, `valid` must accept it
  // The elements of a list or map literal must have one type (message "expected type ... but found ...").
  Homogeneous,
  Format,     // string.format with literal format and literal list; formatter of strings versions 1 to 3
  FormatV4,   // the same with the formatter of strings version 4
  Exemption,  // no check: literals inside calls of `function` need not be homogeneous
};

struct Validator {
  std::string_view name;  // "cel.validator.duration": applied once per environment
  ValidatorKind kind = ValidatorKind::LiteralArgument;
  // LiteralArgument: the function, also named in the message. Exemption: the function.
  std::string_view function = {};
  // LiteralArgument: index among the arguments, receiver not counted. Format: highest precision.
  uint32_t argument = 0;
  // LiteralArgument: whether the literal is valid. False reports "invalid <function> argument", followed by
  // ": detail" if the function sets `detail`.
  bool (*valid)(const Literal& literal, std::string& detail) = nullptr;
  uint8_t since = 0;  // the first library version that has it
  uint8_t until = 255;
};

// The validator of homogeneous literals, as the API server uses it (since 1.0).
inline constexpr Validator kHomogeneousLiterals = {.name = "cel.validator.homogeneous_literals",
                                                   .kind = ValidatorKind::Homogeneous};

// Runs `validators` in their order over a checked expression and reports their errors to `diagnostics`.
void validate(const Ast& ast, const std::vector<const Validator*>& validators, Diagnostics& diagnostics);

}  // namespace portcullis
