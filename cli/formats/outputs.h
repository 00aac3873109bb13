// The option -o: which reports are wanted, and where each goes.
//
// Idea: each value is FORMAT or FORMAT=FILE; a command has formats of its own (text, json) besides those of formats.h.
// One report at most goes to standard output ("-", or no FILE). The command prints its own formats to their
// destinations; close() ends them all. Tested by tests/cli/formats.txt.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/formats/outcomes.h"
#include "cli/messages/destination.h"
#include "grammar/result.h"

namespace portcullis {

class Outputs {
 public:
  struct Output {
    std::string format;
    Destination destination;
    bool own = true;  // of the command, not of formats.h
  };

  // Reads the values of -o; no value means the first of the command's `own` formats. The error is one of usage.
  static Result<Outputs> parse(std::span<const std::string> values, std::span<const std::string_view> own);

  // In the order of the command line.
  std::deque<Output>& all() { return all_; }
  // Whether a format of formats.h is wanted, so that a Run has to be made.
  bool wants_run() const;
  // Whether a format is wanted.
  bool wants(std::string_view format) const;
  // Writes the reports of formats.h.
  void put(const outcomes::Run& run);
  // Ends all reports; false if one cannot be written, which is said.
  bool close() const;

 private:
  std::deque<Output> all_;
};

// The formats that `own` has and then those of formats.h.
std::vector<std::string> all_formats(std::span<const std::string_view> own);
// What is wrong with a value of -o; empty if nothing is.
std::string output_misuse(const std::string& value, std::span<const std::string_view> own);

}  // namespace portcullis
