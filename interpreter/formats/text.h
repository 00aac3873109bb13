// Texts as in Go: code points, white space, quoting, searching, base64.
//
// Idea: CEL's string functions count code points, as grammar/utf8.h defines them. Functions allocate only in
// the TextBuilder or arena they are given.
// Tested by interpreter/formats/text_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "interpreter/values/builder.h"

namespace portcullis {

// Appends a code point in UTF-8; a surrogate or a value above U+10FFFF becomes U+FFFD.
void append_rune(TextBuilder& out, char32_t rune);

// The byte at which code point number `index` begins. The number of code points gives the size of `text`, a
// larger index npos.
size_t rune_offset(std::string_view text, size_t index);

// unicode.IsSpace (the property White_Space).
bool is_space(char32_t rune);
// `text` without the white space at both ends.
std::string_view trim_space(std::string_view text);

// strconv.Quote, which is also fmt's %q.
void append_quoted(TextBuilder& out, std::string_view text);

// The byte position of the first or last `needle`, npos if there is none, in time linear in both sizes.
// `find_last` may allocate in the arena.
size_t find_first(std::string_view text, std::string_view needle);
size_t find_last(std::string_view text, std::string_view needle, Arena& arena);

// base64.StdEncoding.
void append_base64(TextBuilder& out, std::string_view bytes);
// Decodes base64 with padding (StdEncoding) or without (RawStdEncoding); skips line breaks. Returns the byte
// at which the input is corrupt (encoding/base64's CorruptInputError), or nothing on success.
std::optional<size_t> decode_base64(TextBuilder& out, std::string_view text, bool padded);

}  // namespace portcullis
