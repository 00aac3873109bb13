// The strings library: searching, cutting, joining and formatting. Indices count code points.
// Source of behaviour: cel-go ext/strings.go. Versions: 1 format and strings.quote, 2 join of any list, 3
// reverse, 4 the other formatter, 5 costs.
// Tested by tests/language/strings.cel, tests/examples.cc.
#include <algorithm>

#include "grammar/utf8.h"
#include "interpreter/formats/number.h"
#include "interpreter/formats/text.h"
#include "interpreter/functions/call.h"
#include "interpreter/functions/cost.h"
#include "interpreter/functions/format.h"
#include "interpreter/functions/tables.h"
#include "interpreter/values/go_values.h"
#include "interpreter/values/print.h"

namespace portcullis::tables {
namespace {

// Larger results, in bytes, are an error: a chain of replace() squares sizes, and Go would run out of memory.
constexpr size_t kMostBytes = 256 << 20;
// The largest precision of format. cel-go limits it since version 5; its test table expects the limit in
// version 4 as well.
constexpr int kMostPrecision = 100;

Value out_of_range(CallContext& context, int64_t index) {
  TextBuilder text(context.arena());
  text.append("index out of range: ");
  append_int(text, index);
  return context.error(text.view());
}

// The byte at which code point `index` begins; npos if `index` is negative or too large.
size_t offset_of(std::string_view s, int64_t index) {
  return index < 0 ? s.npos : rune_offset(s, static_cast<size_t>(index));
}

Value char_at(CallContext& context, std::string_view s, int64_t index) {
  size_t at = offset_of(s, index);
  if (at == s.npos) return out_of_range(context, index);
  return Value::string(at == s.size() ? std::string_view() : s.substr(at, utf8::decode(s.substr(at)).size));
}

int64_t runes(std::string_view s) { return static_cast<int64_t>(count_code_points(s)); }

Value index_of(CallContext& context, std::string_view s, std::string_view part, int64_t from) {
  if (from < 0) return out_of_range(context, from);
  size_t start = offset_of(s, from);
  if (part.empty()) return Value::integer(start == s.npos ? runes(s) : from);
  if (start >= s.size()) return Value::integer(-1);  // also if it is npos
  size_t at = find_first(s.substr(start), part);
  return Value::integer(at == s.npos ? -1 : from + runes(s.substr(start, at)));
}

// The last occurrence that begins at code point `from` or earlier.
Value last_index_of(CallContext& context, std::string_view s, std::string_view part, int64_t from) {
  if (from < 0) return out_of_range(context, from);
  size_t start = offset_of(s, from);
  if (part.empty()) return Value::integer(start == s.npos ? runes(s) : from);
  if (start >= s.size()) return Value::integer(-1);
  std::string_view head = s.substr(0, std::min(s.size() - start, part.size()) + start);
  size_t at = find_last(head, part, context.arena());
  return Value::integer(at == s.npos ? -1 : runes(s.substr(0, at)));
}

Value last_index_of(CallContext& context, std::string_view s, std::string_view part) {
  if (part.empty()) return Value::integer(runes(s));
  size_t at = find_last(s, part, context.arena());
  return Value::integer(at == s.npos ? -1 : runes(s.substr(0, at)));
}

// A copy in which every byte from `first` to `last` is shifted by `by`.
std::string_view shift_case(CallContext& context, std::string_view s, char first, char last, int by) {
  char* out = static_cast<char*>(context.arena().allocate(s.size()));
  for (size_t i = 0; i < s.size(); ++i) {
    out[i] = static_cast<char>(s[i] >= first && s[i] <= last ? s[i] + by : s[i]);
  }
  return {out, s.size()};
}

size_t count(std::string_view s, std::string_view part) {
  size_t n = 0;
  for (size_t at = find_first(s, part); at != s.npos; at = find_first(s, part))
    s.remove_prefix(at + part.size()), ++n;
  return n;
}

// Replaces the first `limit` occurrences, all if `limit` is negative. An empty `from` occurs before every
// code point and at the end.
Value replace(CallContext& context, std::string_view s, std::string_view from, std::string_view to,
              int64_t limit) {
  if (limit == 0 || from == to) return Value::string(s);
  size_t occurrences = from.empty() ? count_code_points(s) + 1 : count(s, from);
  size_t times = limit < 0 ? occurrences : std::min(occurrences, static_cast<size_t>(limit));
  if (times == 0) return Value::string(s);
  if (to.size() > from.size() && times > kMostBytes / (to.size() - from.size())) {
    return context.error("result of replace() is too large");
  }
  TextBuilder out(context.arena());
  for (size_t i = 0; i < times; ++i) {
    size_t at = from.empty() ? (i == 0 ? 0 : utf8::decode(s).size) : find_first(s, from);
    out.append(s.substr(0, at));
    out.append(to);
    s.remove_prefix(at + from.size());
  }
  out.append(s);
  return Value::string(out.view());
}

// Splits into at most `limit` pieces, any number if `limit` is negative. An empty separator splits between
// all code points.
Value split(CallContext& context, std::string_view s, std::string_view separator, int64_t limit) {
  if (limit == 0) return Value::list(nullptr, 0);
  size_t pieces = separator.empty() ? count_code_points(s) : count(s, separator) + 1;
  if (limit > 0) pieces = std::min(pieces, static_cast<size_t>(limit));
  Value* items = context.arena().array<Value>(pieces);
  for (size_t i = 0; i < pieces; ++i) {
    size_t end = i + 1 == pieces     ? s.size()
                 : separator.empty() ? utf8::decode(s).size
                                     : find_first(s, separator);
    items[i] = Value::string(s.substr(0, end));
    s.remove_prefix(std::min(s.size(), end + separator.size()));
  }
  return Value::list(items, pieces);
}

Value substring(CallContext& context, std::string_view s, int64_t start) {
  size_t at = offset_of(s, start);
  return at == s.npos ? out_of_range(context, start) : Value::string(s.substr(at));
}

Value substring(CallContext& context, std::string_view s, int64_t start, int64_t end) {
  if (start > end) {
    TextBuilder text(context.arena());
    text.append("invalid substring range. start: ");
    append_int(text, start);
    text.append(", end: ");
    append_int(text, end);
    return context.error(text.view());
  }
  size_t from = offset_of(s, start);
  if (from == s.npos) return out_of_range(context, start);
  size_t to = offset_of(s, end);
  if (to == s.npos) return out_of_range(context, end);
  return Value::string(s.substr(from, to - from));
}

Value join(CallContext& context, List list, std::string_view separator) {
  TextBuilder out(context.arena());
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is(Kind::String)) return context.error("join: invalid input: " + format_go(list[i]));
    if (i > 0) out.append(separator);
    out.append(list[i].as_text());
  }
  return Value::string(out.view());
}

