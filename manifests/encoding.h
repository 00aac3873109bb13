// The text of a file as UTF-8, whichever encoding its byte order mark names.
//
// Idea: kubectl's reader of YAML takes UTF-16 with a byte order mark, but splits documents before it decodes
// them, and so sees the first alone; here the text is decoded first, so that all are seen. UTF-32 is what
// kubectl refuses, and so is refused here. Without a mark a text is UTF-8. Tested by manifests/encoding_test.cc.
#pragma once

#include <string>

#include "grammar/result.h"

namespace portcullis {

enum class Encoding { Utf8, Utf16 };

struct DecodedText {
  std::string text;  // without the byte order mark
  Encoding encoding = Encoding::Utf8;
};
// The error is at the position of the first unit that is none. Of UTF-8 no more than the mark is looked at.
Result<DecodedText> decode_text(std::string bytes);

}  // namespace portcullis
