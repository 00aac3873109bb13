// See line_writer.h.
#include "server/line_writer.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "cli/messages/destination.h"

namespace portcullis::server {
namespace {

// Bytes of the lines that may wait; as many are being written.
constexpr size_t kRoom = size_t{2} << 20;
constexpr std::chrono::seconds kFlush{1};

class OpenFile {
 public:
  OpenFile(int number, bool owned) : number_(number), owned_(owned) {}
  ~OpenFile() {
    if (owned_) ::close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int number() const { return number_; }

 private:
  const int number_;
  const bool owned_;
};

// The first whole lines that a pipe takes at once, at least one.
std::string_view first_lines(std::string_view lines) {
  size_t end = lines.substr(0, PIPE_BUF).rfind('\n');
  if (end == lines.npos) end = lines.find('\n');
  return lines.substr(0, end + 1);
}

}  // namespace

struct LineWriter::State {
  std::mutex mutex;
  std::condition_variable has_lines, has_none;
  std::string waiting, writing;  // `writing` is the thread's
  std::shared_ptr<OpenFile> file;
  Count lost, recovered;
  uint64_t lost_lines = 0;  // that nobody has been told of
  bool busy = false;        // lines are being written
  bool ends = false;
  bool abandoned = false;  // the LineWriter is gone

  void lose(uint64_t lines) {
    lost_lines += lines;
    if (!abandoned) lost(lines);
  }
  bool flush(std::unique_lock<std::mutex>& lock) {
    return has_none.wait_for(lock, kFlush, [this] { return waiting.empty() && !busy; });
  }
  void run();
};

void LineWriter::State::run() {
  std::unique_lock lock(mutex);
  for (;;) {
    has_lines.wait(lock, [this] { return !waiting.empty() || ends; });
    if (waiting.empty()) return;
    std::swap(waiting, writing);
    busy = true;
    bool written = true;
    for (std::string_view rest = writing; !rest.empty() && !abandoned;) {
      const std::string_view lines = first_lines(rest);
      rest.remove_prefix(lines.size());
      const std::shared_ptr<OpenFile> to = file;
      lock.unlock();
      written = to != nullptr && write_all(to->number(), lines);
      lock.lock();
      if (!written) lose(static_cast<uint64_t>(std::ranges::count(lines, '\n')));
    }
    writing.clear();
    const uint64_t told = written && waiting.empty() && !abandoned ? std::exchange(lost_lines, 0) : 0;
    if (told > 0) {
      lock.unlock();
      recovered(told);
      lock.lock();
    }
    busy = false;
    if (waiting.empty()) has_none.notify_all();
  }
}

LineWriter::LineWriter(Count lost, Count recovered) : state_(std::make_shared<State>()) {
  state_->waiting.reserve(kRoom);
  state_->writing.reserve(kRoom);
  state_->lost = std::move(lost);
  state_->recovered = std::move(recovered);
  std::thread([state = state_] { state->run(); }).detach();
}

LineWriter::~LineWriter() {
  std::unique_lock lock(state_->mutex);
  state_->ends = true;
  state_->has_lines.notify_all();
  state_->flush(lock);
  state_->abandoned = true;
}

void LineWriter::use(int file, bool owned) {
  auto opened = std::make_shared<OpenFile>(file, owned);
  std::lock_guard lock(state_->mutex);
  std::swap(state_->file, opened);
}

void LineWriter::write(std::string_view line) {
  std::lock_guard lock(state_->mutex);
  if (!state_->waiting.empty() && state_->waiting.size() + line.size() > kRoom) return state_->lose(1);
  if (state_->waiting.empty()) state_->has_lines.notify_one();
  state_->waiting += line;
}

void LineWriter::flush() {
  std::unique_lock lock(state_->mutex);
  state_->flush(lock);
}

}  // namespace portcullis::server