// The letter of a character's escape in strings.quote, 0 if it has none.
char escape_of(char c) {
  constexpr std::string_view kPlain = "\a\b\f\n\r\t\v\\\"", kLetters = "abfnrtv\\\"";
  size_t i = kPlain.find(c);
  return i == kPlain.npos ? '\0' : kLetters[i];
}

std::string_view quote_text(CallContext& context, std::string_view s) {
  TextBuilder out(context.arena());
  out.append('"');
  for (size_t i = 0; i < s.size();) {
    if (char letter = escape_of(s[i])) {
      out.append('\\');
      out.append(letter);
      ++i;
      continue;
    }
    utf8::Rune rune = utf8::decode(s.substr(i));
    append_rune(out, rune.value);
    i += rune.size;
  }
  out.append('"');
  return out.view();
}

std::string_view reverse(CallContext& context, std::string_view s) {
  char* out = static_cast<char*>(context.arena().allocate(s.size()));
  char* to = out + s.size();
  for (size_t i = 0; i < s.size();) {
    size_t size = utf8::decode(s.substr(i)).size;
    to -= size;
    std::memcpy(to, s.data() + i, size);
    i += size;
  }
  return {out, s.size()};
}

// --- costs of version 5 ---

using shapes::kScan0;
constexpr auto kCharAtActual = [](const auto& z) { return z(0) * kStringTraversal + z.units(2); };
constexpr auto kFind = [](const auto& z) { return z(0) * z(1) * kStringTraversal + z.units(1); };

