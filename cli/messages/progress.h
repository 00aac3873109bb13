// A line on a terminal that says how far a command is, and is gone when something else is printed.
//
// Idea: it stands on standard error alone, if that is a terminal, from a second after the start. Limits: no test sees
// it, since it depends on time.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace portcullis {

class Progress {
 public:
  // `noun`: what is counted, in the plural.
  explicit Progress(std::string_view noun);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows "12,000 manifests, 43 %", a few times a second. `part` of 1 is done.
  void tell(size_t count, double part);
  // Removes the line, so that others can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  const std::string_view noun_;
  const bool wanted_;
  bool shown_ = false;
  Clock::time_point next_;
};

}  // namespace portcullis
