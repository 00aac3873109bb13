// Property names as identifiers: the pairs of Kubernetes' own escaping_test, and names that CEL cannot reach.
#include "grammar/escape.h"

#include <gtest/gtest.h>

namespace portcullis {
namespace {

TEST(Escape, BothWays) {
  const std::pair<const char*, const char*> kPairs[] = {
      {"a", "a"},
      {"namespace", "__namespace__"},
      {"namespaces", "namespaces"},
      {"a.b", "a__dot__b"},
      {"a-b", "a__dash__b"},
      {"a/b", "a__slash__b"},
      {"a__b", "a__underscores__b"},
      {"a_b", "a_b"},
      {"___", "__underscores___"},
      {"____", "__underscores____underscores__"},
      {"_.", "___dot__"},
      {"a.-/__a", "a__dot____dash____slash____underscores__a"},
      {"a__dot__a", "a__underscores__dot__underscores__a"},
      {"has", "has"},
  };
  for (const auto& [name, identifier] : kPairs) {
    EXPECT_EQ(escape_property(name), identifier) << name;
  }
}

TEST(Escape, UnreachableNames) {
  for (const char* name : {"", "1a", "a b", "a$", "é", "a\\b"})
    EXPECT_EQ(escape_property(name), std::nullopt) << name;
}

TEST(Escape, Unescape) {
  EXPECT_EQ(unescape_property("a__dot__b"), "a.b");
  EXPECT_EQ(unescape_property("a__underscores__dot__underscores__a"), "a__dot__a");
  EXPECT_EQ(unescape_property("__namespace__"), "namespace");
  EXPECT_EQ(unescape_property("__underscores___"), "___");
  for (const char* bad : {"__int__extra", "__illegal__", "a__namespace__"})
    EXPECT_EQ(unescape_property(bad), std::nullopt) << bad;
}

TEST(Escape, ReservedWords) {
  EXPECT_TRUE(is_reserved_word("in"));
  EXPECT_FALSE(is_reserved_word(""));
  EXPECT_FALSE(is_reserved_word("size"));
}

}  // namespace
}  // namespace portcullis
