// See watch.h.
#include "server/watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>

namespace portcullis::server {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr uint32_t kChanges = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                              IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB;
// How long changes that do not end may put off a call.
constexpr std::chrono::seconds kPatience{1};
// How often the paths are looked at although no event came: a directory may appear where none was watched.
constexpr std::chrono::seconds kLook{30};
// How many links one path may have, as in Linux.
constexpr int kMostLinks = 40;

// Reads all that a descriptor has. True if it had something.
bool drain(int file) {
  alignas(inotify_event) char room[4096];
  bool some = false;
  while (::read(file, room, sizeof room) > 0) some = true;
  return some;
}

void add_entries(std::vector<std::string>& out, const fs::path& directory) {
  std::string name = directory.empty() ? "." : directory.string();
  if (std::ranges::find(out, name) == out.end()) out.push_back(name);
}

// Adds the directories whose entries decide where a path leads: those of the links on the way, and the one of its end,
// unless that is a directory that no link leads to.
void add_way(std::vector<std::string>& out, const fs::path& path) {
  std::error_code error;
  fs::path at;  // without links
  std::deque<fs::path> rest(path.begin(), path.end());
  int links = 0;
  while (!rest.empty()) {
    fs::path next = at / rest.front();
    rest.pop_front();
    if (!next.has_filename() || !fs::is_symlink(next, error)) {
      at = std::move(next);
      continue;
    }
    add_entries(out, at);
    const fs::path target = fs::read_symlink(next, error);
    if (error || ++links > kMostLinks) return;
    if (target.is_absolute()) at.clear();
    rest.insert(rest.begin(), target.begin(), target.end());
  }
  if (!at.has_filename()) at = at.parent_path();
  if (links > 0 || !fs::is_directory(at, error)) add_entries(out, at.parent_path());
}

// Adds a directory, and where its links to files lead.
void add_directory(std::vector<std::string>& out, const fs::path& directory) {
  add_entries(out, directory);
  std::error_code error, ignored;
  fs::directory_iterator it(directory, error), end;
  for (; !error && it != end; it.increment(error)) {
    if (it->is_symlink(ignored) && !fs::is_directory(it->path(), ignored)) add_way(out, it->path());
  }
}

}  // namespace

Watch::Watch(Log& log, std::function<std::vector<std::string>()> paths, std::chrono::milliseconds settle,
             std::function<void()> changed)
    : log_(log),
      paths_(std::move(paths)),
      settle_(settle),
      changed_(std::move(changed)),
      events_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  follow();
  thread_ = std::thread([this] { run(); });
}

Watch::~Watch() {
  ends_ = true;
  poke();
  thread_.join();
  ::close(events_);
  ::close(wake_);
}

void Watch::poke() {
  uint64_t one = 1;
  if (::write(wake_, &one, sizeof one) < 0) return;  // full: it is awake anyway
}

// True if a directory was not watched before; adding one that is watched changes nothing.
bool Watch::follow() {
  bool some = false;
  for (const std::string& directory : paths_()) {
    int number = inotify_add_watch(events_, directory.c_str(), kChanges);
    some |= number >= 0 && watched_.insert(number).second;
  }
  return some;
}

void Watch::run() {
  while (!ends_) {
    try {
      look();
    } catch (const std::exception& e) {
      log_.failure("changed files are not read", e);
    }
  }
}

// Waits for a change, and calls `changed`.
void Watch::look() {
  pollfd files[] = {{events_, POLLIN, 0}, {wake_, POLLIN, 0}};
  auto wait = [&](std::chrono::milliseconds time) {
    ::poll(files, 2, static_cast<int>(time.count()));
    bool changed = drain(events_);
    return drain(wake_) || changed;
  };
  if (!wait(kLook) && !follow()) return;
  for (auto end = Clock::now() + kPatience; !ends_ && Clock::now() < end && wait(settle_);) {
  }
  if (ends_) return;
  follow();
  changed_();
}

std::vector<std::string> directories_of(const std::vector<std::string>& paths, bool recursive) {
  std::vector<std::string> out;
  std::error_code error;
  for (const std::string& name : paths) {
    const fs::path path(name);
    add_way(out, path);
    if (!fs::is_directory(path, error)) continue;
    add_directory(out, path);
    if (!recursive) continue;
    fs::recursive_directory_iterator it(path, fs::directory_options::skip_permission_denied, error), end;
    for (; !error && it != end; it.increment(error)) {
      if (!it->is_symlink(error) && it->is_directory(error)) add_directory(out, it->path());
    }
  }
  return out;
}

}  // namespace portcullis::server