// max(x, 1) in both size algebras.
Units at_least_one(Units u) { return {std::max<uint64_t>(u.n, 1)}; }
Range at_least_one(Range r) { return {std::max<uint64_t>(r.min, 1), std::max<uint64_t>(r.max, 1)}; }

CallEstimate estimate_char_at(EstimateCall& call) { return {kCharAtActual(StaticSizes(call)), Range{0, 1}}; }

CallEstimate with_result(Range cost, Range result) { return {cost + fixed_range(1) + result, result}; }

CallEstimate estimate_same_size(EstimateCall& call) {
  return with_result(call.size(0) * kStringTraversal, call.size(0));
}
CallEstimate estimate_trim(EstimateCall& call) {
  return with_result(call.size(0) * kStringTraversal, {0, call.size(0).max});
}
CallEstimate estimate_substring(EstimateCall& call) {
  uint64_t start = call.literal_size(1, 0), end = call.size(0).max;
  if (call.count() == 3) end = call.literal_size(2, end);
  return with_result(call.size(0) * kStringTraversal, fixed_range(end - start));
}
CallEstimate estimate_replace(EstimateCall& call) {
  Range search = at_least_one(call.size(0)) * at_least_one(call.size(1)) * kStringTraversal;
  Range replacement = call.size(2) + fixed_range(1);
  uint64_t most = saturating_multiply(saturating_add(call.size(0).max, 1), replacement.max);
  return with_result(search, {std::min(call.size(0).min, replacement.min), most});
}
CallEstimate estimate_split(EstimateCall& call) {
  Range pieces = {0, call.size(0).max};
  Range scan = (call.size(0) + fixed_range(1)) * kStringTraversal;
  return {scan + pieces * 1.0 + fixed_range(kListCreateCost) + fixed_range(1), pieces};
}
// Converts a list element to a Go string: `text`, or Go's error in `failure`, whose words depend on the type.
bool native_text(CallContext& context, const Value& v, std::string_view& text, Value& failure) {
  switch (v.kind()) {
    case Kind::String: return text = v.as_text(), true;
    case Kind::Optional:
      if (v.as_optional() != nullptr) return native_text(context, *v.as_optional(), text, failure);
      return failure = context.error("optional.none() dereference"), false;
    case Kind::Opaque: return text = v.as_opaque().cls->print(v.as_opaque(), context.arena()), true;
    default: break;
  }
  const std::string_view error = go_string_error(v);
  failure = error.empty() ? v : context.error(error);
  return false;
}

// join() before version 2, which converts the list to a Go list.
Value join_native(CallContext& context, List list, std::string_view separator) {
  Value* items = context.arena().array<Value>(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    std::string_view text;
    Value failure;
    if (!native_text(context, list[i], text, failure)) return failure;
    new (&items[i]) Value(Value::string(text));
  }
  return join(context, {items, list.size()}, separator);
}

CallEstimate estimate_join(EstimateCall& call) {
  Range separator = call.count() == 2 ? call.size(1) : fixed_range(0);
  uint64_t most =
      saturating_add(saturating_multiply(call.size(0).max, saturating_add(1, separator.max)), separator.max);
  Range result = {0, most};
  return {(call.size(0) + fixed_range(1)) * kStringTraversal + result * 1.0 + fixed_range(1), result};
}

