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

// Whether somebody woke the thread.
bool take_wake(int file) {
  uint64_t count = 0;
  return ::read(file, &count, sizeof count) > 0;
}

WatchedNames& entries(WatchedDirectories& out, const fs::path& directory) {
  return out[directory.empty() ? "." : directory.string()];
}

// Adds the directories whose entries decide where a path leads: those of the links on the way, and the one of its end,
// unless that is a directory that no link leads to.
void add_way(WatchedDirectories& out, const fs::path& path) {
  std::error_code error;
  fs::path at;  // without links
  std::deque<fs::path> rest(path.begin(), path.end());
  int links = 0;
  while (!rest.empty()) {
    fs::path next = at / rest.front();  // a name, or .. or /
    rest.pop_front();
    if (!next.has_filename() || !fs::is_symlink(next, error)) {
      at = std::move(next);
      continue;
    }
    entries(out, at).names.insert(next.filename());
    const fs::path target = fs::read_symlink(next, error);
    if (error || ++links > kMostLinks) return;
    if (target.is_absolute()) at.clear();
    rest.insert(rest.begin(), target.begin(), target.end());
  }
  if (!at.has_filename()) at = at.parent_path();
  if (links > 0 || !fs::is_directory(at, error)) entries(out, at.parent_path()).names.insert(at.filename());
}

// Adds a directory, and where its links to files lead.
void add_directory(WatchedDirectories& out, const fs::path& directory) {
  entries(out, directory).all = true;
  std::error_code error, ignored;
  fs::directory_iterator it(directory, error), end;
  for (; !error && it != end; it.increment(error)) {
    if (!it->is_symlink(ignored)) continue;
    const fs::file_status end_of_way = fs::status(it->path(), ignored);
    if (!fs::exists(end_of_way) || fs::is_regular_file(end_of_way)) add_way(out, it->path());
  }
}

}  // namespace

Watch::Watch(Log& log, std::function<WatchedDirectories()> paths, std::chrono::milliseconds settle,
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

// True if other directories or names are watched than before; adding a directory that is watched changes nothing.
bool Watch::follow() {
  std::map<int, WatchedNames> now;
  for (auto& [directory, what] : paths_()) {
    const int number = inotify_add_watch(events_, directory.c_str(), kChanges);
    if (number < 0) continue;
    WatchedNames& names = now[number];  // perhaps of the same directory by another path
    names.all |= what.all;
    names.names.insert(what.names.begin(), what.names.end());
  }
  for (const auto& [number, names] : watched_) {
    if (!now.contains(number)) inotify_rm_watch(events_, number);  // fails if the directory is gone
  }
  std::swap(watched_, now);
  return watched_ != now;
}

// Takes all events. True if one is about something that matters, or if some were lost.
bool Watch::take_events() {
  alignas(inotify_event) char room[4096];
  bool some = false;
  for (ssize_t size; (size = ::read(events_, room, sizeof room)) > 0;) {
    for (const char* at = room; at < room + size;) {
      const auto& event = *reinterpret_cast<const inotify_event*>(at);
      at += sizeof event + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) some = true;
      const auto watched = watched_.find(event.wd);
      if (watched == watched_.end() || (event.mask & IN_IGNORED) != 0) continue;
      const WatchedNames& what = watched->second;
      // Without a name it is about the directory itself.
      some |= what.all || event.len == 0 || what.names.contains(std::string_view(event.name));
    }
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
    const bool changed = take_events();
    return take_wake(wake_) || changed;
  };
  if (!wait(kLook) && !follow()) return;
  for (auto end = Clock::now() + kPatience; !ends_ && Clock::now() < end && wait(settle_);) {
  }
  if (ends_) return;
  follow();
  changed_();
}

WatchedDirectories directories_of(const std::vector<std::string>& paths, bool recursive) {
  WatchedDirectories out;
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
