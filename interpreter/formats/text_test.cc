#include "interpreter/formats/text.h"

#include <gtest/gtest.h>

#include <string>

namespace portcullis {
namespace {

TEST(Text, OffsetsCountCodePoints) {
  std::string_view text = "a\u00e9\u4e16\U0001F600z";
  EXPECT_EQ(rune_offset(text, 0), 0u);
  EXPECT_EQ(rune_offset(text, 3), 6u);
  EXPECT_EQ(rune_offset(text, 5), text.size());
  EXPECT_EQ(rune_offset(text, 6), text.npos);
  EXPECT_EQ(rune_offset("\xff\xfe", 2), 2u);
}

TEST(Text, TrimsWhiteSpaceOfUnicode) {
  EXPECT_EQ(trim_space(" \t\u00a0\u2003a b\u3000\u0085\n"), "a b");
  EXPECT_EQ(trim_space("\u200ba\u200b"), "\u200ba\u200b");  // zero width space is no white space
  EXPECT_EQ(trim_space(" \n"), "");
  EXPECT_EQ(trim_space("\xa0 x \xa0"), "\xa0 x \xa0");
}

TEST(Text, FindsFirstAndLast) {
  Arena arena;
  EXPECT_EQ(find_first("abcabc", "ca"), 2u);
  EXPECT_EQ(find_first("abc", ""), 0u);
  EXPECT_EQ(find_first("abc", "abcd"), std::string_view::npos);
  EXPECT_EQ(find_last("abcabc", "abc", arena), 3u);
  std::string many(200000, 'a');
  EXPECT_EQ(find_last(many, std::string(1000, 'a'), arena), many.size() - 1000);
  EXPECT_EQ(find_last(many, "b" + std::string(100000, 'a'), arena), std::string_view::npos);
}

TEST(Text, Base64) {
  Arena arena;
  for (auto [plain, coded] :
       {std::pair{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"\xff\xfe", "//4="}}) {
    TextBuilder encoded(arena), decoded(arena);
    append_base64(encoded, plain);
    EXPECT_EQ(encoded.view(), coded);
    EXPECT_EQ(decode_base64(decoded, coded, true), std::nullopt);
    EXPECT_EQ(decoded.view(), plain);
  }
  struct {
    const char* text;
    bool padded;
    std::optional<size_t> corrupt;
  } cases[] = {{"Zg", false, {}}, {"Zg", true, 0},        {"Zg=", true, 3}, {"Zg==x", true, 4},
               {"Z!==", true, 1}, {"Zm\r\n9v", true, {}}, {"Z", false, 0},  {"Zg==", false, 2}};
  for (const auto& c : cases) {
    TextBuilder out(arena);
    EXPECT_EQ(decode_base64(out, c.text, c.padded), c.corrupt) << c.text;
  }
}

}  // namespace
}  // namespace portcullis
