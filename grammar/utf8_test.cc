#include "grammar/utf8.h"

#include <gtest/gtest.h>

namespace portcullis::utf8 {
namespace {

TEST(Utf8, DecodesAndEncodes) {
  for (const char32_t rune : {U'a', U'\u007f', U'\u0080', U'\u07ff', U'\u0800', U'\ud7ff', U'\ue000',
                              U'\uffff', U'\U00010000', U'\U0010FFFF'}) {
    std::string text;
    append(text, rune);
    EXPECT_EQ(decode(text).value, rune);
    EXPECT_EQ(decode(text).size, text.size());
    EXPECT_TRUE(valid(text));
  }
}

TEST(Utf8, TakesEachInvalidByteForOneReplacement) {
  for (const std::string_view text : {"\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                      "\xf8\x88\x80\x80\x80", "\xe2\x82", "\xff"}) {
    EXPECT_FALSE(valid(text));
    EXPECT_EQ(decode(text).size, 1u);
    EXPECT_EQ(length(text), text.size());
    EXPECT_EQ(length(repair(text)), text.size());
    EXPECT_TRUE(valid(repair(text)));
  }
}

TEST(Utf8, CountsCodePoints) {
  EXPECT_EQ(length("aé日😀"), 4u);
  EXPECT_EQ(runes("a\xff日"), U"a\uFFFD日");
  EXPECT_EQ(decode("").size, 0u);
}

TEST(Utf8, FindsWhatIsNotAsciiAtAnyPlace) {
  for (size_t before = 0; before < 20; before++) {
    for (size_t after = 0; after < 20; after++) {
      const std::string begin(before, 'a'), end(after, 'z');
      EXPECT_EQ(runes(begin + "é" + end), std::u32string(before, U'a') + U"é" + std::u32string(after, U'z'));
      EXPECT_EQ(repair(begin + "\xff" + end), begin + "\uFFFD" + end);
      EXPECT_EQ(length(begin + "日" + end), before + 1 + after);
      EXPECT_TRUE(valid(begin + "日" + end));
      EXPECT_FALSE(valid(begin + "\xff" + end));
    }
  }
}

TEST(Utf8, ReplacesSurrogates) {
  std::string text;
  append(text, 0xD800);
  append(text, 0x110000);
  EXPECT_EQ(text, "\uFFFD\uFFFD");
}

}  // namespace
}  // namespace portcullis::utf8
