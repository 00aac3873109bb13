// What goes to standard error: errors, warnings and notes with file, line, column, the
// source line and a caret.
//
// Idea: one place that knows the form, "FILE:LINE:COLUMN: error: TEXT", and whether there is colour (what --color says;
// else a terminal that is not dumb, and no NO_COLOR). Whatever files and users bring is made visible (visible.h); further lines of a text are
// indented. Tested by tests/cli.py.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "grammar/result.h"

namespace portcullis {

enum class Severity { Error, Warning, Note };

// What --color says: Auto looks at the terminal and at the environment.
enum class Colour { Auto, Always, Never };
void set_colour(Colour wish);

// Whether standard output and standard error show colour.
bool colour_out();
bool colour_error();

// Escape sequences, empty without colour.
struct Paint {
  std::string_view bold, red, yellow, green, dim, reset;
};
const Paint& paint(bool colour);

// `text` says what is wrong, `hint` what may help. `source` is the text of the file, from which the line at
// `position` is shown; it may be empty, as may `file` and `hint`.
void say(Severity severity, std::string_view file, Position position, std::string_view text,
         std::string_view source = {}, std::string_view hint = {});

// The same as text, each line with `indent` in front.
std::string message_text(Severity severity, std::string_view file, Position position, std::string_view text,
                         std::string_view source, const Paint& paint, std::string_view hint = {},
                         std::string_view indent = {});

// Lines for standard error that have a form of their own, with nothing hidden in them.
void say_lines(std::string_view text);

// The errors that `say` has said, for the reports that programs read.
struct SaidError {
  std::string file;  // may be empty
  Position position;
  std::string text, hint;
};
std::span<const SaidError> said_errors();
// How many warnings it has said.
size_t said_warnings();

// The line of `source` at `position` and a caret under it, each with `indent` in front and a line break
// behind; empty where there is no such line. Long lines are shown around the caret.
std::string point_at(std::string_view source, Position position, std::string_view indent);

}  // namespace portcullis
