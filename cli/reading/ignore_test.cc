// Patterns as in .gitignore; each row was compared with `git check-ignore`.
#include "cli/reading/ignore.h"

#include <gtest/gtest.h>

namespace portcullis {
namespace {

bool out(std::string_view rules, std::string_view path, bool directory = false) {
  IgnoreRules list;
  list.add(rules);
  return list.of(path, directory) == IgnoreRules::Answer::LeaveOut;
}

TEST(Ignore, Names) {
  EXPECT_TRUE(out("a.yaml", "a.yaml"));
  EXPECT_TRUE(out("a.yaml", "x/y/a.yaml"));
  EXPECT_FALSE(out("a.yaml", "a.yaml.yaml"));
  EXPECT_TRUE(out("*.tmp.yaml", "x/b.tmp.yaml"));
  EXPECT_TRUE(out("?.yaml", "a.yaml"));
  EXPECT_TRUE(out("[a-c][!x].yaml", "by.yaml"));
  EXPECT_FALSE(out("[a-c][!x].yaml", "bx.yaml"));
  EXPECT_FALSE(out("[.yaml", "[.yaml"));
  EXPECT_TRUE(out("*a*b*c", "xxaxxbxxc"));
  EXPECT_FALSE(out("*a*b*c", "xxbxxaxxc"));
}

TEST(Ignore, Escapes) {
  EXPECT_TRUE(out("\\[x\\]", "[x]"));
  EXPECT_FALSE(out("\\[x\\]", "x"));
  EXPECT_TRUE(out("a\\*.yaml", "a*.yaml"));
  EXPECT_FALSE(out("a\\*.yaml", "ab.yaml"));
  EXPECT_TRUE(out("a\\ b", "a b"));
  EXPECT_TRUE(out("f\\oo", "foo"));
  EXPECT_TRUE(out("a\\ ", "a "));
  EXPECT_TRUE(out("a\\  ", "a "));
  EXPECT_FALSE(out("a\\", "a"));
  EXPECT_FALSE(out("a\\", "a\\"));
  EXPECT_TRUE(out("a\\\\", "a\\"));
  EXPECT_FALSE(out("foo\t", "foo"));
  EXPECT_TRUE(out("foo\t", "foo\t"));
}

TEST(Ignore, Sets) {
  EXPECT_TRUE(out("[[:alpha:]]oo", "foo"));
  EXPECT_FALSE(out("[[:alpha:]]oo", "1oo"));
  EXPECT_TRUE(out("[^[:alpha:]_]oo", "1oo"));
  EXPECT_FALSE(out("[^[:alpha:]_]oo", "_oo"));
  EXPECT_FALSE(out("[[:none:]x]", "x"));
  EXPECT_TRUE(out("[[:x]", ":"));
  EXPECT_TRUE(out("[]a]", "]"));
  EXPECT_TRUE(out("[\\]a]", "a"));
  EXPECT_TRUE(out("[a-]", "-"));
  EXPECT_TRUE(out("[a\\-c]", "-"));
  EXPECT_FALSE(out("[a\\-c]", "b"));
  EXPECT_TRUE(out("[\\a-\\c]", "b"));
  EXPECT_FALSE(out("[a-c-e]", "d"));
}

TEST(Ignore, Paths) {
  EXPECT_TRUE(out("/a.yaml", "a.yaml"));
  EXPECT_FALSE(out("/a.yaml", "x/a.yaml"));
  EXPECT_TRUE(out("x/a.yaml", "x/a.yaml"));
  EXPECT_FALSE(out("x/a.yaml", "y/x/a.yaml"));
  EXPECT_FALSE(out("x/*.yaml", "x/y/a.yaml"));
  EXPECT_TRUE(out("x/**", "x/y/a.yaml"));
  EXPECT_FALSE(out("x/**", "x", true));
  EXPECT_TRUE(out("**/a.yaml", "a.yaml"));
  EXPECT_TRUE(out("**/x/a.yaml", "p/q/x/a.yaml"));
  EXPECT_TRUE(out("x/**/a.yaml", "x/a.yaml"));
  EXPECT_TRUE(out("x/**/a.yaml", "x/p/q/a.yaml"));
  EXPECT_FALSE(out("x/**/a.yaml", "y/x/p/a.yaml"));
}

TEST(Ignore, Directories) {
  EXPECT_TRUE(out("drafts/", "x/drafts", true));
  EXPECT_FALSE(out("drafts/", "x/drafts", false));
}

TEST(Ignore, TheLastRuleDecides) {
  constexpr std::string_view kRules = "# text\n\n*.yaml\r\n!keep.yaml  \n";
  EXPECT_TRUE(out(kRules, "a.yaml"));
  EXPECT_FALSE(out(kRules, "keep.yaml"));
  EXPECT_TRUE(out("!a.yaml\na.yaml", "a.yaml"));
  EXPECT_TRUE(out("\\#a\n\\!b", "#a"));
  EXPECT_TRUE(out("\\#a\n\\!b", "!b"));
  EXPECT_FALSE(out("/\n//\n!\n**", ""));
}

// For this pattern a naive matcher would try 2^30 ways.
TEST(Ignore, TakesNoTime) {
  std::string pattern, path;
  for (int i = 0; i < 200; i++)
    pattern += "**/a*a*a*a*b/", path += "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/";
  EXPECT_FALSE(out(pattern + "x", path + "y"));
}

}  // namespace
}  // namespace portcullis
