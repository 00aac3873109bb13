// contains, startsWith, endsWith and matches: the string functions of the CEL language itself.
// Tested by tests/language/strings.cel, tests/examples.cc.
#include "interpreter/formats/text.h"
#include "interpreter/functions/call.h"
#include "interpreter/functions/cost.h"
#include "interpreter/functions/regex.h"
#include "interpreter/functions/tables.h"

namespace portcullis::tables {
namespace {

constexpr Call kMatches = wrap([](CallContext& c, std::string_view text, std::string_view pattern) {
  Value failure;
  const Regex* regex = c.regex(pattern, &failure);
  return regex == nullptr ? failure : Value::boolean(regex->search(text));
});

// The cost depends on the argument, not on the receiver.
constexpr Cost kAffix = {actual_by<shapes::kScan1>, estimate_by<shapes::kScan1>, "size1 / 10"};
constexpr Cost kPatternCost = {actual_by<shapes::kMatch>, estimate_by<shapes::kMatch>,
                               "(size0 + 1) / 10 * (size1 / 4)"};

constexpr Call kEndsWith = wrap([](std::string_view s, std::string_view end) { return s.ends_with(end); });
constexpr Call kStartsWith =
    wrap([](std::string_view s, std::string_view start) { return s.starts_with(start); });

constexpr Function kRows[] = {
    {.id = "contains_string",
     .signature = "string.contains(string) -> bool",
     .call = wrap([](std::string_view s, std::string_view part) { return find_first(s, part) != s.npos; }),
     .cost = {actual_by<shapes::kSearch>, estimate_by<shapes::kSearch>, "size0 / 10 * (size1 / 10)"},
     .flags = kUnguarded,
     .doc = "whether a string contains another",
     .examples = "'hello world'.contains('o w')  // => true\n'hello world'.contains('goodbye')  // => false"},
    {.id = "ends_with_string",
     .signature = "string.endsWith(string) -> bool",
     .call = kEndsWith,
     .cost = kAffix,
     .flags = kUnguarded | kFixedBySecond,
     .doc = "whether a string ends with another",
     .examples = "'hello world'.endsWith('world')  // => true\n'hello world'.endsWith('hello')  // => false"},
    {.id = "starts_with_string",
     .signature = "string.startsWith(string) -> bool",
     .call = kStartsWith,
     .cost = kAffix,
     .flags = kUnguarded | kFixedBySecond,
     .doc = "whether a string starts with another",
     .examples =
         "'hello world'.startsWith('hello')  // => true\n'hello world'.startsWith('world')  // => false"},
    {.id = "matches",
     .signature = "matches(string, string) -> bool",
     .call = kMatches,
     .cost = kPatternCost,
     .flags = kPatternIfFolded | kSlow,
     .doc = "whether an RE2 pattern matches somewhere in a string",
     .examples = "matches('123-456', '^[0-9]+(-[0-9]+)?$')  // => true",
     .singleton = {kind_bit(Kind::String)}},
    {.id = "matches_string",
     .signature = "string.matches(string) -> bool",
     .call = kMatches,
     .cost = kPatternCost,
     .flags = kPatternIfFolded | kSlow,
     .doc = "whether an RE2 pattern matches somewhere in a string",
     .examples = "'hello'.matches('^h.*o$')  // => true\n'hello'.matches('^e')  // => false"},
};

}  // namespace

std::span<const Function> texts() { return kRows; }

}  // namespace portcullis::tables
