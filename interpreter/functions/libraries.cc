#include "interpreter/functions/libraries.h"

#include <algorithm>
#include <vector>

#include "interpreter/formats/duration.h"
#include "interpreter/formats/timestamp.h"
#include "interpreter/functions/regex.h"
#include "interpreter/functions/tables.h"

namespace portcullis {
namespace {

using Rows = std::vector<Function>;

// The rows of several tables in one.
Rows joined(std::initializer_list<std::span<const Function>> tables) {
  Rows rows;
  for (auto table : tables) rows.insert(rows.end(), table.begin(), table.end());
  return rows;
}

const Rows& stdlib_rows() {
  static const Rows rows =
      joined({tables::logic(), tables::comparison(), tables::arithmetic(), tables::collections(),
              tables::conversions(), tables::texts(), tables::times()});
  return rows;
}

// `rows`, where each row that has a new cost in a later version is followed by a second row with that cost.
Rows recosted(std::span<const Function> rows, std::span<const tables::Recost> costs) {
  Rows out;
  for (const Function& row : rows) {
    auto cost = std::find_if(costs.begin(), costs.end(), [&](const auto& c) { return c.id == row.id; });
    out.push_back(row);
    if (cost == costs.end() || row.until <= cost->since) continue;
    out.back().until = cost->since;
    Function later = row;
    later.since = std::max(row.since, cost->since);
    later.cost = cost->cost;
    later.flags |= kCostRegistered;
    out.push_back(later);
  }
  return out;
}

const Rows& string_rows() {
  static const Rows rows = recosted(tables::strings(), tables::string_costs());
  return rows;
}

const Rows& list_rows() {
  static const Rows rows = recosted(tables::lists(), tables::list_costs());
  return rows;
}

constexpr Function kBlock[] = {
    {.id = "cel_block_list",
     .signature = "cel.@block(list(dyn), T) -> T",
     .since = 1,
     .doc = "an expression whose common parts are in the list: @index0 is its first element",
     .examples = "cel.block([1 + 1, cel.index(0) * 2], cel.index(1))  // => 4",
     .builtin = Builtin::Block},
};

constexpr uint32_t kMostPrecision = 100;  // for format, see strings.cc

constexpr Validator kStringValidators[] = {
    {.name = "cel.validator.string_format", .kind = ValidatorKind::Format, .since = 1, .until = 4},
    {.name = "cel.validator.string_format",
     .kind = ValidatorKind::FormatV4,
     .argument = kMostPrecision,
     .since = 4},
    {.name = "cel.validator.format_exemption",
     .kind = ValidatorKind::Exemption,
     .function = "format",
     .since = 1},
};
constexpr Validator kBlockValidators[] = {
    {.name = "cel.validator.cel_block",
     .kind = ValidatorKind::Exemption,
     .function = "cel.@block",
     .since = 1},
};

constexpr std::string_view kOptionalTypes[] = {"optional_type(dyn)"};
constexpr std::string_view kNetworkTypes[] = {"net.IP", "net.CIDR"};

bool is_duration(const Literal& literal, std::string&) {
  const auto* text = std::get_if<std::string>(&literal);
  // duration(null) passes the checker, but null cannot be converted.
  return text && parse_duration(*text).has_value();
}

bool in_years_1_to_9999(int64_t seconds) { return seconds >= kMinUnixSeconds && seconds <= kMaxUnixSeconds; }

bool is_timestamp(const Literal& literal, std::string&) {
  if (const auto* seconds = std::get_if<int64_t>(&literal)) return in_years_1_to_9999(*seconds);
  const auto* text = std::get_if<std::string>(&literal);
  if (!text) return false;
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
      {.name = "strings",
       .latest = 5,
       .functions = string_rows(),
       .doc = "searching, cutting, joining and formatting strings",
       .validators = kStringValidators},
      {.name = "lists",
       .latest = 3,
       .functions = list_rows(),
       .macros = macros::lists(),
       .doc = "slicing, flattening and sorting lists"},
      {.name = "sets", .functions = tables::sets(), .doc = "lists as sets"},
      {.name = "math",
       .latest = 2,
       .functions = tables::math(),
       .macros = macros::math(),
       .doc = "least and greatest, rounding, signs, bits"},
      {.name = "encoders", .latest = 1, .functions = tables::encoders(), .doc = "base64 and JSON"},
      {.name = "regex", .functions = tables::regexes(), .doc = "extracting and replacing by patterns"},
      {.name = "bindings",
       .latest = 1,
       .functions = kBlock,
       .macros = macros::bindings(),
       .doc = "names for parts of an expression",
       .validators = kBlockValidators},
      {.name = "optional",
       .latest = 2,
       .functions = tables::optionals(),
       .macros = macros::optionals(),
       .doc = "values that may be absent",
       .types = kOptionalTypes,
       .flags = kOptionalSyntax},
      {.name = "two-var-comprehensions",
       .functions = tables::comprehensions(),
       .macros = macros::two_variable(),
       .doc = "macros over index and element, or key and value"},
      {.name = "network",
       .latest = 1,
       .functions = tables::network(),
       .doc = "IP addresses and address ranges",
       .validators = tables::network_validators(),
       .types = kNetworkTypes},
      {.name = "protos", .macros = macros::protos(), .doc = "extension fields of protobuf messages"},
      {.name = "block", .macros = macros::block(), .doc = "macros for tests of cel.@block"},
  };
}

}  // namespace

const Validator kDurationLiterals = {
    .name = "cel.validator.duration", .function = "duration", .valid = is_duration};
const Validator kTimestampLiterals = {
    .name = "cel.validator.timestamp", .function = "timestamp", .valid = is_timestamp};
const Validator kPatternLiterals = {
    .name = "cel.validator.matches", .function = "matches", .valid = is_pattern};

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
