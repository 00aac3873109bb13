// Tells when files change, with inotify.
//
// Idea: directories are watched, never files, since editors and Kubernetes replace files; of each, the names that matter
// are known, or all matter. A mounted ConfigMap or Secret is a directory whose files are links through `..data`, a link
// that is exchanged: that is an event of the directory. The watched directories are found anew after each event and every
// half minute; a new one, or new names, are a change; one that matters no more is not watched any more. Limits: file systems
// of a network tell no changes of others; SIGHUP is for those. Tested by tests/server/files.py.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "server/log.h"

namespace portcullis::server {

// The entries of a directory that matter.
struct WatchedNames {
  bool all = false;
  std::set<std::string, std::less<>> names;
  bool operator==(const WatchedNames&) const = default;
};
using WatchedDirectories = std::map<std::string, WatchedNames>;

class Watch {
 public:
  // Calls `changed` from a thread of its own when something in the directories of `paths()` has changed and then
  // nothing has for `settle`, but at least every second if changes do not end. `paths` gives the directories and what
  // matters in them, and is called by the same thread.
  // An exception of either is logged, and the next change is seen as before.
  Watch(Log& log, std::function<WatchedDirectories()> paths, std::chrono::milliseconds settle,
        std::function<void()> changed);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Whether changes are seen; if not, only `poke` brings a call. The system limits how many may watch.
  bool sees() const { return events_ >= 0; }
  // Calls `changed` soon, as after a change. Thread-safe.
  void poke();

 private:
  void run();
  void look();
  bool follow();
  bool take_events();

  Log& log_;
  const std::function<WatchedDirectories()> paths_;
  const std::chrono::milliseconds settle_;
  const std::function<void()> changed_;
  int events_, wake_;  // inotify and eventfd
  std::map<int, WatchedNames>
      watched_;  // as inotify numbers them: a directory that is made again has a new number
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

// The directories whose entries decide what is at the paths: of a directory itself and, if `recursive`, those
// below, with all entries; of a file its directory; of a link, which may be a part of a path or a file of a directory, the
// directory that it is in and the one where it leads. Links of a directory to what is no file (a device, a pipe) lead
// nowhere.
WatchedDirectories directories_of(const std::vector<std::string>& paths, bool recursive);

}  // namespace portcullis::server
