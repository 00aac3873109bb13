// Finds the files for the command line's files and directories, and records what it skips in directories.
//
// Idea: the rules are kubectl's. A directory gives its *.yaml, *.yml and *.json sorted by name, with
// `recursive` also those of directories below; a file on the command line is read whatever its name. Unlike
// kubectl, files that nobody means are skipped in directories and reported: version control and packages, the
// parts of a Helm chart (`helm template` makes manifests of it), and files that match patterns (ignore.h).
// Policies, params and former objects must never vanish. So it is only for manifests under review that `lenient`
// skips such files where they are named, too, and that patches of kustomize are marked (manifest_stream.h skips them).
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
  bool recursive = false;  // -R
  bool strict = false;     // --strict-files: a file that is no manifest is an error
  // --lenient-files: named files are treated like those of directories, if they are manifests under review.
  bool lenient = false;
  std::vector<std::string> ignore;  // --ignore: patterns
};

struct FoundFile {
  std::string path;
  bool named = false;  // to be read whatever it is; of the command line, not found in a directory
  // The directories whose kustomization.yaml names it as a patch; none if one names it as a resource.
  std::vector<std::string> patch_of = {};
  std::string error = {};  // why the file or directory cannot be read
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

// The files for one path of the command line, in order. `lenient` does not count, and no file is marked as a patch.
FoundFiles find_manifests(const std::string& path, const ReadOptions& options);
// The same for manifests under review. With `strict` no file is marked as a patch.
FoundFiles find_reviewed(const std::string& path, const ReadOptions& options);

// The files of the manifests that the kustomization.yaml of a directory builds, and those that it refers to, as far as
// they are here.
std::vector<std::string> files_built(const std::string& directory);

// Whether `lenient` may skip the path: a file, and no pipe or standard input, which are always meant.
bool is_lasting(const std::string& path);

// Whether the path has the extension of a manifest.
bool has_manifest_name(const std::string& path);

}  // namespace portcullis
