// Which files of a directory are left out because the user says so: patterns as in .gitignore.
//
// Idea: a list of rules belongs to a directory and speaks of the paths below it; the last rule that fits
// decides. One pattern a line; empty lines and those that begin with # say nothing.
//   *.tmp.yaml     a name, at any depth        a/b.yaml, /a   a path from the list's own directory
//   drafts/        directories alone           !keep.yaml     not left out after all
//   *  ?  [a-z]    within one name             **             any number of directories
// Limits: what is below a directory that is left out cannot be had back; a backslash takes a first # or ! as itself.
// Tested by cli/reading/ignore_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portcullis {

class IgnoreRules {
 public:
  // Adds the lines of a text.
  void add(std::string_view lines);
  bool empty() const { return rules_.empty(); }

  enum class Answer { Silent, LeaveOut, Keep };
  // `path`: from the list's directory, with `/` between names.
  Answer of(std::string_view path, bool directory) const;

 private:
  struct Rule {
    std::vector<std::string> names;  // the parts of a path; "**" any number of them
    bool anchored, directories, keep;
  };
  std::vector<Rule> rules_;
};

}  // namespace portcullis
