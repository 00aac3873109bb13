// Content types of HTTP, as Go's mime.ParseMediaType reads them.
// Limits: white space is that of ASCII; of the parameters only the charset is kept. Tested by chain/answer_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace portcullis::chain {

struct MediaType {
  std::string type;     // "text/plain", in lower case
  std::string charset;  // in lower case; empty if it has none
  std::string error;    // Go's text if `value` is no media type: "mime: expected slash after first token"
};
MediaType read_media_type(std::string_view value);

}  // namespace portcullis::chain
