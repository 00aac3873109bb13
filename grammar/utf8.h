// UTF-8 as Go reads it.
//
// Idea: every text is made valid once, when it enters (cel-go's source buffer does the same), so that later
// code never meets a broken sequence. Each byte that starts no valid sequence becomes one U+FFFD; overlong
// forms, surrogates and code points above 10FFFF are invalid (unicode/utf8 of Go).
// Tested by grammar/utf8_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace portcullis::utf8 {

inline constexpr char32_t kReplacement = 0xFFFD;
inline constexpr char32_t kMaxRune = 0x10FFFF;

struct Rune {
  char32_t value = kReplacement;
  uint32_t size = 0;  // bytes read: 0 only for empty text, 1 for an invalid byte
};

// The first code point of `text` (utf8.DecodeRuneInString).
Rune decode(std::string_view text);

// Appends the encoding of `rune`; surrogates and values above 10FFFF become U+FFFD (utf8.AppendRune).
void append(std::string& out, char32_t rune);

// Whether `rune` may be encoded in UTF-8: not a surrogate and at most 10FFFF.
constexpr bool is_scalar(char32_t rune) { return rune < 0xD800 || (rune > 0xDFFF && rune <= kMaxRune); }

bool valid(std::string_view text);

// Number of code points; each invalid byte counts as one (utf8.RuneCountInString).
size_t length(std::string_view text);

// `text` with every invalid byte replaced by U+FFFD.
std::string repair(std::string_view text);

// The code points of `text`, invalid bytes as U+FFFD ([]rune(text)).
std::u32string runes(std::string_view text);

}  // namespace portcullis::utf8
