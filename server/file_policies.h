// Reads the policies from the files and directories of -p.
//
// Idea: all files are read as `portcullis review` reads them, and loaded as one set; a file that cannot be read or a
// policy that an API server would refuse is an error of the whole set. Limits: what the files do not describe is
// unknown, above all the labels of namespaces (--unknown-namespaces). Tested by tests/server/files.py.
#pragma once

#include <deque>
#include <string>

#include "library/manifests.h"
#include "server/log.h"
#include "server/options.h"
#include "server/policies.h"

namespace portcullis::server {

struct PolicyFiles {
  v1::Manifests manifests;  // their mistakes are those of the load
  std::string error;        // why a file cannot be read: the first; the log has all of them
  // The files, each with its name and its text.
  const std::deque<SourceFile>& all() const { return manifests.state()->files; }
};
PolicyFiles read_policy_files(const Options& options, Log& log);

// Reads and compiles the files, and exchanges the set of `policies` if nothing is wrong with them. Logs what is
// wrong, and returns whether the set was exchanged. Calls must not overlap.
bool reload_files(const Options& options, Log& log, Policies& policies);

}  // namespace portcullis::server
