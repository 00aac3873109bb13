// UTF-16 by its mark, UTF-8 otherwise; a text that ends within a character is an error at that position.
#include "manifests/encoding.h"

#include <gtest/gtest.h>

namespace portcullis {
namespace {

std::string units(std::u16string_view text, bool big) {
  std::string out;
  for (char16_t c : text) {
    char high = static_cast<char>(c >> 8), low = static_cast<char>(c & 0xff);
    out += big ? high : low;
    out += big ? low : high;
  }
  return out;
}

TEST(Encoding, Utf16) {
  for (bool big : {true, false}) {
    Result<DecodedText> read = decode_text(units(u"\ufeffa: é\n---\nb: 😀\n", big));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->text, "a: é\n---\nb: 😀\n");
    EXPECT_EQ(read->encoding, Encoding::Utf16);
  }
}

TEST(Encoding, Utf16IsWhole) {
  Result<DecodedText> half = decode_text("\xff\xfe" + std::string("a\0\n\0b", 5));
  ASSERT_FALSE(half.ok());
  EXPECT_EQ(half.error().position.line, 2);
  for (std::u16string text : {u"ab\xd83d", u"ab\xd83dx", u"ab\xde00"}) {
    Result<DecodedText> read = decode_text(units(u"\ufeff" + text, false));
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().position.column, 3);
  }
}

TEST(Encoding, Utf8IsLeftAsItIs) {
  EXPECT_EQ(decode_text("\xef\xbb\xbf"
                        "a: \xff")
                ->text,
            "a: \xff");
  EXPECT_EQ(decode_text("")->text, "");
}

TEST(Encoding, Utf32IsRefused) {
  EXPECT_FALSE(decode_text(std::string("\xff\xfe\0\0a\0\0\0", 8)).ok());
  EXPECT_FALSE(decode_text(std::string("\0\0\xfe\xff\0\0\0a", 8)).ok());
}

}  // namespace
}  // namespace portcullis
