// The tokens of JSON as Go's encoding/json reads them, with Go's error texts: the base of readers that see all of a
// text.
//
// As in Go, invalid UTF-8 and lone surrogates become U+FFFD (one for each byte that starts no character).
// Tested by interpreter/values/json_test.cc, admission/objects/document_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "grammar/result.h"

namespace portcullis {

inline constexpr std::string_view kJsonEndsEarly = "unexpected end of JSON input";

class JsonScanner {
 protected:
  explicit JsonScanner(std::string_view text) : text_(text) {}

  // The next byte; -1 at the end.
  int peek() const { return at_ < text_.size() ? static_cast<unsigned char>(text_[at_]) : -1; }
  void skip_space();
  // What was read since `start`.
  std::string_view since(size_t start) const { return text_.substr(start, at_ - start); }

  // These read a token that begins at at_, or set error_ and are false.
  bool word(std::string_view word);
  bool number();
  bool string(std::string& out);
  // Reads `: ` behind a key.
  bool colon();

  bool fail(std::string text);
  // The text of the failure, with the place of the next byte.
  Error failure() const;
  // invalid character '}' looking for beginning of value
  bool bad(std::string_view context);

  std::string_view text_;
  size_t at_ = 0;
  std::string error_;

 private:
  bool digits(std::string_view context);
  bool escape(std::string& out);
  uint32_t code_point(uint32_t unit);
};

}  // namespace portcullis
