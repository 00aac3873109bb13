// respell: a pattern of Go's regexp in the spelling of RE2.
//
// Idea: RE2 knows all that Go's patterns can say, but not every spelling of it. Only Go knows (?<name>, long
// and loosely written names of classes (\p{Uppercase_Letter}, \pl), \p{Cn} and its like; its \p{C} includes the
// code points that are not assigned. What Go refuses and RE2 knows (\C, \p{Old_Italic}, (?P<é>) becomes
// something else that RE2 refuses for the same reason. Each byte keeps its origin, for the text of that error.
// Assumption: RE2 and unicode_classes.inc have the same version of Unicode, 15.0 in Go 1.26 and Debian 12.
// Limits: `[:` at the end of a range ([!-[:]) is read as the start of a POSIX class, if `:]` follows; rows about
// regular expressions in docs/faithfulness.md.
// Tested by interpreter/functions/regex_test.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis {

struct Spelling {
  std::string text;
  std::vector<size_t> origin;  // for each byte of text, and for its end: the position in the original pattern

  // Appends `piece` in place of the `length` characters from `from` on.
  void add(std::string_view piece, size_t from, size_t length);
  // What stands in `pattern`, the original, for a part of text that RE2 complains about.
  std::string original(std::string_view part, std::string_view pattern) const;
};

// Takes time in proportion to the length of the pattern, which may be anything.
Spelling respell(std::string_view pattern);

}  // namespace portcullis
