// Makes text of unknown origin safe for a terminal: it cannot move the cursor, change colours or the
// direction of writing, or begin a line that resembles one of ours.
//
// Idea: escapes replace control characters (C0, DEL, C1), overrides of writing direction, U+2028 and U+2029
// (\n, \x1b, \u202e), and bytes that are no UTF-8 (\xff). All output for people finally passes visible_lines
// (output.h); text that must stay on its line passes `visible`. Limits: a backslash stays, so the text \n
// cannot be distinguished from a line break; neither breaks a line. Tested by cli/messages/visible_test.cc
// and fuzz/report.cc.
#pragma once

#include <string>
#include <string_view>

namespace portcullis {

// Whether a code point is not seen as it is, and may change how a terminal shows what is around it.
bool is_hidden(char32_t c);

// `text` as a part of one line.
std::string visible(std::string_view text);

// The lines of `text`, each made visible, after `indent` and with a line break.
std::string visible_block(std::string_view text, std::string_view indent);

// `text` with its line breaks and, if `colours`, with the escape sequences of our own colours.
std::string visible_lines(std::string_view text, bool colours);

// One character for each code point, so that columns are unchanged: a hidden character becomes `?`, a tab a
// space.
std::string visible_columns(std::string_view text);

}  // namespace portcullis
