// Structured logs of the server: one line an event, text or JSON, on standard error; and the audit log, one JSON
// line a decision.
//
// Idea: a LineWriter writes the lines, so nobody waits for those who read them. What requests bring is escaped, and cut
// in the log. Objects are in no line. Thread-safe. Tested by tests/server/run.py.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "server/line_writer.h"
#include "server/options.h"

namespace portcullis::server {

class Metrics;

// A member of a line.
struct LogField {
  std::string_view name;
  std::variant<std::string_view, int64_t, bool> value;
};

// The present time as in Kubernetes' logs: "2026-11-24T01:02:03.456789Z".
std::string time_text(std::chrono::system_clock::time_point time);

// Replaces, in a line of JSON or of the log, the characters that could change how a terminal shows it (visible.h) by
// escapes, which JSON reads as the same characters.
void escape_hidden(std::string& line);

class Log {
 public:
  Log(LogFormat format, LogLevel level);

  void line(LogLevel level, std::string_view message, std::span<const LogField> fields);
  void line(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {}) {
    line(level, message, std::span(fields.begin(), fields.size()));
  }
  // A line about an exception, which is most likely that memory is out; then even the line may be lost.
  void failure(std::string_view message, const std::exception& why) noexcept;
  // Waits until all lines are written, but a second at most.
  void flush() { writer_.flush(); }

 private:
  const LogFormat format_;
  const LogLevel level_;
  LineWriter writer_;
};

// Lets at most `most` events of a second through, and counts the rest.
class Sampler {
 public:
  explicit Sampler(size_t most) : most_(most) {}
  // Whether the event of this time is let through. `left_out`: the events left out since the last one that was.
  bool pass(std::chrono::steady_clock::time_point now, uint64_t& left_out);

 private:
  const size_t most_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point second_{};
  size_t passed_ = 0;
  uint64_t left_out_ = 0;
};

// A file of lines. Those that are lost are counted by the metrics, and `log` tells how many there were.
class AuditLog {
 public:
  // `path`: a file, which is appended to; "-" is standard output; empty: no log.
  AuditLog(std::string path, Log& log, Metrics& metrics);

  bool wanted() const { return !path_.empty(); }
  // Opens the file, or opens it again after somebody renamed it. False if it cannot be opened; then the file
  // that was open stays. `error`: the system's reason.
  bool open(std::string& error);
  // Writes a line, which ends with a line break.
  void write(std::string_view line) { writer_->write(line); }
  // Waits until all lines are written, but a second at most.
  void flush() {
    if (wanted()) writer_->flush();
  }

 private:
  const std::string path_;
  std::unique_ptr<LineWriter> writer_;  // null without a log
};

}  // namespace portcullis::server
