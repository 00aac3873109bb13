// The regex library: extracts and replaces by RE2 patterns. Needs the optional library.
// Source of behaviour: cel-go ext/regex.go.
// Tested by tests/language/libraries.cel, tests/examples.cc.
#include <array>
#include <cmath>

#include "grammar/quote.h"
#include "interpreter/formats/number.h"
#include "interpreter/functions/call.h"
#include "interpreter/functions/cost.h"
#include "interpreter/functions/regex.h"
#include "interpreter/functions/tables.h"

namespace portcullis::tables {
namespace {

using Groups = std::array<std::string_view, 10>;  // a replacement can name \0 to \9

// The compiled pattern, which may have at most one group; null after setting `failure`.
const Regex* pattern_with_one_group(CallContext& context, std::string_view pattern, Value& failure) {
  const Regex* regex = context.regex(pattern, &failure);
  if (regex == nullptr || regex->groups() <= 1) return regex;
  failure = context.error("regular expression has more than one capturing group: " + quote(pattern));
  return nullptr;
}

Value extract(CallContext& context, std::string_view text, std::string_view pattern) {
  Value failure;
  const Regex* regex = pattern_with_one_group(context, pattern, failure);
  if (regex == nullptr) return failure;
  Groups groups;
  if (!regex->find(text, 0, {groups.data(), 2})) return Value::optional(nullptr);
  if (regex->groups() == 0) return Value::optional(context.arena().make<Value>(Value::string(groups[0])));
  if (groups[1].empty()) return Value::optional(nullptr);
  return Value::optional(context.arena().make<Value>(Value::string(groups[1])));
}

Value extract_all(CallContext& context, std::string_view text, std::string_view pattern) {
  Value failure;
  const Regex* regex = pattern_with_one_group(context, pattern, failure);
  if (regex == nullptr) return failure;
  bool group = regex->groups() == 1;
  Groups groups;
  size_t count = 0;
  for (Regex::Walk walk; regex->next(text, walk, {groups.data(), 2});) count += !group || !groups[1].empty();
  Value* items = context.arena().array<Value>(count);
  size_t i = 0;
  for (Regex::Walk walk; regex->next(text, walk, {groups.data(), 2});) {
    if (!group || !groups[1].empty()) items[i++] = Value::string(groups[group ? 1 : 0]);
  }
  return Value::list(items, count);
}

// cel-go's error for a replacement.
Value bad_replacement(CallContext& context, std::string_view replacement, std::string_view rest) {
  TextBuilder text(context.arena());
  text.append("invalid replacement string: '");
  text.append(replacement);
  text.append("' \\ ");
  text.append(rest);
  return context.error(text.view());
}

Value bad_group(CallContext& context, int group, int groups) {
  TextBuilder text(context.arena());
  text.append("replacement string references group ");
  append_int(text, group);
  text.append(" but regex has only ");
  append_int(text, groups);
  text.append(" group(s)");
  return context.error(text.view());
}

// Appends a replacement with \0 to \9 filled in; false after setting `failure`.
bool fill(CallContext& context, TextBuilder& out, std::string_view replacement, const Groups& matched,
          int groups, Value& failure) {
  for (size_t i = 0; i < replacement.size(); ++i) {
    char c = replacement[i];
    if (c != '\\') {
      out.append(c);
      continue;
    }
    if (++i == replacement.size())
      return failure = bad_replacement(context, replacement, "not allowed at end"), false;
    c = replacement[i];
    if (c == '\\') {
      out.append('\\');
    } else if (c < '0' || c > '9') {
      return failure = bad_replacement(context, replacement, "must be followed by a digit or \\"), false;
    } else if (c - '0' > groups) {
      return failure = bad_group(context, c - '0', groups), false;
    } else {
      out.append(matched[static_cast<size_t>(c - '0')]);
    }
  }
  return true;
}

// Replaces the first `limit` matches; all matches if `limit` is negative.
Value replace(CallContext& context, std::string_view text, std::string_view pattern,
              std::string_view replacement, int64_t limit) {
  if (limit == 0) return Value::string(text);
  Value failure;
  const Regex* regex = context.regex(pattern, &failure);
  if (regex == nullptr) return failure;
  TextBuilder out(context.arena());
  Groups groups;
  size_t last = 0;
  Regex::Walk walk;
  for (int64_t done = 0; (limit < 0 || done < limit) && regex->next(text, walk, groups); ++done) {
    size_t start = static_cast<size_t>(groups[0].data() - text.data());
    out.append(text.substr(last, start - last));
    if (!fill(context, out, replacement, groups, regex->groups(), failure)) return failure;
    last = start + groups[0].size();
  }
  out.append(text.substr(last));
  return Value::string(out.view());
}

// (size0 + 1) / 10 * (size1 + 1) / 4 in doubles; the caller rounds the total.
double search_cost(const Value* args) {
  return static_cast<double>(outer_size_of(args[0]) + 1) * kStringTraversal *
         (static_cast<double>(outer_size_of(args[1]) + 1) * kRegexLength);
}
uint64_t actual_extract(const Value* args, size_t, const Value& result) {
  return static_cast<uint64_t>(
      std::ceil(1.0 + search_cost(args) + static_cast<double>(outer_size_of(result))));
}
uint64_t actual_extract_all(const Value* args, size_t, const Value& result) {
  return static_cast<uint64_t>(
      std::ceil(1.0 + search_cost(args) + static_cast<double>(outer_size_of(result)) + 10.0));
}
uint64_t actual_replace(const Value* args, size_t, const Value& result) {
  return static_cast<uint64_t>(1.0 + search_cost(args) + static_cast<double>(outer_size_of(result)));
}

Range search_estimate(EstimateCall& call) {
  Range one = fixed_range(1);
  return ((call.size(0) + one) * kStringTraversal) * ((call.size(1) + one) * kRegexLength);
}
CallEstimate estimate_extract(EstimateCall& call) {
  Range result = {0, call.size(0).max};
  return {search_estimate(call) + result, result};
}
CallEstimate estimate_extract_all(EstimateCall& call) {
  Range result = {0, call.size(0).max};
  return {search_estimate(call) + result + fixed_range(kListCreateCost), result};
}
CallEstimate estimate_replace(EstimateCall& call) {
  uint64_t none = call.size(0).max, all = none * call.size(2).max;  // overflows as in cel-go
  Range result = call.size(2).max == 0 ? Range{all, none} : Range{none, all};
  return {search_estimate(call) + result, result};
}

constexpr Cost kExtract = {actual_extract, estimate_extract,
                           "(size0 + 1) / 10 * (size1 + 1) / 4 + 1 + size of the result, rounded up"};
constexpr Cost kExtractAll = {actual_extract_all, estimate_extract_all,
                              "(size0 + 1) / 10 * (size1 + 1) / 4 + 11 + size of the result, rounded up"};
constexpr Cost kReplace = {actual_replace, estimate_replace,
                           "(size0 + 1) / 10 * (size1 + 1) / 4 + 1 + size of the result, rounded down"};

constexpr Function kRows[] = {
    {.id = "regex_extract_string_string",
     .signature = "regex.extract(string, string) -> optional_type(string)",
     .call = wrap([](CallContext& c, std::string_view s, std::string_view p) { return extract(c, s, p); }),
     .cost = kExtract,
     .flags = kCostRegistered | kSlow,
     .doc = "the first match of a pattern, or of its group if it has one",
     .examples = "regex.extract('hello world', 'hello (.*)')  // => optional.of('world')\n"
                 "regex.extract('HELLO', 'hello')  // => optional.none()"},
    {.id = "regex_extractAll_string_string",
     .signature = "regex.extractAll(string, string) -> list(string)",
     .call =
         wrap([](CallContext& c, std::string_view s, std::string_view p) { return extract_all(c, s, p); }),
     .cost = kExtractAll,
     .flags = kCostRegistered | kSlow,
     .doc = "all matches of a pattern, or of its group if it has one",
     .examples = "regex.extractAll('id:123, id:456', 'id:\\\\d+')  // => ['id:123', 'id:456']"},
    {.id = "regex_replace_string_string_string",
     .signature = "regex.replace(string, string, string) -> string",
     .call = wrap([](CallContext& c, std::string_view s, std::string_view p, std::string_view r) {
       return replace(c, s, p, r, -1);
     }),
     .cost = kReplace,
     .flags = kCostRegistered | kSlow,
     .doc = "every match replaced; \\\\0 to \\\\9 stand for the match and its groups",
     .examples = "regex.replace('foo bar', '(fo)o (ba)r', '\\\\2 \\\\1')  // => 'ba fo'"},
    {.id = "regex_replace_string_string_string_int",
     .signature = "regex.replace(string, string, string, int) -> string",
     .call = wrap([](CallContext& c, std::string_view s, std::string_view p, std::string_view r,
                     int64_t limit) { return replace(c, s, p, r, limit); }),
     .cost = kReplace,
     .flags = kCostRegistered | kSlow,
     .doc = "at most so many matches replaced; all if the number is negative",
     .examples = "regex.replace('banana', 'a', 'x', 1)  // => 'bxnana'"},
};

}  // namespace

std::span<const Function> regexes() { return kRows; }

}  // namespace portcullis::tables
