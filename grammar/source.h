// Source: the text of one expression, and the way between offsets, lines and columns.
//
// Idea: one position is one code-point offset; lines and columns are computed only when something is shown.
// Invalid UTF-8 is replaced by U+FFFD on the way in, as cel-go does. Lines end at '\n' only.
// Limits: offsets are int32; size limits are the parser's (grammar/parse.h).
// Tested by grammar/source_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis {

// Line from 1, column from 0, both in code points; {-1, -1} is nowhere.
struct Location {
  int32_t line = -1;
  int32_t column = -1;
  bool operator==(const Location&) const = default;
};

class Source {
 public:
  // `description` is what errors call the text: a file name, or cel-go's "<input>".
  explicit Source(std::string_view text, std::string description = "<input>");

  const std::string& text() const { return text_; }  // valid UTF-8
  const std::u32string& runes() const { return runes_; }
  const std::string& description() const { return description_; }
  int32_t size() const { return static_cast<int32_t>(runes_.size()); }  // code points

  // Where the code point at `offset` stands. Offsets behind the end are on the last line. A negative offset
  // gives line 1 and that column (cel-go's answer for nodes without a token).
  Location location(int32_t offset) const;

  // The inverse, -1 when there is no such line (an empty text has none). The column is not checked against
  // the length of the line.
  int32_t offset(Location location) const;

  // Line `line` (from 1) without its '\n'; nothing if there is no such line or the text is empty.
  std::optional<std::string> line(int32_t line) const;

  // Code points [start, stop) as UTF-8; bounds are clamped.
  std::string slice(int32_t start, int32_t stop) const;

 private:
  std::string text_;
  std::u32string runes_;
  std::string description_;
  std::vector<int32_t> line_starts_;  // offsets of lines 2, 3, ...
};

}  // namespace portcullis
