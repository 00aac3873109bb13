// Finds the files for the command line's files and directories, and records what it skips in directories.
//
// Idea: the rules are kubectl's. A directory gives its *.yaml, *.yml and *.json sorted by name, with
// `recursive` also those of directories below; a file on the command line is read whatever its name. Unlike
// kubectl, files that nobody means are skipped in directories and reported: version control and packages, the
// parts of a Helm chart (`helm template` makes manifests of it), patches that a kustomization.yaml names and none has
// as a resource, and files that match patterns (ignore.h). `lenient` skips them among named files, too.
// Nothing is skipped silently: links to directories, pipes, and directories below without `recursive` are
// also reported. Of links to directories, only those of a mounted ConfigMap or Secret (`team -> ..data/team`) are
// followed.
// Patterns come from .portcullisignore in the working directory, in the given directory, and in all
// directories between and below. Patterns of --ignore are relative to the working directory and to the given
// directory. Tested by tests/cli/files.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portcullis {

// How to read the files of a command line.
struct ReadOptions {
  bool recursive = false;           // -R
  bool strict = false;              // --strict-files: a file that is no manifest is an error
  bool lenient = false;             // --lenient-files: named files are treated like those of directories
  std::vector<std::string> ignore;  // --ignore: patterns
};

struct FoundFile {
  std::string path;
  bool named = false;  // to be read whatever it is; of the command line, not found in a directory
  std::string error;   // why the file or directory cannot be read
};

// A skipped entry of a directory.
struct LeftOut {
  std::string file;
  std::string_view why;
};

struct FoundFiles {
  std::vector<FoundFile> files;
  std::vector<LeftOut> left_out;
};

// The files for one path of the command line, in order.
FoundFiles find_manifests(const std::string& path, const ReadOptions& options);

// Whether the path has the extension of a manifest.
bool has_manifest_name(const std::string& path);

}  // namespace portcullis
