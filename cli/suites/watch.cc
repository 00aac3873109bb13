// See watch.h. Editors replace files, so directories are watched, not files.
#include "cli/suites/watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace portcullis::suites {
namespace {

namespace fs = std::filesystem;

constexpr int kQuietMilliseconds = 100;
constexpr uint32_t kEvents = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE;

std::string plain(const std::string& path) {
  std::string out = fs::path(path).lexically_normal().string();
  return out.starts_with("./") ? out.substr(2) : out;
}

}  // namespace

Watcher::Watcher() : fd_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}
Watcher::~Watcher() {
  if (fd_ >= 0) ::close(fd_);
}

void Watcher::add(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    std::error_code error;
    std::string directory = fs::is_directory(file, error) ? file : fs::path(file).parent_path().string();
    if (directory.empty()) directory = ".";
    const int id = inotify_add_watch(fd_, directory.c_str(), kEvents);
    const bool known = std::ranges::any_of(directories_, [&](const auto& d) { return d.first == id; });
    if (id >= 0 && !known) directories_.emplace_back(id, directory);
  }
}

void Watcher::read_events(std::vector<std::string>& changed) const {
  alignas(inotify_event) char buffer[16 * 1024];
  for (ssize_t n; (n = ::read(fd_, buffer, sizeof buffer)) > 0;) {
    for (ssize_t at = 0; at < n;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      for (const auto& [id, directory] : directories_) {
        if (id != event->wd || event->len == 0) continue;
        std::string path = plain((fs::path(directory) / event->name).string());
        if (std::ranges::count(changed, path) == 0) changed.push_back(std::move(path));
      }
    }
  }
}

std::vector<std::string> Watcher::wait() {
  std::vector<std::string> changed;
  pollfd waiting{fd_, POLLIN, 0};
  while (changed.empty() && ::poll(&waiting, 1, -1) >= 0) read_events(changed);
  while (::poll(&waiting, 1, kQuietMilliseconds) > 0) read_events(changed);
  return changed;
}

bool touches(const Suite& suite, const std::vector<std::string>& changed) {
  return std::ranges::any_of(suite.files, [&](const std::string& file) {
    const std::string own = plain(file);
    return std::ranges::any_of(
        changed, [&](const std::string& path) { return path == own || path.starts_with(own + "/"); });
  });
}

}  // namespace portcullis::suites
