// What `test` says about suites beside their results: the coverage of the policies, and mutants that no case notices.
//
// Idea: one observer of the runner, which hands everything to those that are wanted. Tested by tests/cli/coverage.txt,
// tests/cli/mutants.txt.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "cli/commands.h"
#include "cli/coverage/observer.h"
#include "cli/mutants/reach.h"
#include "cli/mutants/run.h"
#include "cli/reports/report.h"
#include "interpreter/values/json.h"

namespace portcullis {

class Measures final : public suites::Observer {
 public:
  explicit Measures(const TestOptions& options);
  ~Measures() override;

  // What is wrong with the options; empty if nothing is.
  std::string misuse() const;
  bool wanted() const { return !observers_.empty(); }
  // Whether the text of --coverage is wanted on standard output.
  bool prints_coverage() const;
  // The number of reports for programs that go to standard output.
  size_t printed_reports() const;

  ReviewTrace* trace(const suites::Batch& batch, const Session& session) override;
  crd::RuleTrace* rules(const suites::Batch& batch) override;
  void decided(const suites::Decided& decided) override;

  // What standard output has. The text of mutants and of bounds goes to standard error beside a report for programs; -o
  // json has the mutants itself.
  enum class Printed : uint8_t { Text, Json, Report };
  // Of all suites. They must outlive this.
  struct Ran {
    std::span<const std::unique_ptr<suites::Suite>> suites;
    bool passed = false;  // every case did
    int jobs = 1;
    bool progress = false;  // shown on standard error
    Printed printed = Printed::Text;
  };
  // Says what was measured, once all suites have run. The status is kDenied if a bound is not met, kNoVerdict if a report
  // cannot be written.
  int finish(const Ran& ran);
  // The bounds that are not met, after finish().
  std::span<const GateFailure> failed_gates() const { return failed_gates_; }
  // Members of the JSON of a test: `gates`, if a bound is given; `mutants`, if they were tried.
  void write_gates(JsonWriter& w) const;
  void write_mutants(JsonWriter& w) const;

 private:
  struct Fan;  // tells several traces
  int fail(std::string_view gate, std::string text);
  int report_coverage(Printed printed);
  int report_mutants(const Ran& ran);

  const TestOptions& options_;
  Coverage coverage_;
  CoverageObserver covering_{coverage_};
  ReachObserver reaching_;
  std::optional<MutantRun> mutants_;
  std::vector<GateFailure> failed_gates_;
  std::vector<suites::Observer*> observers_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Fan>> fans_;
};

}  // namespace portcullis
