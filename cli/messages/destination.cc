// See destination.h.
#include "cli/messages/destination.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/messages/messages.h"
#include "cli/messages/output.h"
#include "cli/messages/visible.h"

namespace portcullis {
namespace {

// Writes to what is there already: a pipe, a terminal.
bool write_into(const std::string& file, std::string_view text) {
  int fd = open(file.c_str(), O_WRONLY);
  if (fd < 0) return false;
  bool good = write_all(fd, text);
  int why = errno;
  good = close(fd) == 0 && good;
  if (!good && why != 0) errno = why;
  return good;
}

// The file behind symbolic links, which stay; `file` itself if there is none.
std::string behind_links(const std::string& file) {
  char* real = realpath(file.c_str(), nullptr);
  if (real == nullptr) return file;
  std::string path(real);
  std::free(real);
  return path;
}

// The permissions of a new file.
mode_t new_mode() {
  mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

// Writes a new file beside `file` and gives it this name.
bool replace(const std::string& file, std::string_view text, mode_t mode) {
  std::string beside = file + ".XXXXXX";
  int fd = mkstemp(beside.data());
  if (fd < 0) return false;
  bool good = write_all(fd, text) && fchmod(fd, mode) == 0;
  good = close(fd) == 0 && good;
  good = good && std::rename(beside.c_str(), file.c_str()) == 0;
  if (good) return true;
  int why = errno;
  unlink(beside.c_str());
  errno = why;
  return false;
}

bool write_file(const std::string& name, std::string_view text) {
  struct stat there;
  bool exists = stat(name.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) {
    errno = EISDIR;
    return false;
  }
  if (exists && !S_ISREG(there.st_mode)) return write_into(name, text);
  if (exists && access(name.c_str(), W_OK) != 0) return false;
  return replace(behind_links(name), text, exists ? there.st_mode & 07777 : new_mode());
}

}  // namespace

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

void Destination::print(std::string_view text) {
  is_output() ? portcullis::print(text) : put(visible_lines(text, colour()));
}

void Destination::put(std::string_view data) {
  if (is_output()) return portcullis::put(data);
  text_ += data;
}

bool Destination::colour() const { return is_output() ? colour_out() : colour_files(); }

bool Destination::close() const {
  if (is_output() || write_file(file_, text_)) return true;
  say(Severity::Error, {}, {}, "cannot write " + file_ + ": " + std::strerror(errno));
  return false;
}

}  // namespace portcullis
