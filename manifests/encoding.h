// Decodes the text of a file to UTF-8, from the encoding of its byte order mark.
//
// Idea: kubectl's YAML reader accepts UTF-16 with a byte order mark, but splits documents before it decodes
// them, so it only sees the first one. Here the text is decoded first, so all documents count. kubectl
// refuses UTF-32, and so does this. A text without a mark is UTF-8. Tested by manifests/encoding_test.cc.
#pragma once

#include <string>

#include "grammar/result.h"

namespace portcullis {

enum class Encoding { Utf8, Utf16 };

struct DecodedText {
  std::string text;  // without the byte order mark
  Encoding encoding = Encoding::Utf8;
};
// Fails at the position of the first invalid unit. UTF-8 is not validated.
Result<DecodedText> decode_text(std::string bytes);

}  // namespace portcullis
