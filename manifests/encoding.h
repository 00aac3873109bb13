// Decodes the text of a file to UTF-8, as kubectl does.
//
// Idea: kubectl reads files through golang.org/x/text: UTF-16 with a byte order mark becomes UTF-8, and what is
// invalid in it, or in a text without a mark, becomes U+FFFD, silently, whether it is in a comment or in a value. A
// text with the mark of UTF-8 is left as it is, so YAML with other bytes is refused. UTF-32 is an error here that
// says so; kubectl takes it for UTF-16 with control characters. Tested by manifests/encoding_test.cc.
#pragma once

#include <string>

#include "grammar/result.h"

namespace portcullis {

// The text without its byte order mark.
Result<std::string> decode_text(std::string bytes);

}  // namespace portcullis
