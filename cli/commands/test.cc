// `portcullis test`: runs the cases of suites, and says which of them came as expected.
//
// Idea: suites are read whole first, so that one that cannot be read ends the run before anything is decided; then
// threads run their batches (suites/all.h), and each report is written from the results. Tested by tests/cli/test.txt,
// tests/cli/test_reports.txt, tests/cli/test_update.txt, tests/cli/test_init.txt, tests/suites/watch.py.
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "cli/commands.h"
#include "cli/commands/measures.h"
#include "cli/commands/no_verdict.h"
#include "cli/drafts/draft.h"
#include "cli/formats/outputs.h"
#include "cli/messages/messages.h"
#include "cli/messages/output.h"
#include "cli/reports/members.h"
#include "cli/reports/run_reporter.h"
#include "cli/suites/all.h"
#include "cli/suites/members.h"
#include "cli/suites/outcomes_of.h"
#include "cli/suites/read.h"
#include "cli/suites/text.h"
#include "cli/suites/update.h"
#include "cli/suites/watch.h"

namespace portcullis {
namespace {

using namespace suites;

using Suites = std::vector<std::unique_ptr<Suite>>;

// The name of a case as --run sees it: "PATH/NAME".
std::string whole_name(const Case& test) { return test.suite->file->name + "/" + test.name; }

class TestRun {
 public:
  TestRun(const TestOptions& options, Outputs& outputs) : options_(options), outputs_(outputs) {}

  int run() {
    if (!options_.run.empty()) {
      Result<Pattern> made = Pattern::make(Pattern::Form::Regex, options_.run);
      if (!made.ok()) return no_verdict("--run: " + made.error().text);
      pattern_ = *made;
    }
    if (const std::string misuse = measures_.misuse(); !misuse.empty()) return no_verdict(misuse);
    const size_t reports = measures_.printed_reports() + printed(false);
    if (reports + (printed(true) > 0 || measures_.prints_coverage()) > 1 && reports > 0)
      return no_verdict(
          "standard output takes one report, and no text of -o or --coverage beside it; give one of them a "
          "file, as "
          "in -o junit=FILE or --coverage=text=FILE");
    return options_.watch ? watch() : run_once();
  }

 private:
  int run_once() {
    Suites all;
    const int status = read(all) ? decide(all) : kNoVerdict;
    return write_reports(status) ? status : kNoVerdict;
  }

  bool read(Suites& all) {
    std::vector<std::string> paths = options_.paths, files;
    if (paths.empty()) paths = {"."};
    bool good = find_suites(paths, options_.reading, files, left_out_);
    for (const std::string& file : files) good &= read_suites(file, all);
    return good;
  }

  int decide(const Suites& all) {
    Tally tally;
    Updates updates;
    run_all(all, all_options(), [&](const SuiteResult& r) {
      tally.add(r);
      add_items(run_, r);
      for_text([&](Destination& d) { d.print(text_of(r, options_.quiet, paint(d.colour()))); });
      flush_output();
      if (options_.update) updates.add(r);
    });
    if (tally.all() == 0) return no_verdict("no case has a name that --run " + options_.run + " matches");
    for_text([&](Destination& d) { d.print(summary(tally)); });
    if (tally.all() == tally.skipped) return no_verdict("every case is skipped, so nothing is tested");
    if (options_.update && tally.failed > 0 && updates.write()) tally.failed = 0;
    const int status = tally.unusable > 0 ? kNoVerdict : tally.failed > 0 ? kDenied : kAdmitted;
    const AllOptions used = all_options();
    return std::max(status, measures_.finish({.suites = all,
                                              .passed = status == kAdmitted,
                                              .jobs = used.jobs,
                                              .progress = used.progress,
                                              .printed = output_has()}));
  }

  template <typename Do>
  void for_text(Do act) {
    for (Outputs::Output& o : outputs_.all()) {
      if (o.format == "text") act(o.destination);
    }
  }

  // The number of outputs that go to standard output: texts, or reports for programs.
  size_t printed(bool texts) {
    return static_cast<size_t>(std::ranges::count_if(outputs_.all(), [&](const Outputs::Output& o) {
      return (o.format == "text") == texts && o.destination.is_output();
    }));
  }

  Measures::Printed output_has() {
    for (const Outputs::Output& o : outputs_.all()) {
      if (o.format == "json" && o.destination.is_output()) return Measures::Printed::Json;
    }
    return printed(false) + measures_.printed_reports() > 0 ? Measures::Printed::Report
                                                            : Measures::Printed::Text;
  }

  bool write_reports(int status) {
    if (status == kNoVerdict) add_errors(run_, said_errors());
    run_.command = "test";
    run_.noun = "case";
    run_.kubernetes = answered_version({});
    for (Outputs::Output& o : outputs_.all()) {
      if (o.format == "json") o.destination.put(to_json(run_, [&](JsonWriter& w) { write_more(w); }));
    }
    if (status != kNoVerdict) add_gates(run_, measures_.failed_gates());  // else they are among the errors
    add_left_out(run_, left_out_);
    if (outputs_.wants_run()) outputs_.put(run_);
    return outputs_.close();
  }

  void write_more(JsonWriter& w) {
    measures_.write_gates(w);
    write_left_out(w, left_out_);
    measures_.write_mutants(w);
  }

  AllOptions all_options() {
    AllOptions o;
    if (measures_.wanted()) o.observer = &measures_;
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    o.jobs = options_.jobs > 0 ? options_.jobs : static_cast<int>(cores);
    o.fail_fast = o.run.stop_at_failure = options_.fail_fast;
    o.progress = isatty(STDERR_FILENO) == 1;
    for_text([&](const Destination& d) { o.run.colour |= d.colour(); });
    if (pattern_) o.run.wanted = [this](const Case& test) { return pattern_->matches(whole_name(test)); };
    return o;
  }

  // Runs all suites, and after each change those that it touches.
  int watch() {
    Watcher watcher;
    if (!watcher.ok()) return no_verdict("files cannot be watched here");
    std::vector<std::string> changed;
    for (;;) {
      Suites all;
      read(all);
      std::vector<std::string> files =
          options_.paths.empty() ? std::vector<std::string>{"."} : options_.paths;
      for (const auto& suite : all) files.insert(files.end(), suite->files.begin(), suite->files.end());
      watcher.add(files);
      if (!changed.empty()) std::erase_if(all, [&](const auto& s) { return !touches(*s, changed); });
      if (!all.empty()) decide(all);
      print("waiting for changes\n");
      flush_output();
      changed = watcher.wait();
    }
  }

  const TestOptions& options_;
  Outputs& outputs_;
  std::optional<Pattern> pattern_;
  std::vector<LeftOut> left_out_;
  outcomes::Run run_;
  Measures measures_{options_};
};

}  // namespace

int test(const TestOptions& options) {
  if (options.schema) return put(schema()), kAdmitted;
  if (options.members) return put(reference()), kAdmitted;
  if (!options.init.empty()) return drafts::draft(options.init);
  Outputs outputs;
  // A report of coverage on standard output takes the place of the text, as one of -o does.
  if (!options.outputs.empty() || Measures(options).printed_reports() == 0) {
    Result<Outputs> parsed = Outputs::parse(options.outputs, kTestFormats);
    if (!parsed.ok()) return no_verdict(parsed.error().text);
    outputs = std::move(*parsed);
  }
  return TestRun(options, outputs).run();
}

}  // namespace portcullis
