// Files of a directory that the user excludes: patterns as in .gitignore.
//
// Idea: a list of rules belongs to a directory and applies to paths below it; the last matching rule
// decides. Each line is one pattern; empty lines and lines that begin with # are comments.
//   *.tmp.yaml     a name, at any depth        a/b.yaml, /a   a path from the list's own directory
//   drafts/        directories only            !keep.yaml     not excluded after all
//   *  ?  [a-z]    within one name             **             any number of directories
//   [[:alpha:]]    a class of characters       \*  \[  \#      a character as it is
// Limits: files below an excluded directory cannot be included again; no set and no backslash spans a `/`.
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
  // `path`: relative to the list's directory, with `/` between names.
  Answer of(std::string_view path, bool directory) const;

 private:
  struct Rule {
    std::vector<std::string> names;  // the parts of a path; "**" matches any number of names
    bool anchored, directories, keep;
  };
  std::vector<Rule> rules_;
};

}  // namespace portcullis
