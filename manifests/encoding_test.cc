// UTF-16 by its mark, UTF-8 otherwise; what is invalid becomes U+FFFD.
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
    EXPECT_EQ(*decode_text(units(u"\ufeffa: é\n---\nb: 😀\n", big)), "a: é\n---\nb: 😀\n");
  }
}

TEST(Encoding, HalvesInUtf16) {
  EXPECT_EQ(*decode_text("\xff\xfe" + std::string("a\0\n\0b", 5)), "a\n\uFFFD");
  const std::pair<std::u16string, std::string> kTexts[] = {
      {u"ab\xd83d", "ab\uFFFD"},
      {u"ab\xd83dx", "ab\uFFFDx"},
      {u"ab\xde00", "ab\uFFFD"},
      {u"ab\xde00\xde00z", "ab\uFFFDz"},
      {u"ab\xd83d\xd83d\xde00", "ab\uFFFD😀"},
  };
  for (const auto& [text, want] : kTexts) EXPECT_EQ(*decode_text(units(u"\ufeff" + text, false)), want);
}

TEST(Encoding, Utf8) {
  EXPECT_EQ(*decode_text("a: caf\xe9 # \xe2\x80"), "a: caf\uFFFD # \uFFFD");
  EXPECT_EQ(*decode_text("\xef\xbb\xbf"
                         "a: \xff"),
            "a: \xff");  // the mark says that the text is UTF-8
  EXPECT_EQ(*decode_text("\xef\xbb"), "\uFFFD");
  EXPECT_EQ(*decode_text(""), "");
}

TEST(Encoding, SequencesOfInvalidUtf8) {
  const std::pair<std::string_view, std::string_view> kTexts[] = {
      {"a\xff\xfe z", "a\uFFFD\uFFFD z"},  // no byte of a character
      {"\xe2\x82", "\uFFFD"},              // the end of the text
      {"\xe2\x82z", "\uFFFDz"},            // no continuation
      {"\xf0\x9f\x98z", "\uFFFDz"},
      {"\xf0\x9f\xe9\xff", "\uFFFD\uFFFD\uFFFD"},
      {"\xe0\x80\x80", "\uFFFD\uFFFD\uFFFD"},  // overlong, surrogates, above 10FFFF: each byte
      {"\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
      {"\xf4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
      {"\xc3\xc3\xa9\xc3", "\uFFFDé\uFFFD"},
      {"\xef\xbf\xbd\xe9", "\uFFFD\uFFFD"},  // of which the first is one
  };
  for (const auto& [text, want] : kTexts) EXPECT_EQ(*decode_text(std::string(text)), want);
}

TEST(Encoding, Utf32IsRefused) {
  EXPECT_FALSE(decode_text(std::string("\xff\xfe\0\0a\0\0\0", 8)).ok());
  EXPECT_FALSE(decode_text(std::string("\0\0\xfe\xff\0\0\0a", 8)).ok());
}

}  // namespace
}  // namespace portcullis
