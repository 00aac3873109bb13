// Standard output: all writes go through here, so that failed ones are noticed.
//
// Idea: commands write through these functions, and main closes the output at the end. A full disk is an
// error with status 2; a closed pipe (`| head`) ends the program as it ends other tools. Tested by
// tests/cli/output.txt.
#pragma once

#include <string_view>

namespace portcullis {

// Writes text for people, made visible (visible.h) except our own colours.
void print(std::string_view text);

// Writes data for programs, unchanged.
void put(std::string_view data);

// Flushes the output.
void flush_output();

// Closes the output; on failure prints an error and returns false.
bool close_output();

}  // namespace portcullis
