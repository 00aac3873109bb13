// See progress.h.
#include "cli/messages/progress.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace portcullis {
namespace {

constexpr auto kFirst = std::chrono::seconds(1);
constexpr auto kPause = std::chrono::milliseconds(200);

bool is_terminal() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::string with_commas(size_t n) {
  std::string out = std::to_string(n);
  for (size_t at = out.size(); at > 3;) out.insert(at -= 3, ",");
  return out;
}

}  // namespace

Progress::Progress(std::string_view noun)
    : noun_(noun), wanted_(is_terminal()), next_(Clock::now() + kFirst) {}

void Progress::tell(size_t count, double part) {
  if (!wanted_ || Clock::now() < next_) return;
  next_ = Clock::now() + kPause;
  const std::string line = with_commas(count) + " " + std::string(noun_) + ", " +
                           std::to_string(static_cast<int>(100 * part)) + " %";
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace portcullis