uint64_t actual_transform(const Value* args, size_t, const Value& result) {
  return saturating_add(1 + scale_up(outer_size_of(args[0]), kStringTraversal), outer_size_of(result));
}
uint64_t actual_replace(const Value* args, size_t, const Value& result) {
  Units search = at_least_one(Units{outer_size_of(args[0])}) * at_least_one(Units{outer_size_of(args[1])});
  return saturating_add(1 + scale_up(search.n, kStringTraversal), outer_size_of(result));
}
uint64_t actual_join(const Value* args, size_t, const Value& result) {
  return saturating_add(1 + scale_up(outer_size_of(args[0]) + 1, kStringTraversal), outer_size_of(result));
}
uint64_t actual_split(const Value* args, size_t count, const Value& result) {
  return saturating_add(actual_join(args, count, result), kListCreateCost);
}

constexpr Cost kSearchCost = {outer_by<kFind>, estimate_by<kFind>, "size0 * size1 / 10 + 1"};
constexpr Cost kTransformCost = {actual_transform, estimate_same_size, "size0 / 10 + 1 + size of the result"};
constexpr Cost kSubstringCost = {actual_transform, estimate_substring, "size0 / 10 + 1 + size of the result"};
constexpr Cost kReplaceCost = {actual_replace, estimate_replace,
                               "size0 * size1 / 10 + 1 + size of the result"};
constexpr Cost kSplitCost = {actual_split, estimate_split, "(size0 + 1) / 10 + 11 + size of the result"};
constexpr Cost kJoinCost = {actual_join, estimate_join, "(size0 + 1) / 10 + 1 + size of the result"};

constexpr Recost kCosts[] = {
    {"string_char_at_int", 5, {outer_by<kCharAtActual>, estimate_char_at, "size0 / 10 + 2"}},
    {"string_index_of_string", 5, kSearchCost},
    {"string_index_of_string_int", 5, kSearchCost},
    {"string_last_index_of_string", 5, kSearchCost},
    {"string_last_index_of_string_int", 5, kSearchCost},
    {"string_lower_ascii", 5, kTransformCost},
    {"string_upper_ascii", 5, kTransformCost},
    {"string_replace_string_string", 5, kReplaceCost},
    {"string_replace_string_string_int", 5, kReplaceCost},
    {"string_split_string", 5, kSplitCost},
    {"string_split_string_int", 5, kSplitCost},
    {"string_substring_int", 5, kSubstringCost},
    {"string_substring_int_int", 5, kSubstringCost},
    {"string_trim", 5, {actual_transform, estimate_trim, "size0 / 10 + 1 + size of the result"}},
    {"string_reverse", 5, kTransformCost},
    {"list_join", 5, kJoinCost},
    {"list_join_string", 5, kJoinCost},
};

constexpr Cost kFormatCost = {actual_by<kScan0>, estimate_by<kScan0>, "size0 / 10"};
constexpr std::string_view kFormatDoc = "fills %s %d %f %e %b %x %X %o with the elements of a list";

