#include "interpreter/functions/regex.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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
               {"(?P<a>(?<b-c>x))", "invalid named capture: `(?<b-c>`"}};
  for (auto [pattern, error] : cases)
    EXPECT_EQ(error_of(pattern), std::string("error parsing regexp: ") + error);
}

TEST(Regex, TakesBothSpellingsOfNamedGroups) {
  EXPECT_EQ(error_of("(?<a>x)(?P<b>y)"), "");
  EXPECT_EQ(error_of("[(?<]\\Q(?<\\E"), "");
  EXPECT_TRUE(Regex("(?<year>\\d{4})").search("in 2024"));
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
  for (size_t i = 0; i < 3 * RegexCache::kCached; ++i) EXPECT_TRUE(cache.get("x" + std::to_string(i)).ok());
  EXPECT_TRUE(cache.get("a+").search("caat"));
}

}  // namespace
}  // namespace portcullis
