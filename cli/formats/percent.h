// Texts in which bytes stand as %XX: parts of URLs and of file names. Tested by tests/cli/formats.txt.
#pragma once

#include <string>
#include <string_view>

#include "grammar/ascii.h"

namespace portcullis {

// Letters, digits and what is in `plain` stay.
inline std::string percent_encoded(std::string_view text, std::string_view plain) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_alphanumeric(c) || plain.find(c) != plain.npos) {
      out += c;
    } else {
      out += {'%', kUpperHexDigits[byte >> 4], kUpperHexDigits[byte & 15]};
    }
  }
  return out;
}

}  // namespace portcullis