constexpr Function kRows[] = {
    {.id = "string_char_at_int",
     .signature = "string.charAt(int) -> string",
     .call = wrap([](CallContext& c, std::string_view s, int64_t i) { return char_at(c, s, i); }),
     .doc = "the character at an index, '' right behind the last one; error beyond that",
     .examples = "'hello'.charAt(4)  // => 'o'\n'hello'.charAt(5)  // => ''"},
    {.id = "string_index_of_string",
     .signature = "string.indexOf(string) -> int",
     .call =
         wrap([](CallContext& c, std::string_view s, std::string_view t) { return index_of(c, s, t, 0); }),
     .doc = "the index of the first occurrence of another string, -1 if there is none",
     .examples = "'hello mellow'.indexOf('ello')  // => 1\n'hello mellow'.indexOf('jello')  // => -1"},
    {.id = "string_index_of_string_int",
     .signature = "string.indexOf(string, int) -> int",
     .call = wrap([](CallContext& c, std::string_view s, std::string_view t, int64_t from) {
       return index_of(c, s, t, from);
     }),
     .doc = "the index of the first occurrence at or behind an index, -1 if there is none",
     .examples = "'hello mellow'.indexOf('ello', 2)  // => 7"},
    {.id = "string_last_index_of_string",
     .signature = "string.lastIndexOf(string) -> int",
     .call =
         wrap([](CallContext& c, std::string_view s, std::string_view t) { return last_index_of(c, s, t); }),
     .doc = "the index of the last occurrence of another string, -1 if there is none",
     .examples = "'hello mellow'.lastIndexOf('ello')  // => 7"},
    {.id = "string_last_index_of_string_int",
     .signature = "string.lastIndexOf(string, int) -> int",
     .call = wrap([](CallContext& c, std::string_view s, std::string_view t, int64_t from) {
       return last_index_of(c, s, t, from);
     }),
     .doc = "the index of the last occurrence at or before an index, -1 if there is none",
     .examples = "'hello mellow'.lastIndexOf('ello', 6)  // => 1"},
    {.id = "string_lower_ascii",
     .signature = "string.lowerAscii() -> string",
     .call = wrap([](CallContext& c, std::string_view s) { return shift_case(c, s, 'A', 'Z', 32); }),
     .doc = "the string with A to Z in lower case",
     .examples = "'TacoCat'.lowerAscii()  // => 'tacocat'"},
    {.id = "string_replace_string_string",
     .signature = "string.replace(string, string) -> string",
     .call = wrap([](CallContext& c, std::string_view s, std::string_view from, std::string_view to) {
       return replace(c, s, from, to, -1);
     }),
     .doc = "the string with every occurrence of one string replaced by another",
     .examples = "'hello hello'.replace('he', 'we')  // => 'wello wello'"},
    {.id = "string_replace_string_string_int",
     .signature = "string.replace(string, string, int) -> string",
     .call = wrap([](CallContext& c, std::string_view s, std::string_view from, std::string_view to,
                     int64_t limit) { return replace(c, s, from, to, limit); }),
     .doc = "the string with at most so many occurrences of one string replaced by another; all if the "
            "number is negative",
     .examples = "'hello hello'.replace('he', 'we', 1)  // => 'wello hello'"},
    {.id = "string_split_string",
     .signature = "string.split(string) -> list(string)",
     .call =
         wrap([](CallContext& c, std::string_view s, std::string_view by) { return split(c, s, by, -1); }),
     .doc = "the pieces between separators; '' separates all characters",
     .examples = "'hello hello hello'.split(' ')  // => ['hello', 'hello', 'hello']"},
    {.id = "string_split_string_int",
     .signature = "string.split(string, int) -> list(string)",
     .call = wrap([](CallContext& c, std::string_view s, std::string_view by, int64_t limit) {
       return split(c, s, by, limit);
     }),
     .doc =
         "at most so many pieces between separators, the last with the rest; all if the number is negative",
     .examples =
         "'hello hello hello'.split(' ', 2)  // => ['hello', 'hello hello']\n'a b'.split(' ', 0)  // => []"},
    {.id = "string_substring_int",
     .signature = "string.substring(int) -> string",
     .call = wrap([](CallContext& c, std::string_view s, int64_t start) { return substring(c, s, start); }),
     .doc = "the part from an index to the end; error if the index is out of range",
     .examples = "'tacocat'.substring(4)  // => 'cat'"},
    {.id = "string_substring_int_int",
     .signature = "string.substring(int, int) -> string",
     .call = wrap([](CallContext& c, std::string_view s, int64_t start, int64_t end) {
       return substring(c, s, start, end);
     }),
     .doc = "the part from one index up to, but excluding, another; error if an index is out of range",
     .examples = "'tacocat'.substring(0, 4)  // => 'taco'"},
    {.id = "string_trim",
     .signature = "string.trim() -> string",
     .call = wrap([](std::string_view s) { return trim_space(s); }),
     .doc = "the string without white space at both ends",
     .examples = "'  \\ttrim\\n    '.trim()  // => 'trim'"},
    {.id = "string_upper_ascii",
     .signature = "string.upperAscii() -> string",
     .call = wrap([](CallContext& c, std::string_view s) { return shift_case(c, s, 'a', 'z', -32); }),
     .doc = "the string with a to z in upper case",
     .examples = "'TacoCat'.upperAscii()  // => 'TACOCAT'"},
    {.id = "string_format",
     .signature = "string.format(list(dyn)) -> string",
     .call = wrap([](CallContext& c, std::string_view s, List l) { return format_literals(c, s, l); }),
     .cost = kFormatCost,
     .flags = kStopsAtErrors,
     .since = 1,
     .until = 4,
     .doc = kFormatDoc,
     .examples = "'%s is %d'.format(['x', 7])  // => 'x is 7'"},
    {.id = "string_format",
     .signature = "string.format(list(dyn)) -> string",
     .call = wrap(
         [](CallContext& c, std::string_view s, List l) { return format_plain(c, s, l, kMostPrecision); }),
     .cost = kFormatCost,
     .flags = kStopsAtErrors,
     .since = 4,
     .doc = kFormatDoc,
     .examples = "'%s is %d'.format(['x', 7])  // => 'x is 7'\n'%.2f'.format([1234.5])  // => '1234.50'\n"
                 "'%s'.format([[1, 'a', 2.5]])  // => '[1, a, 2.5]'"},
    {.id = "strings_quote",
     .signature = "strings.quote(string) -> string",
     .call = wrap([](CallContext& c, std::string_view s) { return quote_text(c, s); }),
     .cost = {actual_by<kScan0>, estimate_quote, "size0 / 10"},
     .since = 1,
     .doc = "the string in double quotes, with escapes",
     .examples = "strings.quote('two \"words\"\\n')  // => '\"two \\\\\"words\\\\\"\\\\n\"'"},
    {.id = "list_join",
     .signature = "list(string).join() -> string",
     .call = wrap([](CallContext& c, List l) { return join_native(c, l, {}); }),
     .until = 2,
     .doc = "the strings of a list in one string",
     .examples = "['hello', 'mellow'].join()  // => 'hellomellow'"},
    {.id = "list_join_string",
     .signature = "list(string).join(string) -> string",
     .call = wrap(
         [](CallContext& c, List l, std::string_view separator) { return join_native(c, l, separator); }),
     .until = 2,
     .doc = "the strings of a list in one string, with a separator between them",
     .examples = "['hello', 'mellow'].join(' ')  // => 'hello mellow'"},
    {.id = "list_join",
     .signature = "list(string).join() -> string",
     .call = wrap([](CallContext& c, List l) { return join(c, l, {}); }),
     .since = 2,
     .doc = "the strings of a list in one string",
     .examples = "['hello', 'mellow'].join()  // => 'hellomellow'"},
    {.id = "list_join_string",
     .signature = "list(string).join(string) -> string",
     .call = wrap([](CallContext& c, List l, std::string_view separator) { return join(c, l, separator); }),
     .since = 2,
     .doc = "the strings of a list in one string, with a separator between them",
     .examples = "['hello', 'mellow'].join(' ')  // => 'hello mellow'"},
    {.id = "string_reverse",
     .signature = "string.reverse() -> string",
     .call = wrap([](CallContext& c, std::string_view s) { return reverse(c, s); }),
     .since = 3,
     .doc = "the string with its characters in reverse order",
     .examples = "'gums'.reverse()  // => 'smug'"},
};

}  // namespace

std::span<const Function> strings() { return kRows; }
std::span<const Recost> string_costs() { return kCosts; }

}  // namespace portcullis::tables
