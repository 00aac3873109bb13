// --watch: waits until a file changes that a suite reads. Tested by tests/suites/watch.py.
#pragma once

#include <string>
#include <vector>

#include "cli/suites/suite.h"

namespace portcullis::suites {

class Watcher {
 public:
  Watcher();
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  bool ok() const { return fd_ >= 0; }

  // Watches the directories of these files and directories; call it again after each run, since suites may name others.
  void add(const std::vector<std::string>& files);
  // Waits for a change, and until nothing has changed for a moment. The changed paths, without duplicates.
  std::vector<std::string> wait();

 private:
  void read_events(std::vector<std::string>& changed) const;

  int fd_;
  std::vector<std::pair<int, std::string>> directories_;  // by watch descriptor
};

// Whether one of the changed paths is a file of the suite, or lies below a directory that it names.
bool touches(const Suite& suite, const std::vector<std::string>& changed);

}  // namespace portcullis::suites
