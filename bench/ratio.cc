#include "bench/ratio.h"

#include <algorithm>
#include <cstdio>

namespace portcullis::bench {

static double time_of(const Reporter::Run& run) {
  return run.cpu_accumulated_time / static_cast<double>(run.iterations);
}

void Reporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.error_occurred) ConsoleReporter::ReportRuns({run});
    failed_ = failed_ || run.error_occurred;
    if (run.error_occurred || run.run_type != Run::RT_Iteration || run.iterations == 0) continue;
    const auto known = std::ranges::find(fastest_, run.run_name.function_name,
                                         [](const Run& r) { return r.run_name.function_name; });
    if (known == fastest_.end())
      fastest_.push_back(run);
    else if (time_of(run) < time_of(*known))
      *known = run;
  }
}

void Reporter::print_table() {
  std::ranges::sort(fastest_, {}, [](const Run& run) { return run.family_index; });
  ConsoleReporter::ReportRuns(fastest_);
}

const Reporter::Run* Reporter::find(const std::string& name) const {
  for (const Run& run : fastest_) {
    if (run.run_name.function_name == name) return &run;
  }
  return nullptr;
}

void Reporter::print_ratio(const std::string& name, const std::string& upper,
                           const std::string& lower) const {
  const Run *a = find(upper), *b = find(lower);
  if (a && b) std::printf("ratio %s %.2f\n", name.c_str(), time_of(*a) / time_of(*b));
}

void Reporter::print_limit(const std::string& name, double microseconds) const {
  constexpr double kMicro = 1e6;
  if (const Run* run = find(name))
    std::printf("limit %s %.2f us (wanted: %g us)\n", name.c_str(), time_of(*run) * kMicro, microseconds);
}

}  // namespace portcullis::bench
