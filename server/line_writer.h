// Writes lines to a file from a thread of its own, so that whoever does not read them makes nobody wait.
//
// Idea: two texts, both with their memory from the beginning: one takes new lines while the thread writes the other. A
// line that has no room is lost and counted. Lines keep their order, and as many whole lines as a pipe takes at once are
// one call of the system, so those of other writers come between lines. Tested by tests/server/run.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace portcullis::server {

class LineWriter {
 public:
  // `lost` is called when lines are lost, `recovered` once when all that waited is written again, with the number of
  // lines lost meanwhile. Both by any thread, `lost` under the lock.
  using Count = std::function<void(uint64_t lines)>;
  LineWriter(Count lost, Count recovered);
  // Flushes. A thread that hangs in the system then is left to itself.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // The file to write to from now on. `owned`: it is closed when nothing writes to it any more.
  void use(int file, bool owned);
  // Takes a line, which ends with a line break. Waits for nobody, and takes memory from the heap only for a line that
  // is longer than all that usually waits.
  void write(std::string_view line);
  // Waits until all lines are written, but a second at most.
  void flush();

 private:
  struct State;
  std::shared_ptr<State> state_;  // also the thread's
};

}  // namespace portcullis::server
