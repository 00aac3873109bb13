// Tells when files change, with inotify.
//
// Idea: directories are watched, never files, since editors and Kubernetes replace files. A mounted ConfigMap or
// Secret is a directory whose files are links through `..data`, a link that is exchanged: that is an event of the
// directory. The watched paths are found anew after each event (new directories, links to other places). Limits:
// file systems of a network tell no changes of others; SIGHUP is for those. Tested by tests/server/run.py.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace portcullis::server {

class Watch {
 public:
  // Calls `changed` from a thread of its own when something in the directories of `paths()` has changed and then
  // nothing has for `settle`, but at least every second if changes do not end. `paths` gives the directories, and
  // is called by the same thread.
  Watch(std::function<std::vector<std::string>()> paths, std::chrono::milliseconds settle,
        std::function<void()> changed);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Calls `changed` soon, as after a change. Thread-safe.
  void poke();

 private:
  void run();
  void follow();

  const std::function<std::vector<std::string>()> paths_;
  const std::chrono::milliseconds settle_;
  const std::function<void()> changed_;
  int events_, wake_;  // inotify and eventfd
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

// The directories whose entries decide what is at the paths: of a directory itself and, if `recursive`, those
// below; of a file its directory; of links also those where they lead.
std::vector<std::string> directories_of(const std::vector<std::string>& paths, bool recursive);

}  // namespace portcullis::server
