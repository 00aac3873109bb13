// Text as Go sees it: code points, white space, quoting, searching, base64.
//
// Idea: CEL's string functions count code points; grammar/utf8.h says what one is. Nothing here allocates but
// what is appended to a TextBuilder.
// Tested by interpreter/formats/text_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "interpreter/values/builder.h"

namespace portcullis {

// Appends UTF-8; a surrogate or anything above U+10FFFF becomes U+FFFD.
void append_rune(TextBuilder& out, char32_t rune);

// The byte at which code point number `index` begins; the size of `text` for the number of its code
// points; npos beyond.
size_t rune_offset(std::string_view text, size_t index);

// unicode.IsSpace (White_Space).
bool is_space(char32_t rune);
// `text` without white space at both ends.
std::string_view trim_space(std::string_view text);

// strconv.Quote, which is also fmt's %q.
void append_quoted(TextBuilder& out, std::string_view text);

// Byte position of the first or last `needle`, npos if there is none; in time proportional to the sizes.
// `find_last` may use the arena.
size_t find_first(std::string_view text, std::string_view needle);
size_t find_last(std::string_view text, std::string_view needle, Arena& arena);

// base64.StdEncoding.
void append_base64(TextBuilder& out, std::string_view bytes);
// Decodes with padding (StdEncoding) or without (RawStdEncoding); line breaks are skipped. Returns the byte
// at which the input is corrupt (encoding/base64's CorruptInputError), or nothing on success.
std::optional<size_t> decode_base64(TextBuilder& out, std::string_view text, bool padded);

}  // namespace portcullis
