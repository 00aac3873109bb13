// The command line's files and directories -> the files to read, and what of the directories is left out.
//
// Idea: kubectl's rules. A directory gives its *.yaml, *.yml and *.json in the order of their names, with
// `recursive` also those of directories below; a file that is named is read whatever it is. Beyond kubectl, what
// nobody means is left out of directories, and told: version control and packages, what a Helm chart is made of
// (`helm template` makes manifests of it), what patterns name (ignore.h). Nothing is left out in silence: links to
// directories, pipes, directories below without `recursive` are told as well.
// Patterns: .portcullisignore of the working directory, of the directory that is given and of all between and below;
// --ignore counts from the working directory and from the directory that is given.
// Tested by tests/cli/files.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portcullis {

// How the files of a command line are read.
struct ReadOptions {
  bool recursive = false;           // -R
  bool strict = false;              // --strict-files: what is no manifest is an error
  std::vector<std::string> ignore;  // --ignore: patterns
};

struct FoundFile {
  std::string path;
  bool named = false;  // on the command line, not found in a directory
  std::string error;   // why it cannot be read; or of a directory
};

// Something in a directory that is not read.
struct LeftOut {
  std::string file;
  std::string_view why;
};

struct FoundFiles {
  std::vector<FoundFile> files;
  std::vector<LeftOut> left_out;
};

// The files of one path of the command line, in order.
FoundFiles find_manifests(const std::string& path, const ReadOptions& options);

// Does the path end as those of manifests do?
bool has_manifest_name(const std::string& path);

}  // namespace portcullis
