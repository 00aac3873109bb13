// Library kubernetes.regex: the parts of a text that match a pattern (RE2 syntax).
#include "interpreter/functions/regex.h"

#include "admission/functions/libraries.h"
#include "interpreter/functions/call.h"
#include "interpreter/values/builder.h"

namespace portcullis::kubernetes {
namespace {

// The compiled pattern; or null, with the error in `failure`.
const Regex* compiled(CallContext& context, std::string_view pattern, Value* failure) {
  const Regex* regex = context.regex(pattern, failure);
  if (regex) return regex;
  *failure = context.error(joined(context.arena(), {"Illegal regex: ", failure->as_error().message}));
  return nullptr;
}

Value find(CallContext& context, std::string_view text, std::string_view pattern) {
  Value failure;
  const Regex* regex = compiled(context, pattern, &failure);
  if (!regex) return failure;
  std::string_view match;
  return Value::string(regex->find(text, 0, {&match, 1}) ? match : std::string_view{});
}

// The number of bytes of the code point at `at`; 1 for an invalid byte.
size_t rune_width(std::string_view text, size_t at) {
  unsigned char c = static_cast<unsigned char>(text[at]);
  size_t width = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
  return std::min(width, text.size() - at);
}

// The first `limit` matches that do not overlap (negative: all). As in Go, an empty match directly after the
// previous match is skipped.
Value find_all(CallContext& context, std::string_view text, std::string_view pattern, int64_t limit) {
  Value failure;
  const Regex* regex = compiled(context, pattern, &failure);
  if (!regex) return failure;
  size_t most = limit < 0 ? SIZE_MAX : static_cast<size_t>(limit), count = 0, room = 0;
  Value* found = nullptr;
  size_t last_end = SIZE_MAX;  // an index, since an empty text may have no address
  std::string_view match;
  for (size_t at = 0; count < most && at <= text.size() && regex->find(text, at, {&match, 1});) {
    size_t begin_at = static_cast<size_t>(match.data() - text.data());
    size_t end_at = begin_at + match.size();
    bool accept = !(match.empty() && begin_at == last_end);
    at = end_at > at ? end_at : at < text.size() ? at + rune_width(text, at) : text.size() + 1;
    last_end = end_at;
    if (!accept) continue;
    if (count == room) {
      Value* larger = context.arena().array<Value>(room = room ? 2 * room : 8);
      std::copy(found, found + count, larger);
      found = larger;
    }
    found[count++] = Value::string(match);
  }
  return Value::list(found, count);
}

constexpr Function kRows[] = {
    {.id = "string_find_string",
     .signature = "string.find(string) -> string",
     .call = wrap([](CallContext& c, std::string_view s, std::string_view re) { return find(c, s, re); }),
     .flags = kPattern | kSlow,
     .doc = "the first match of the pattern, '' if there is none",
     .examples = "'abc 123'.find('[0-9]+')  // => '123'"},
    {.id = "string_find_all_string",
     .signature = "string.findAll(string) -> list(string)",
     .call =
         wrap([](CallContext& c, std::string_view s, std::string_view re) { return find_all(c, s, re, -1); }),
     .flags = kPattern | kSlow,
     .doc = "all matches of the pattern, without overlaps",
     .examples = "'12 abc 34'.findAll('[0-9]+')  // => ['12', '34']"},
    {.id = "string_find_all_string_int",
     .signature = "string.findAll(string, int) -> list(string)",
     .call = wrap([](CallContext& c, std::string_view s, std::string_view re, int64_t n) {
       return find_all(c, s, re, n);
     }),
     .flags = kPattern | kSlow,
     .doc = "at most so many matches of the pattern; all if the number is negative",
     .examples = "'1 2 3'.findAll('[0-9]', 2)  // => ['1', '2']"},
};

}  // namespace

const Library kRegex = {
    .name = "kubernetes.regex", .functions = kRows, .doc = "parts of a string that match a pattern"};

}  // namespace portcullis::kubernetes
