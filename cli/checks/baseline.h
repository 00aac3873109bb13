// Warnings of `portcullis check` that are known: a file names them, so that new ones can fail where old ones may stay.
//
// Idea: a warning is known by its object (kind and name), its place (the path of the field without the numbers of list
// items) its text, whether it is a false alarm, and by how many alike there are. So lines, files and other items of a list may move. Errors are
// never known. An entry that no warning needs any more is said, since it would hide the next one. Format: docs/ci.md.
// Tested by tests/cli/baseline.txt.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "cli/cluster/cluster.h"

namespace portcullis {

class Baseline {
 public:
  // Reads a file. On failure prints an error and returns false.
  bool read(const std::string& file);
  // Adds the warnings among the problems.
  void add(const std::vector<PolicyProblem>& problems);
  // The file, as YAML.
  std::string text() const;

  // Takes the known warnings from the problems. Returns how many these are.
  size_t take_known(std::vector<PolicyProblem>& problems);
  // Prints a note about each entry that had more than `take_known` found in these objects.
  void say_stale(std::span<const InputObject> objects) const;

 private:
  struct Warning {
    std::string kind, name, field, text;
    bool false_alarm = false;
    auto operator<=>(const Warning&) const = default;
  };
  struct Entry {
    size_t count = 0, found = 0;
    Position position = {};
  };
  bool read_entry(const Value& entry, Position position);
  static Warning warning_of(const PolicyProblem& problem, const std::string& text, bool false_alarm = false);

  std::string file_;
  std::map<Warning, Entry> entries_;
};

}  // namespace portcullis
