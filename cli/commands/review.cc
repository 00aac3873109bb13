// `portcullis review`: decides every manifest as the API server's admission policies would: first the
// mutating ones, then the validating ones, on the mutated object.
//
// Idea: the files are read, a session (session/) makes requests of the manifests and decides them one by one, the
// gates (reports/gates.h) give the exit status, and the reporter prints the results. Tested by tests/cli.py and by
// running examples/.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "cli/commands.h"
#include "cli/messages/messages.h"
#include "cli/reports/gates.h"
#include "cli/reports/report.h"
#include "cli/reports/review_reports.h"
#include "cli/requests/webhook_callers.h"
#include "cli/session/decider.h"
#include "cli/session/session.h"

namespace portcullis {
namespace {

using Clock = std::chrono::steady_clock;

class Review {
 public:
  explicit Review(const ReviewOptions& options) : options_(options) {}

  int run(Reporter& reporter) {
    if (!session_.accept_options()) return kNoVerdict;
    if (options_.manifests.empty()) return usage("no manifests given; - is standard input");
    if (std::string misuse = gates_.misuse(); !misuse.empty()) return usage(misuse);
    if (!callers_.ok()) return kNoVerdict;
    if (read() && session_.know_kinds() && session_.check_policies() &&
        gates_.enough_policies(session_.cluster()) && make_requests() && session_.load())
      return decide(reporter);
    reporter.give_up(remainder());
    return kNoVerdict;
  }

 private:
  static int usage(std::string_view text) {
    say(Severity::Error, {}, {}, text);
    return kNoVerdict;
  }

  Remainder remainder() const {
    return {session_.left_out(), inputs_.left_out(), said_errors(), gates_.wanted(), gates_.failures()};
  }

  // False if something cannot be read that verdicts depend on. Manifests that can be read are decided.
  bool read() {
    SessionObjects objects;
    objects.policies = inputs_.read(options_.policies, options_.reading);
    objects.params = inputs_.read(options_.params, options_.reading, true);
    objects.old = inputs_.read(Session::old_files(options_), options_.reading, true);
    size_t errors = inputs_.errors();
    objects.manifests = inputs_.read(options_.manifests, options_.reading);
    objects.among_manifests = options_.policies.empty();
    if (objects.among_manifests) errors = inputs_.errors();
    session_.take(std::move(objects));
    return errors == 0;
  }

  bool make_requests() {
    maker_ = &session_.add_maker(Session::settings_of(options_), session_.old());
    for (const InputObject& o : session_.manifests()) {
      if (is_request(o)) maker_->add(o);
    }
    if (!maker_->requests().empty()) return true;
    if (inputs_.errors() > 0) return false;
    say(Severity::Error, {}, {}, "no manifests to review in " + list_files(options_.manifests));
    return false;
  }

  int decide(Reporter& reporter) {
    Decider decider(session_, callers_, options_.explain, &gates_);
    reporter.begin(session_.manifests());
    auto start = Clock::now(), told = start;
    const std::vector<Request>& requests = maker_->requests();
    for (size_t i = 0; i < requests.size(); i++) {
      tell_progress(i, start, told);
      const ReviewResult& result = decider.decide(requests[i], *maker_);
      result.refusal ? gates_.refused() : gates_.add(result, decider.policies_asked());
      reporter.add(result);
    }
    if (inputs_.errors() > 0 || !callers_.finish()) gates_.refused();
    gates_.finish(session_.cluster());
    reporter.finish(remainder());
    gates_.say_failures();
    session_.cluster().authorizer().say_grounds();
    return gates_.exit_status();
  }

  // Prints progress at most once a second, if more than a second of work remains.
  void tell_progress(size_t done, Clock::time_point start, Clock::time_point& told) const {
    if (done == 0 || done % 64 != 0) return;
    auto now = Clock::now();
    auto remaining = (now - start) / done * (maker_->requests().size() - done);
    if (now - told < std::chrono::seconds(1) || remaining < std::chrono::seconds(1)) return;
    told = now;
    std::fprintf(stderr, "%zu of %zu manifests\n", done, maker_->requests().size());
  }

  const ReviewOptions& options_;
  Inputs inputs_;
  Session session_{options_};
  RequestMaker* maker_ = nullptr;  // after make_requests
  Gates gates_{options_};
  WebhookCallers callers_{{options_.webhooks, options_.record, options_.webhook_addresses,
                           options_.webhook_certificate, options_.webhook_key}};
};

}  // namespace

int review(const ReviewOptions& options, Reporter& reporter) { return Review(options).run(reporter); }

int review(const ReviewOptions& options) {
  if (options.batch) {  // one loop answers the lines of all modes
    EvalOptions lines;
    lines.batch = true;
    lines.jobs = options.jobs;
    return eval(lines);
  }
  Result<Outputs> outputs = Outputs::parse(options.outputs, kReviewFormats);
  if (!outputs.ok()) {
    say(Severity::Error, {}, {}, outputs.error().text);
    return kNoVerdict;
  }
  ReviewOptions wanted = options;
  if (outputs->wants("json") || outputs->wants("yaml")) wanted.output = "json";
  ReviewReports reports(*outputs, wanted);
  int status = review(wanted, reports);
  return reports.close() ? status : kNoVerdict;
}

}  // namespace portcullis
