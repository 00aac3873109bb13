// Tally: the output of the data runners: each failure with the expected and the actual answer, and the
// closing line.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace portcullis::tests {

class Tally {
 public:
  // Reads the ids of tests that may fail, with reasons: lines "id" after lines "# reason". False if the file
  // cannot be read.
  bool read_exceptions(const std::string& path);

  void pass(std::string_view id);
  void fail(std::string_view id, std::string_view expected, std::string_view actual);
  void skip() { ++skipped_; }
  // Counts tests that cannot run because a part of the program does not exist; the output names them.
  void leave_out(std::string_view what, std::string_view why) {
    ++left_out_[std::string(what) + ": " + std::string(why)];
  }

  // Prints the closing line. Returns the exit status: 0 if nothing failed.
  int finish() const;

 private:
  std::map<std::string, std::string, std::less<>> exceptions_;
  std::set<std::string, std::less<>> excused_;
  std::map<std::string, int> left_out_;
  int passed_ = 0, failed_ = 0, skipped_ = 0;
};

}  // namespace portcullis::tests
