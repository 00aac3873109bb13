// Text of unknown origin for a terminal: nothing in it moves the cursor, changes colours or the direction of writing,
// or begins a line that could pass for one of ours.
//
// Idea: control characters (C0, DEL, C1), the overrides of writing direction, U+2028 and U+2029 are shown as
// escapes, as \n, \x1b, \u202e; bytes that are no UTF-8 as \xff. What is printed for people passes
// visible_lines at last (output.h), whatever its maker did; what must stay on its line passes `visible`.
// Limit: a backslash stays as it is, so that a text of \n cannot be told from a line break; neither
// breaks a line. Tested by cli/messages/visible_test.cc and fuzz/report.cc.
#pragma once

#include <string>
#include <string_view>

namespace portcullis {

// `text` as part of one line.
std::string visible(std::string_view text);

// Lines of `text`, each visible, with `indent` in front and a line break behind.
std::string visible_block(std::string_view text, std::string_view indent);

// `text` with its line breaks, and with the escape sequences of our own colours if `colours`.
std::string visible_lines(std::string_view text, bool colours);

// One character for each code point, so that columns stay: what is not shown as it is becomes `?`, a tab
// a space.
std::string visible_columns(std::string_view text);

}  // namespace portcullis
