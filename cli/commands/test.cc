// `portcullis test`: runs the cases of suites, and says which of them came as expected.
//
// Idea: suites are read whole first, so that one that cannot be read ends the run before anything is decided; then
// threads run their batches (suites/all.h). Tested by tests/cli/test.txt.
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "cli/commands.h"
#include "cli/messages/messages.h"
#include "cli/messages/output.h"
#include "cli/suites/all.h"
#include "cli/suites/members.h"
#include "cli/suites/read.h"
#include "cli/suites/text.h"

namespace portcullis {
namespace {

using namespace suites;

int refuse(std::string_view text) {
  say(Severity::Error, {}, {}, text);
  return kNoVerdict;
}

// The name of a case as --run sees it: "PATH/NAME".
std::string whole_name(const Case& test) { return test.suite->file->name + "/" + test.name; }

class TestRun {
 public:
  explicit TestRun(const TestOptions& options) : options_(options) {}

  int run() {
    if (!options_.run.empty()) {
      Result<Pattern> made = Pattern::make(Pattern::Form::Regex, options_.run);
      if (!made.ok()) return refuse("--run: " + made.error().text);
      pattern_ = *made;
    }
    std::vector<std::string> paths = options_.paths, files;
    if (paths.empty()) paths = {"."};
    bool good = find_suites(paths, options_.reading, files);
    std::vector<std::unique_ptr<Suite>> all;
    for (const std::string& file : files) good &= read_suites(file, all);
    if (!good) return kNoVerdict;
    Tally tally;
    run_all(all, all_options(), [&](const SuiteResult& r) {
      tally.add(r);
      print(text_of(r, options_.quiet));
      flush_output();
    });
    if (tally.all() == 0) return refuse("no case has a name that --run " + options_.run + " matches");
    print(summary(tally));
    return tally.unusable > 0 ? kNoVerdict : tally.failed > 0 ? kDenied : kAdmitted;
  }

 private:
  AllOptions all_options() const {
    AllOptions o;
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    o.jobs = options_.jobs > 0 ? options_.jobs : static_cast<int>(cores);
    o.fail_fast = o.run.stop_at_failure = options_.fail_fast;
    o.progress = isatty(STDERR_FILENO) == 1;
    if (pattern_) o.run.wanted = [this](const Case& test) { return pattern_->matches(whole_name(test)); };
    return o;
  }

  const TestOptions& options_;
  std::optional<Pattern> pattern_;
};

}  // namespace

int test(const TestOptions& options) {
  if (options.schema) return put(suites::schema()), kAdmitted;
  if (options.members) return put(suites::reference()), kAdmitted;
  return TestRun(options).run();
}

}  // namespace portcullis
