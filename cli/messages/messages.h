// Messages on standard error: errors, warnings and notes with file, line, column, the source line and a
// caret.
//
// Idea: only this file knows the form, "FILE:LINE:COLUMN: error: TEXT", and decides about colour (--color,
// else whether the terminal shows colour and NO_COLOR is unset). Text from files and users is made visible
// (visible.h); further lines of a text are indented. Tested by tests/cli.py.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/result.h"
#include "manifests/source_text.h"

namespace portcullis {

enum class Severity { Error, Warning, Note };

// The value of --color; Auto depends on the terminal and the environment.
enum class Colour { Auto, Always, Never };
void set_colour(Colour wish);

// Whether standard output, standard error and files for people show colour; files do if the wish is Always.
bool colour_out();
bool colour_error();
bool colour_files();

// Escape sequences, empty without colour.
struct Paint {
  std::string_view bold, red, yellow, green, dim, reset;
};
const Paint& paint(bool colour);

// Prints a message: `text` is the problem, `hint` may help. If `source` is the text of the file, the line at
// `position` is shown. `source`, `file` and `hint` may be empty.
void say(Severity severity, std::string_view file, Position position, std::string_view text,
         const PointedText& source = {}, std::string_view hint = {});

// A message that was collected. Views live as long as the text of its file.
struct Message {
  Severity severity = Severity::Note;
  std::string file;
  Position position;
  std::string text, hint;
  PointedText source;
  std::string once;     // a key: of messages with the same key only the first is printed
  std::string excerpt;  // in place of `source`, whose file may be gone by then: the line, by excerpt_at()
};
void say(const Message& message);

// Collects what `say` is told on this thread while it lives, in place of printing and counting it.
class Listening {
 public:
  Listening();
  ~Listening();
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;
  std::vector<Message> messages;

 private:
  Listening* outer_;
};

// "FILE:LINE:COLUMN", with the parts that are known.
std::string place_text(std::string_view file, Position position);

// The same as text, each line after `indent`.
std::string message_text(Severity severity, std::string_view file, Position position, std::string_view text,
                         const PointedText& source, const Paint& paint, std::string_view hint = {},
                         std::string_view indent = {});

// Prints lines with a form of their own on standard error, made visible.
void say_lines(std::string_view text);

// The errors that `say` has printed, for reports for programs.
struct SaidError {
  std::string file;  // may be empty
  Position position;
  std::string text, hint;
};
std::span<const SaidError> said_errors();
// The number of warnings that `say` has printed.
size_t said_warnings();

// The line of `source` at `position` and a caret below it, each after `indent` and with a line break; empty
// if there is no such line. Long lines are cut around the caret.
std::string point_at(const PointedText& source, Position position, std::string_view indent);
// The same with the indentation of messages, for Message::excerpt.
std::string excerpt_at(const PointedText& source, Position position);

}  // namespace portcullis
