// See output.h.
#include "cli/messages/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "cli/messages/messages.h"
#include "cli/messages/visible.h"

namespace portcullis {
namespace {

int first_error = 0;  // errno of a failed write

void note(bool good) {
  if (!good && first_error == 0) first_error = errno == 0 ? EIO : errno;
}

}  // namespace

void put(std::string_view data) {
  if (first_error == 0) note(std::fwrite(data.data(), 1, data.size(), stdout) == data.size());
}

void print(std::string_view text) { put(visible_lines(text, colour_out())); }

void flush_output() { note(std::fflush(stdout) == 0); }

bool close_output() {
  flush_output();
  if (first_error == 0 && std::ferror(stdout) == 0) return true;
  if (first_error == EPIPE) return false;  // the reader has seen enough
  std::string why = first_error == 0 ? "" : std::string(": ") + std::strerror(first_error);
  say(Severity::Error, {}, {}, "cannot write to standard output" + why);
  return false;
}

}  // namespace portcullis
