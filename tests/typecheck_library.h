// A small library for the tests of typecheck/: rows with cel-go's ids and signatures, without
// implementations. The real tables are in interpreter/functions, which typecheck must not include.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/parse.h"
#include "typecheck/check.h"
#include "typecheck/environment.h"
#include "typecheck/estimate.h"
#include "typecheck/signature.h"

namespace portcullis::testing {

inline constexpr Function kRows[] = {
    {.id = "conditional", .signature = "_?_:_(bool, A, A) -> A"},
    {.id = "logical_and", .signature = "_&&_(bool, bool) -> bool"},
    {.id = "logical_or", .signature = "_||_(bool, bool) -> bool"},
    {.id = "logical_not", .signature = "!_(bool) -> bool"},
    {.id = "not_strictly_false", .signature = "@not_strictly_false(bool) -> bool"},
    {.id = "equals", .signature = "_==_(A, A) -> bool", .cost = {.estimate = estimate_comparison}},
    {.id = "not_equals", .signature = "_!=_(A, A) -> bool", .cost = {.estimate = estimate_comparison}},
    {.id = "less_int64", .signature = "_<_(int, int) -> bool"},
    {.id = "less_int64_double", .signature = "_<_(int, double) -> bool"},
    {.id = "less_double", .signature = "_<_(double, double) -> bool"},
    {.id = "add_bytes",
     .signature = "_+_(bytes, bytes) -> bytes",
     .cost = {.estimate = estimate_concatenation}},
    {.id = "add_int64", .signature = "_+_(int, int) -> int"},
    {.id = "add_list",
     .signature = "_+_(list(A), list(A)) -> list(A)",
     .cost = {.estimate = estimate_list_concatenation}},
    {.id = "add_string",
     .signature = "_+_(string, string) -> string",
     .cost = {.estimate = estimate_concatenation}},
    {.id = "index_list", .signature = "_[_](list(A), int) -> A"},
    {.id = "index_map", .signature = "_[_](map(A, B), A) -> B"},
    {.id = "in_list",
     .signature = "@in(A, list(A)) -> bool",
     .cost = {.estimate = estimate_by<shapes::kSize1>}},
    {.id = "in_map", .signature = "@in(A, map(A, B)) -> bool"},
    {.id = "size_list", .signature = "size(list(A)) -> int"},
    {.id = "size_string", .signature = "size(string) -> int"},
    {.id = "list_size", .signature = "list(A).size() -> int"},
    {.id = "string_size", .signature = "string.size() -> int"},
    {.id = "starts_with_string",
     .signature = "string.startsWith(string) -> bool",
     .cost = {.estimate = estimate_by<shapes::kScan1>}},
    {.id = "matches",
     .signature = "matches(string, string) -> bool",
     .cost = {.estimate = estimate_by<shapes::kMatch>}},
    {.id = "matches_string",
     .signature = "string.matches(string) -> bool",
     .cost = {.estimate = estimate_by<shapes::kMatch>}},
    {.id = "to_dyn", .signature = "dyn(A) -> dyn"},
    {.id = "type", .signature = "type(A) -> type(A)"},
    {.id = "string_to_duration", .signature = "duration(string) -> duration"},
    {.id = "string_to_bytes",
     .signature = "bytes(string) -> bytes",
     .cost = {.estimate = estimate_string_to_bytes}},
    {.id = "math_@max_int", .signature = "math.@max(int) -> int"},
    {.id = "list_sets_contains_list",
     .signature = "sets.contains(list(T), list(T)) -> bool",
     .cost = {.estimate = estimate_by<shapes::kPairs>},
     .flags = kCostRegistered},
    {.id = "string_format", .signature = "string.format(list(dyn)) -> string", .since = 1},
    {.id = "old_thing", .signature = "old() -> int", .until = 1},
};

inline constexpr Function kOptionalRows[] = {
    {.id = "optional_of", .signature = "optional.of(V) -> optional_type(V)"},
    {.id = "optional_none", .signature = "optional.none() -> optional_type(V)"},
    {.id = "optional_value", .signature = "optional_type(V).value() -> V"},
    {.id = "optional_hasValue", .signature = "optional_type(V).hasValue() -> bool"},
    {.id = "select_optional_field", .signature = "_?._(dyn, string) -> optional_type(V)"},
    {.id = "map_optindex_optional_value", .signature = "_[?_](map(K, V), K) -> optional_type(V)"},
};

inline constexpr std::string_view kOptionalTypes[] = {"optional_type(dyn)"};
inline constexpr Validator kFormatValidator = {
    .name = "cel.validator.string_format", .kind = ValidatorKind::Format, .argument = 1000, .since = 1};

// Static, because environments refer to their libraries.
inline const Library& standard_library() {
  static const Library library{.name = "standard",
                               .latest = 1,
                               .functions = kRows,
                               .macros = macros::standard(),
                               .validators = {&kFormatValidator, 1}};
  return library;
}
inline const Library& optional_library() {
  static const Library library{.name = "optional",
                               .functions = kOptionalRows,
                               .macros = macros::optionals(),
                               .types = kOptionalTypes,
                               .flags = kOptionalSyntax};
  return library;
}

using Variables = std::vector<std::pair<std::string_view, std::string_view>>;

inline EnvironmentBuilder builder(const Variables& variables = {}) {
  EnvironmentBuilder b;
  b.library(standard_library()).library(optional_library());
  for (const auto& [name, type] : variables) b.variable(name, parse_type(type, b.types()).value());
  return b;
}

// An expression, parsed and checked.
struct Checked {
  std::shared_ptr<const Environment> environment;
  Source source;
  Parsed parsed;
  Annotations annotations;
  Diagnostics diagnostics;

  Checked(std::shared_ptr<const Environment> env, std::string_view text)
      : environment(std::move(env)),
        source(text),
        parsed(parse(source, environment->parse_options())),
        diagnostics(parsed.ok() ? check(parsed.ast, *environment, annotations) : parsed.diagnostics) {}
  Checked(const Checked&) = delete;

  const Expr& root() const { return *parsed.ast.root; }
  // The type of the expression, or its errors.
  std::string type() const {
    return diagnostics.empty() ? type_string(root().type) : render(source, diagnostics);
  }
  // The first message without its place, or "".
  std::string message() const { return diagnostics.empty() ? "" : diagnostics.items()[0].message; }
};

inline std::string type_of(std::string_view text, const Variables& variables = {}) {
  return Checked(builder(variables).build().value(), text).type();
}
inline std::string message_of(std::string_view text, const Variables& variables = {}) {
  return Checked(builder(variables).build().value(), text).message();
}

}  // namespace portcullis::testing
