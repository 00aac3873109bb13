// See measures.h.
#include "cli/commands/measures.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/coverage/report.h"
#include "cli/messages/destination.h"
#include "cli/messages/messages.h"
#include "cli/messages/output.h"
#include "cli/mutants/accepted.h"
#include "cli/mutants/report.h"
#include "cli/reports/members.h"

namespace portcullis {
namespace {

// A value of --coverage; without a file, reports for programs go to the one that their readers expect.
struct Wanted {
  std::string format, file;
};

Wanted wanted_of(const std::string& value) {
  const size_t equals = value.find('=');
  Wanted out{value.substr(0, equals), equals == value.npos ? "" : value.substr(equals + 1)};
  if (!out.file.empty()) return out;
  out.file = out.format == "html"   ? "coverage.html"
             : out.format == "json" ? "coverage.json"
             : out.format == "lcov" ? "lcov.info"
                                    : "-";
  return out;
}

std::string coverage_text(const Coverage& coverage, const std::string& format) {
  if (format == "html") return coverage_html(coverage);
  return format == "json" ? coverage_json(coverage) : coverage_lcov(coverage);
}

bool below(CoverageCount count, double percent) {
  if (count.goals == 0) return percent > 0;
  return static_cast<double>(count.covered) * 100 < percent * static_cast<double>(count.goals);
}

}  // namespace

struct Measures::Fan final : ReviewTrace {
  std::vector<ReviewTrace*> to;
  void evaluated(const Evaluated& e, Replay& replay) override {
    for (ReviewTrace* t : to) t->evaluated(e, replay);
  }
  void bound(const Bound& b) override {
    for (ReviewTrace* t : to) t->bound(b);
  }
};

Measures::Measures(const TestOptions& options) : options_(options) {
  if (!options.coverage.empty() || options.min_coverage >= 0) observers_.push_back(&covering_);
  if (options.mutants) observers_.push_back(&reaching_);
}

Measures::~Measures() = default;

std::string Measures::misuse() const {
  for (const std::string& value : options_.coverage) {
    const std::string format = wanted_of(value).format;
    if (format != "text" && format != "html" && format != "json" && format != "lcov")
      return "--coverage has the formats text, html, json and lcov, not " + quote_json(format);
  }
  return {};
}

bool Measures::prints_coverage() const {
  return std::ranges::any_of(options_.coverage, [](const std::string& value) {
    const Wanted wanted = wanted_of(value);
    return wanted.format == "text" && wanted.file == "-";
  });
}

size_t Measures::printed_reports() const {
  return static_cast<size_t>(std::ranges::count_if(options_.coverage, [](const std::string& value) {
    const Wanted wanted = wanted_of(value);
    return wanted.format != "text" && wanted.file == "-";
  }));
}

ReviewTrace* Measures::trace(const suites::Batch& batch, const Session& session) {
  auto fan = std::make_unique<Fan>();
  for (suites::Observer* o : observers_) {
    if (ReviewTrace* t = o->trace(batch, session)) fan->to.push_back(t);
  }
  const std::lock_guard lock(mutex_);
  return fans_.emplace_back(std::move(fan)).get();
}

// Only coverage hears of rules.
crd::RuleTrace* Measures::rules(const suites::Batch& batch) {
  return std::ranges::count(observers_, &covering_) > 0 ? covering_.rules(batch) : nullptr;
}

void Measures::decided(const suites::Decided& decided) {
  for (suites::Observer* o : observers_) o->decided(decided);
}

int Measures::report_coverage(Printed printed) {
  covering_.finish();
  const CoverageCount total = coverage_.total();
  if (options_.coverage.empty()) {
    const std::string text =
        fmt::format("coverage: {} ({} of {})\n", percent_text(total), total.covered, total.goals);
    printed == Printed::Text ? print(text) : say_lines(text);
  }
  for (const std::string& value : options_.coverage) {
    const Wanted wanted = wanted_of(value);
    Destination to(wanted.file);
    wanted.format == "text" ? to.print(coverage_text(coverage_, paint(to.colour())))
                            : to.put(coverage_text(coverage_, wanted.format));
    if (!to.close()) return kNoVerdict;
    if (wanted.file != "-") say(Severity::Note, {}, {}, "coverage is in " + wanted.file);
  }
  if (!below(total, options_.min_coverage)) return kAdmitted;
  return fail("min-coverage", fmt::format("coverage is {}, and --min-coverage asks for {} %",
                                          percent_text(total), options_.min_coverage));
}

int Measures::fail(std::string_view gate, std::string text) {
  say(Severity::Error, {}, {}, text);
  failed_gates_.push_back({.gate = gate, .text = std::move(text)});
  return kDenied;
}

int Measures::report_mutants(const Ran& ran) {
  if (!ran.passed) {
    say(Severity::Note, {}, {}, "mutants are not tried, since not every case passes without them");
    return kAdmitted;  // the cases decide the status
  }
  mutants_ = run_mutants(ran.suites, reaching_,
                         {.jobs = ran.jobs, .most = options_.max_mutants, .progress = ran.progress});
  accept_survivors(ran.suites, *mutants_);
  if (ran.printed == Printed::Text) print(mutants_text(*mutants_, paint(colour_out())));
  if (ran.printed == Printed::Report) say_lines(mutants_text(*mutants_, paint(colour_error())));
  const size_t survivors = mutants_->count(MutantResult::Fate::Survived);
  if (survivors <= options_.max_survivors) return kAdmitted;
  return fail("max-survivors",
              fmt::format("{} mutant{}, and --max-survivors allows {}", survivors,
                          survivors == 1 ? " survives" : "s survive", options_.max_survivors));
}

void Measures::write_gates(JsonWriter& w) const {
  if (options_.min_coverage >= 0 || options_.mutants) portcullis::write_gates(w, failed_gates_);
}

void Measures::write_mutants(JsonWriter& w) const {
  if (!mutants_) return;
  w.object("mutants", [&] { portcullis::write_mutants(w, *mutants_); });
}

int Measures::finish(const Ran& ran) {
  int status = kAdmitted;
  if (!options_.coverage.empty() || options_.min_coverage >= 0) status = report_coverage(ran.printed);
  if (options_.mutants) status = std::max(status, report_mutants(ran));
  return status;
}

}  // namespace portcullis
