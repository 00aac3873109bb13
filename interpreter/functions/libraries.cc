#include "interpreter/functions/libraries.h"

#include <vector>

#include "interpreter/duration.h"
#include "interpreter/functions/tables.h"
#include "interpreter/regex.h"
#include "interpreter/timestamp.h"

namespace portcullis {
namespace {

using Rows = std::vector<Function>;

// The rows of several tables as one.
Rows joined(std::initializer_list<std::span<const Function>> tables) {
  Rows rows;
  for (auto table : tables) rows.insert(rows.end(), table.begin(), table.end());
  return rows;
}

const Rows& stdlib_rows() {
  static const Rows rows = joined({tables::logic(), tables::comparison(), tables::arithmetic(), tables::collections(),
                                   tables::conversions(), tables::texts(), tables::times()});
  return rows;
}

bool is_duration(const Literal& literal, std::string&) {
  const auto* text = std::get_if<std::string>(&literal);
  return text == nullptr || parse_duration(*text).has_value();
}

bool in_years_1_to_9999(int64_t seconds) { return seconds >= kMinUnixSeconds && seconds <= kMaxUnixSeconds; }

bool is_timestamp(const Literal& literal, std::string&) {
  if (const auto* seconds = std::get_if<int64_t>(&literal)) return in_years_1_to_9999(*seconds);
  const auto* text = std::get_if<std::string>(&literal);
  if (text == nullptr) return true;
  auto t = parse_rfc3339(*text);
  return t && in_years_1_to_9999(t->seconds);
}

bool is_pattern(const Literal& literal, std::string&) {
  const auto* text = std::get_if<std::string>(&literal);
  return text == nullptr || Regex(*text).ok();
}

std::vector<Library> make_libraries() {
  return {
      {.name = "stdlib",
       .functions = stdlib_rows(),
       .macros = macros::standard(),
       .doc = "operators, conversions and functions of the language itself"},
  };
}

}  // namespace

const Validator kDurationLiterals = {.name = "cel.validator.duration", .function = "duration", .valid = is_duration};
const Validator kTimestampLiterals = {.name = "cel.validator.timestamp", .function = "timestamp", .valid = is_timestamp};
const Validator kPatternLiterals = {.name = "cel.validator.matches", .function = "matches", .valid = is_pattern};

std::span<const Library> standard_libraries() {
  static const std::vector<Library> libraries = make_libraries();
  return libraries;
}

const Library* find_standard_library(std::string_view name) {
  for (const Library& library : standard_libraries()) {
    if (library.name == name) return &library;
  }
  return nullptr;
}

}  // namespace portcullis
