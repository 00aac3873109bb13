// What goes to standard error: errors, warnings and notes with file, line, column, the
// source line and a caret.
//
// Idea: one place that knows the form, "FILE:LINE:COLUMN: error: TEXT", and whether there is colour (a
// terminal, and no NO_COLOR). Tested by tests/cli.py.
#pragma once

#include <string>
#include <string_view>

#include "grammar/result.h"

namespace portcullis {

enum class Severity { Error, Warning, Note };

// Whether standard output and standard error are terminals that show colour.
bool colour_out();
bool colour_error();

// Escape sequences, empty without colour.
struct Paint {
  std::string_view bold, red, yellow, green, dim, reset;
};
const Paint& paint(bool colour);

// `text` says what is wrong. `source` is the text of the file, from which the line at `position` is shown;
// both may be empty, as may `file`.
void say(Severity severity, std::string_view file, Position position, std::string_view text,
         std::string_view source = {});

// The same as text.
std::string message_text(Severity severity, std::string_view file, Position position, std::string_view text,
                         std::string_view source, const Paint& paint);

// The line of `source` at `position` and a caret under it, each with `indent` in front and a line break
// behind; empty where there is no such line. Long lines are shown around the caret.
std::string point_at(std::string_view source, Position position, std::string_view indent);

}  // namespace portcullis
