// Where a character of a scalar stands in its YAML or JSON file: for carets into expressions.
//
// Idea: the scalar's text and the file's are walked side by side, white space (folding, indentation,
// line breaks) skipped in both, escapes of quoted styles read; so one walk serves all styles. Tested
// by manifests/place_test.cc.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "grammar/result.h"

namespace portcullis {

// The position in `file` of byte `offset` of `scalar`, whose node starts at `node`. Nothing if the
// texts do not agree.
std::optional<Position> place_in_scalar(std::string_view file, Position node, std::string_view scalar,
                                        size_t offset);

// Byte offsets of a line's first character and of one of its characters.
struct Place {
  size_t line = 0, at = 0;
};
// Those of a line and column (code points, from 1) of a text, the line's end if it has fewer columns; nothing
// if there are fewer lines. Of large texts the place found last is remembered, so that asking for many in the
// order of the text takes no longer than reading it once.
std::optional<Place> find_place(std::string_view text, Position position);

// The second of these; the text's end if there is no such line.
size_t offset_in(std::string_view text, Position position);

// Line and column of a code point (from 0) of a text.
Position position_in(std::string_view text, int code_point);

// One issue out of cel-go's display of errors: "ERROR: <input>:1:3: TEXT\n | source\n | ..^".
struct CelIssue {
  Position position;
  std::string_view text;
};
// All issues in a message, in order; none if it displays no errors.
std::vector<CelIssue> cel_issues(std::string_view message);

}  // namespace portcullis
