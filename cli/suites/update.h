// --update: writes what came into the suite's file, for review as a diff.
//
// Idea: the file is edited by lines. Of an expectation that is not met, the lines of its member are replaced; all other
// lines, with their comments, stay. Limits: a member that shares its line with others, `mutated` with an object of its
// own, a case of several objects with different results and Kyverno's files are not written, which is said.
// Tested by tests/cli/test_update.txt.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/suites/all.h"

namespace portcullis::suites {

class Updates {
 public:
  // Takes what is to be written of a suite's results.
  void add(const SuiteResult& result);
  // Writes the files; says what is written, and what is not. False if something is not.
  bool write();

 private:
  // Lines from `first` to before `end`, counted from 1, and what stands there then.
  struct Edit {
    int end = 0;
    std::string text;
  };
  struct File {
    std::string text;
    std::map<int, Edit> edits;  // by their first line
  };
  void add(const Suite& suite, const std::vector<const CaseResult*>& results);
  void replace(const Suite& suite, const std::string& case_path, const std::string& member,
               const std::string& fresh, const std::string& yaml);
  void refuse(const Suite& suite, const std::string& path, std::string why);

  std::map<std::string, File> files_;
  size_t written_ = 0, refused_ = 0;
};

}  // namespace portcullis::suites
