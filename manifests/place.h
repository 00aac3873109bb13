// Finds the place of a character of a scalar in its YAML or JSON file, for carets into expressions.
//
// Idea: one walk passes the scalar's text and the file's text side by side, skips white space (folding,
// indentation, line breaks) in both and decodes escapes of quoted styles, so it serves all styles. Tested by
// manifests/place_test.cc.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "grammar/result.h"
#include "manifests/source_text.h"

namespace portcullis {

// The position in `file` of byte `offset` of `scalar`, whose node starts at `node`. Nothing if the texts
// differ.
std::optional<Position> place_in_scalar(const PointedText& file, Position node, std::string_view scalar,
                                        size_t offset);

// The positions of all bytes of a scalar, in one walk; white space has none (line 0). Empty if the texts differ.
std::vector<Position> places_in_scalar(const PointedText& file, Position node, std::string_view scalar);

// The character at a line and column (code points, from 1) of a text; the end of the line if it is shorter; nothing if
// there are fewer lines.
std::optional<TextMark> find_place(const PointedText& text, Position position);

// `TextMark::at` of the position; the end of the text if there is no such line.
size_t offset_in(const PointedText& text, Position position);

// The line and column of a code point (from 0) of a text.
Position position_in(std::string_view text, int code_point);

// One issue of cel-go's display of errors: "ERROR: <input>:1:3: TEXT\n | source\n | ..^".
struct CelIssue {
  Position position;
  std::string_view text;
};
// All issues in a message, in order; empty if it displays no errors.
std::vector<CelIssue> cel_issues(std::string_view message);

}  // namespace portcullis
