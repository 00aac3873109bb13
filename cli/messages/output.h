// Standard output: the one way to it, so that what does not get out is noticed.
//
// Idea: commands write through here and main closes it at the end: a full disk is an error that is said and
// ends with status 2, a closed pipe (`| head`) ends the program as it does usual tools.
// Tested by tests/cli/output.txt.
#pragma once

#include <string_view>

namespace portcullis {

// Writes text for people, with nothing hidden in it (visible.h) but our own colours.
void print(std::string_view text);

// Writes what a program reads, as it is.
void put(std::string_view data);

// Sends what is written so far on its way.
void flush_output();

// Ends the output; false, and said, if not all of it got out.
bool close_output();

}  // namespace portcullis
