#include "interpreter/functions/regex.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "grammar/utf8.h"

namespace portcullis {
namespace {

std::string error_of(std::string_view pattern) { return Regex(pattern).error(); }

TEST(Regex, SaysWhatIsWrongAsGo) {
  struct {
    const char* pattern;
    const char* error;
  } cases[] = {{"[a", "missing closing ]: `[a`"},
               {"(a", "missing closing ): `(a`"},
               {"a)", "unexpected ): `a)`"},
               {"a**", "invalid nested repetition operator: `**`"},
               {"*", "missing argument to repetition operator: `*`"},
               {"a{1001}", "invalid repeat count: `{1001}`"},
               {"a*{2,1}?", "invalid repeat count: `{2,1}`"},
               {"\\C", "invalid escape sequence: `\\C`"},
               {"\\x{", "invalid escape sequence: `\\x{`"},
               {"a\\", "trailing backslash at end of expression: ``"},
               {"[z-a]", "invalid character class range: `z-a`"},
               {"(?=a)", "invalid or unsupported Perl syntax: `(?=`"},
               {"(?<a", "invalid named capture: `(?<a`"},
               {"(?P<a>(?<b-c>x))", "invalid named capture: `(?<b-c>`"},
               {"(?P<\u00e9>a)", "invalid named capture: `(?P<\u00e9>`"},
               {"(?P<\u00e9>a", "invalid named capture: `(?P<\u00e9>`"},
               {"(?<n>(?<\u65e5>a))", "invalid named capture: `(?<\u65e5>`"},
               {"(?<n>(?P<n", "invalid named capture: `(?P<n`"},
               {"(?<", "invalid or unsupported Perl syntax: `(?<`"},
               {"(?<n>(?P=n", "invalid or unsupported Perl syntax: `(?P`"},
               {"[\\p", "invalid character class range: `\\p`"},
               {"[\\p{Lu", "invalid character class range: `\\p{Lu`"},
               {"\\p{}", "invalid character class range: `\\p{}`"},
               {"x\\P{^No such}", "invalid character class range: `\\P{^No such}`"},
               {"[\\p{Old_Italic}]", "invalid character class range: `\\p{Old_Italic}`"},
               {"\\p{SignWriting}", "invalid character class range: `\\p{SignWriting}`"},
               {"\\p{\u00e9}", "invalid character class range: `\\p{\u00e9}`"},
               {"\\p{C}[a-\\P{Cn}]", "invalid escape sequence: `\\P`"},
               {"\\p{C}[\\p{C}", "missing closing ]: `[\\p{C}`"},
               {"\\p{C}**", "invalid nested repetition operator: `**`"}};
  for (auto [pattern, error] : cases)
    EXPECT_EQ(error_of(pattern), std::string("error parsing regexp: ") + error);
}

TEST(Regex, TakesBothSpellingsOfNamedGroups) {
  EXPECT_EQ(error_of("(?<a>x)(?P<b>y)"), "");
  EXPECT_EQ(error_of("[(?<]\\Q(?<\\E"), "");
  EXPECT_TRUE(Regex("(?<year>\\d{4})").search("in 2024"));
}

// Of an unassigned code point, a letter, a capital, a digit, a control character and a private one: those that
// match.
std::string matching(std::string_view pattern) {
  Regex re(pattern);
  if (!re.ok()) return re.error();
  std::pair<char, std::string> texts[] = {{'?', "\u0378"}, {'a', "a"},      {'A', "\u03A9"},
                                          {'1', "1"},      {'c', "\u0085"}, {'p', "\uE000"}};
  std::string out;
  for (auto& [name, text] : texts) {
    if (re.search(text)) out += name;
  }
  return out;
}

TEST(Regex, ClassesByNameAreThoseOfGo) {
  struct {
    const char* name;
    const char* members;
    const char* others;
  } cases[] = {{"C", "?cp", "aA1"},
               {"other", "?cp", "aA1"},
               {"Cn", "?", "aA1cp"},
               {"Assigned", "aA1cp", "?"},
               {" any ", "?aA1cp", ""},
               {"ASCII", "a1", "?Acp"},
               {"LC", "aA", "?1cp"},
               {"l-c", "aA", "?1cp"},
               {"Letter", "aA", "?1cp"},
               {"uppercase letter", "A", "?a1cp"},
               {"lu", "A", "?a1cp"},
               {"GREEK", "A", "?a1cp"},
               {"digit", "1", "?aAcp"},
               {"l", "aA", "?1cp"},
               {"_Private-Use_", "p", "?aA1c"}};
  for (auto [name, members, others] : cases) {
    std::string n = name;
    EXPECT_EQ(matching("^\\p{" + n + "}$"), members) << name;
    EXPECT_EQ(matching("^\\P{" + n + "}$"), others) << name;
    EXPECT_EQ(matching("^\\p{^" + n + "}$"), others) << name;
    EXPECT_EQ(matching("^\\P{^" + n + "}$"), members) << name;
    EXPECT_EQ(matching("[\\p{" + n + "}]"), members) << name;
    EXPECT_EQ(matching("[^\\p{" + n + "}]"), others) << name;
    EXPECT_EQ(matching("[^\\P{" + n + "}]"), members) << name;
  }
  EXPECT_EQ(matching("(?i)\\P{lu}"), "?1cp");
  EXPECT_EQ(matching("^\\pc$"), "?cp");
  EXPECT_EQ(matching("[\\PC]"), "aA1");
  EXPECT_EQ(matching("^\\Q\\p{C}\\E|1"), "1");
  EXPECT_TRUE(Regex("(?i)^\\P{ASCII}$").search("\u00e9"));
  EXPECT_FALSE(Regex("(?i)[\\P{ASCII}]").search("k"));
  EXPECT_FALSE(Regex("(?i)\\p{LC}").search("\u0345"));
}

TEST(Regex, AssignedAreTheCodePointsOfRe2sCategories) {
  Regex assigned("^[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Z}\\p{Cc}\\p{Cf}\\p{Co}]$"), unassigned("^\\p{Cn}$");
  for (char32_t rune = 0; rune <= utf8::kMaxRune; ++rune) {
    if (!utf8::is_scalar(rune)) continue;
    std::string text;
    utf8::append(text, rune);
    ASSERT_NE(assigned.search(text), unassigned.search(text)) << static_cast<uint32_t>(rune);
  }
}

// The end of a POSIX class is looked for once, where there is none.
TEST(Regex, HostilePatternsTakeLinearTime) {
  std::string pattern = "[";
  for (int i = 0; i < 200'000; ++i) pattern += "[:";
  EXPECT_EQ(Regex(pattern).error(), "error parsing regexp: missing closing ]: `" + pattern + "`");
}

TEST(Regex, WalksOverMatches) {
  auto all = [](std::string_view pattern, std::string_view text) {
    Regex re(pattern);
    std::string out;
    std::string_view whole;
    for (Regex::Walk walk; re.next(text, walk, {&whole, 1});) out += std::string(whole) + "|";
    return out;
  };
  EXPECT_EQ(all("a*", "baac"), "|aa||");
  EXPECT_EQ(all("", "\u00e9x"), "|||");
  EXPECT_EQ(all("\\B", "a\u00e9b"), "");  // never within a code point
  EXPECT_EQ(all("\\d+", "1 22 333"), "1|22|333|");
}

TEST(Regex, CacheForgetsNothingItStillHolds) {
  RegexCache cache;
  const Regex& a = cache.get("a+");
  EXPECT_EQ(&a, &cache.get("a+"));
  for (size_t i = 0; i < 3 * RegexCache::kMost; ++i) EXPECT_TRUE(cache.get("x" + std::to_string(i)).ok());
  EXPECT_TRUE(cache.get("a+").search("caat"));
}

TEST(Regex, ComputedPatternsHaveLessMemory) {
  EXPECT_TRUE(Regex("\\pL{100}", Regex::kComputed).compile());
  const std::string large = "\\pL{1000}\\pL{1000}";
  EXPECT_TRUE(Regex(large).compile());
  const Regex computed(large, Regex::kComputed);
  EXPECT_FALSE(computed.compile());
  EXPECT_TRUE(computed.is_too_large());
  EXPECT_EQ(computed.error(), "error parsing regexp: expression too large: `" + large + "`");
  EXPECT_FALSE(Regex("(", Regex::kComputed).is_too_large());
}

TEST(Regex, CompilesWhatIsSearchedFor) {
  const Regex regex("(?i)\\pL{900}");
  EXPECT_TRUE(regex.ok());
  EXPECT_FALSE(regex.is_compiled());
  EXPECT_FALSE(regex.search("x"));
  EXPECT_TRUE(regex.is_compiled());
  EXPECT_TRUE(Regex(std::string(1600, 'a')).is_compiled());
}

TEST(RegexCache, IsBoundedInBytes) {
  RegexCache cache;
  const auto count = [&](const std::vector<std::string>& patterns) {
    return std::ranges::count_if(patterns, [&](const std::string& p) { return cache.find(p) != nullptr; });
  };
  std::vector<std::string> large, small;
  for (int i = 0; i < 8; i++) cache.get(large.emplace_back("\\pL{300}" + std::to_string(i)));
  EXPECT_GT(cache.get(large[0]).memory(), static_cast<size_t>(Regex::kComputed.usual));
  EXPECT_LE(count(large), 4);
  for (int i = 0; i < 40; i++) cache.get(small.emplace_back(std::to_string(i)));
  EXPECT_GE(count(small), 32);
}

}  // namespace
}  // namespace portcullis
