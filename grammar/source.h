// Source: the text of one expression, which converts between offsets, lines and columns.
//
// Idea: a position is one code-point offset; line and column are computed only when an error is shown. The
// constructor replaces invalid UTF-8 by U+FFFD, as cel-go does. Only '\n' ends a line.
// Limits: offsets are int32; the parser limits the size (grammar/parse.h).
// Tested by grammar/source_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis {

// Line from 1, column from 0, both in code points; {-1, -1} means no place.
struct Location {
  int32_t line = -1;
  int32_t column = -1;
  bool operator==(const Location&) const = default;
};

class Source {
 public:
  // `description` is the name of the text in errors: a file name, or cel-go's "<input>".
  explicit Source(std::string_view text, std::string description = "<input>");

  const std::string& text() const { return text_; }  // valid UTF-8
  const std::u32string& runes() const { return runes_; }
  const std::string& description() const { return description_; }
  int32_t size() const { return static_cast<int32_t>(runes_.size()); }  // code points

  // The place of the code point at `offset`. An offset behind the end counts on the last line. A negative
  // offset gives line 1 and that column (cel-go's answer for nodes without a token).
  Location location(int32_t offset) const;

  // The inverse of location(); -1 if there is no such line (an empty text has none). The column may exceed
  // the line.
  int32_t offset(Location location) const;

  // Line `line` (from 1) without its '\n', or nothing if there is no such line or the text is empty.
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
