// Coverage as text. See report.h.
#include <fmt/format.h>

#include "cli/coverage/report.h"
#include "cli/messages/visible.h"

namespace portcullis {
namespace {

constexpr size_t kPercentWidth = 7;

std::string count_text(CoverageCount count) { return fmt::format("{} of {}", count.covered, count.goals); }

std::string_view colour(CoverageCount count, const Paint& paint) {
  return count.covered == 0 ? paint.red : count.covered == count.goals ? paint.green : paint.yellow;
}

std::string line(CoverageCount count, std::string_view what, const Paint& paint) {
  return fmt::format("{}{:>{}}{}  {:<10}  {}\n", colour(count, paint), percent_text(count), kPercentWidth,
                     paint.reset, count_text(count), what);
}

}  // namespace

std::string outcomes_text(const Outcomes& o, CoveragePart::Kind kind) {
  std::string out;
  auto add = [&](uint64_t times, std::string_view what) {
    if (times > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", what, times);
  };
  const bool choice = kind == CoveragePart::Kind::Choice;
  add(o.yes, choice ? "present" : "true");
  add(o.no, choice ? "absent" : "false");
  add(o.empty, "empty");
  add(o.other, "evaluated");
  add(o.error, "error");
  return out.empty() ? "never evaluated" : out;
}

std::string coverage_text(const Coverage& coverage, const Paint& paint) {
  std::string out;
  for (const CoveragePolicy* policy : coverage.policies()) {
    const std::string what = fmt::format("{} {}", visible(policy->name), paint.dim) + visible(policy->file) +
                             std::string(paint.reset);
    out += line(count_goals(*policy), what, paint);
    for (const CoverageGoal& goal : missing_goals(*policy)) {
      out +=
          fmt::format("         {}{}{} {}\n", paint.dim, place_text(visible(goal.file), goal.position) + ":",
                      paint.reset, visible(goal.missing));
    }
  }
  return out + line(coverage.total(), "coverage", paint);
}

}  // namespace portcullis
