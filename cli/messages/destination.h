// Where a report goes: standard output, or a file.
//
// Idea: a file is written when the report is complete, under another name in the same directory, and then renamed, so
// that nobody reads half a report and a failed run leaves the last one. What is no regular file (a pipe, /dev/stderr)
// is written to directly. Limits: the other name remains if the program is killed while it writes. Tested by
// tests/cli/formats.txt.
#pragma once

#include <string>
#include <string_view>

namespace portcullis {

// Writes all of `text` to a file descriptor; false, with the reason in errno, if the system refuses.
bool write_all(int fd, std::string_view text);

class Destination {
 public:
  // "-" is standard output.
  explicit Destination(std::string file = "-") : file_(std::move(file)) {}

  // Writes text for people, made visible (visible.h) except our own colours.
  void print(std::string_view text);
  // Writes data for programs, unchanged.
  void put(std::string_view data);
  // Whether text for people has colours here; in a file only if they are asked for in all places.
  bool colour() const;

  // Writes the file; standard output has everything already. On failure prints an error and returns false.
  bool close() const;
  bool is_output() const { return file_ == "-"; }  // standard output

 private:
  std::string file_;
  std::string text_;  // of a file
};

}  // namespace portcullis
