// The table of a run and the ratios below it.
#pragma once

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace portcullis::bench {

// Keeps the fastest repetition of each case: with other work on the machine, the fastest of several
// interleaved repetitions is the one that was disturbed least. Times are of the processor, not of
// the clock on the wall.
class Reporter : public benchmark::ConsoleReporter {
 public:
  Reporter() : ConsoleReporter(OO_None) {}
  void ReportRuns(const std::vector<Run>& runs) override;
  // One line a case, in the order of their definition.
  void print_table();
  // "ratio NAME 1.42" for two cases that both ran; else nothing.
  void print_ratio(const std::string& name, const std::string& upper, const std::string& lower) const;
  // "limit NAME 2.81 us (wanted: 3 us)" for a case that ran. On a busy machine more is no failure,
  // so none is reported.
  void print_limit(const std::string& name, double microseconds) const;
  bool failed() const { return failed_; }

 private:
  const Run* find(const std::string& name) const;
  std::vector<Run> fastest_;
  bool failed_ = false;
};

}  // namespace portcullis::bench
