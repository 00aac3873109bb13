// Selectors in canonical form.
#include "admission/authorization/authorizer.h"

#include <gtest/gtest.h>

namespace portcullis {
namespace {

std::string label(std::string_view text) {
  Arena arena;
  return std::string(canonical_label_selector(arena, text).value_or("error"));
}
std::string field(std::string_view text) {
  Arena arena;
  return std::string(canonical_field_selector(arena, text).value_or("error"));
}

TEST(Selectors, Labels) {
  EXPECT_EQ(label(""), "");
  EXPECT_EQ(label("b=1, a==2 ,!c,d"), "a==2,b=1,!c,d");
  EXPECT_EQ(label("k in (b,a,,b)"), "k in (,a,b)");
  EXPECT_EQ(label("k notin ()"), "k notin ()");
  EXPECT_EQ(label("in in (in,notin)"), "in in (in,notin)");
  EXPECT_EQ(label("a>5,b<1"), "a>5,b<1");
  EXPECT_EQ(label("b<-1"), "error");  // -1 is no label value
  EXPECT_EQ(label("a="), "a=");
  for (const char* bad :
       {"a b", "a=b=c", "a>x", "=b", "a,,b", "a,", "a in b", "a in (b", "!a=b", "a===b", "-=1", "a=!"}) {
    EXPECT_EQ(label(bad), "error") << bad;
  }
}

TEST(Selectors, Fields) {
  EXPECT_EQ(field("b=1,a==2,c!=3,,"), "a=2,b=1,c!=3");
  EXPECT_EQ(field("a=x\\,y\\=z\\\\"), "a=x\\,y\\=z\\\\");
  EXPECT_EQ(field("a!b=c"), "a!b=c");
  EXPECT_EQ(field("="), "");
  for (const char* bad : {"a", "a=b=c", "a=\\x", "a=\\"}) EXPECT_EQ(field(bad), "error") << bad;
}

}  // namespace
}  // namespace portcullis
