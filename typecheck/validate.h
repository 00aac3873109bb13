// Validators: checks on the literals of an expression that type-checked (cel-go: AST validators).
//
// Idea: a validator is a row {name, what it looks at, predicate}; an environment applies each name once, in
// the order in which they came, whatever the number of libraries that bring it. What only the interpreter can
// judge (is this text a duration, does this pattern compile) comes in as a function pointer.
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
  LiteralArgument,  // calls of `function` whose argument `argument` is a literal: `valid` must hold
  // Elements of list and map literals are of one type (message "expected type ... but found ...").
  Homogeneous,
  Format,     // string.format with literal format and literal list; formatter of strings versions 1 to 3
  FormatV4,   // the same with the formatter of strings version 4
  Exemption,  // no check: literals inside calls of `function` need not be homogeneous
};

struct Validator {
  std::string_view name;  // "cel.validator.duration": applied once per environment
  ValidatorKind kind = ValidatorKind::LiteralArgument;
  // LiteralArgument: function name and word of the message; Exemption: function.
  std::string_view function = {};
  // LiteralArgument: index among the arguments, receiver not counted. Format: highest precision.
  uint32_t argument = 0;
  // LiteralArgument: whether the literal is fine; false reports "invalid <function> argument", followed by ":
  // detail" if a detail was set.
  bool (*valid)(const Literal& literal, std::string& detail) = nullptr;
  uint8_t since = 0;  // library version that brought it
  uint8_t until = 255;
};

// The homogeneous-literals validator, as environments turn it on (Kubernetes since 1.0).
inline constexpr Validator kHomogeneousLiterals = {.name = "cel.validator.homogeneous_literals",
                                                   .kind = ValidatorKind::Homogeneous};

// Runs `validators` over a checked expression; reports what they find to `diagnostics`, in their order.
void validate(const Ast& ast, const std::vector<const Validator*>& validators, Diagnostics& diagnostics);

}  // namespace portcullis
