// Hidden characters in a text become visible; ordinary ones stay.
#include "cli/messages/visible.h"

#include <gtest/gtest.h>

#include <random>

#include "cli/messages/messages.h"
#include "grammar/utf8.h"

namespace portcullis {
namespace {

TEST(Visible, ShowsWhatHides) {
  const std::pair<std::string, std::string> rows[] = {
      {"plain ~ äöü 漢字 😀", "plain ~ äöü 漢字 😀"},
      {"a\nadmitted  Pod b", "a\\nadmitted  Pod b"},
      {"\t\r", "\\t\\r"},
      {std::string("\0\x01\x1b[2J\x7f", 7), "\\x00\\x01\\x1b[2J\\x7f"},
      {"\u0085\u009b31m", "\\u0085\\u009b31m"},
      {"\u202eabc\u2069\u2028\u2029", "\\u202eabc\\u2069\\u2028\\u2029"},
      {"\xff\x80 \xc3(\xed\xa0\x80", "\\xff\\x80 \\xc3(\\xed\\xa0\\x80"},
      {"\ufffd", "\ufffd"},
  };
  for (const auto& [text, want] : rows) EXPECT_EQ(visible(text), want);
}

TEST(Visible, Blocks) {
  EXPECT_EQ(visible_block("a\nb\x1b\n", "  | "), "  | a\n  | b\\x1b\n  | \n");
  EXPECT_EQ(visible_block("", "> "), "> \n");
}

TEST(Visible, OwnColoursStay) {
  const Paint& p = paint(true);
  std::string text = std::string(p.red) + "denied" + std::string(p.reset) + "\n\x1b[31mforged";
  EXPECT_EQ(visible_lines(text, true),
            std::string(p.red) + "denied" + std::string(p.reset) + "\n\\x1b[31mforged");
  EXPECT_EQ(visible_lines(text, false), "\\x1b[1;31mdenied\\x1b[0m\n\\x1b[31mforged");
}

TEST(Visible, ColumnsStay) { EXPECT_EQ(visible_columns("a\tb\x1b\u202e\xff é"), "a b??\ufffd é"); }

// Nothing hidden remains of random bytes and random pieces.
TEST(Visible, NothingGetsThrough) {
  std::mt19937 random(7);
  const std::string pieces[] = {
      "\x1b[0m", "\x1b[2J",           "\n", "\r", "\u009b", "\u202e", "\xe2\x80", "\xae", "a",
      "é",       std::string(1, '\0')};
  for (int round = 0; round < 20'000; round++) {
    std::string text;
    for (int i = 0; i < 12; i++) {
      bool piece = random() % 2 == 0;
      text +=
          piece ? pieces[random() % std::size(pieces)] : std::string(1, static_cast<char>(random() % 256));
    }
    std::string shown = visible(text);
    ASSERT_TRUE(utf8::valid(shown));
    for (char32_t c : utf8::runes(shown)) {
      bool hidden =
          c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
      ASSERT_FALSE(hidden) << shown;
    }
    ASSERT_EQ(visible(shown), shown);
  }
}

}  // namespace
}  // namespace portcullis
