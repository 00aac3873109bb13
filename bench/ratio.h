// Prints the table of a run, and ratios and limits below it.
#pragma once

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace portcullis::bench {

// Keeps the fastest repetition of each case: of several interleaved repetitions, other work on the machine
// has disturbed the fastest one least. Times are processor time, not wall-clock time.
class Reporter : public benchmark::ConsoleReporter {
 public:
  Reporter() : ConsoleReporter(OO_None) {}
  void ReportRuns(const std::vector<Run>& runs) override;
  // One line per case, in the order of definition.
  void print_table();
  // Prints "ratio NAME 1.42" if both cases ran.
  void print_ratio(const std::string& name, const std::string& upper, const std::string& lower) const;
  // Prints "limit NAME 2.81 us (wanted: 3 us)" if the case ran. A higher time is not a failure, because the
  // machine may be busy.
  void print_limit(const std::string& name, double microseconds) const;
  bool failed() const { return failed_; }

 private:
  const Run* find(const std::string& name) const;
  std::vector<Run> fastest_;
  bool failed_ = false;
};

}  // namespace portcullis::bench
