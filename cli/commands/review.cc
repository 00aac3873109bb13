// `portcullis review`: decides every manifest as the API server's admission policies would: first the
// mutating ones, then the validating ones, on the mutated object.
//
// Idea: the files are read, a session (session/) makes requests of the manifests and decides them one by one, the
// gates (reports/gates.h) give the exit status, and the reporter prints the results. Tested by tests/cli.py and by
// running examples/.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/commands/no_verdict.h"
#include "cli/messages/messages.h"
#include "cli/messages/output.h"
#include "cli/messages/progress.h"
#include "cli/reading/manifest_stream.h"
#include "cli/reading/ordered_work.h"
#include "cli/reports/gates.h"
#include "cli/reports/report.h"
#include "cli/reports/review_reports.h"
#include "cli/requests/webhook_callers.h"
#include "cli/session/deletions.h"
#include "cli/session/part_decider.h"
#include "cli/session/session.h"

namespace portcullis {
namespace {

class Review {
 public:
  // `failures_only`: no report tells what passed.
  Review(const ReviewOptions& options, bool failures_only)
      : options_(options), failures_only_(failures_only) {}

  int run(Reporter& reporter) {
    if (!session_.accept_options()) return kNoVerdict;
    if (options_.manifests.empty()) return no_verdict("no manifests given; - is standard input");
    if (std::string misuse = gates_.misuse(); !misuse.empty()) return no_verdict(misuse);
    if (!callers_.ok()) return kNoVerdict;
    if (read() && session_.know_kinds() && session_.check_policies() &&
        gates_.enough_policies(session_.cluster()) && make_requests() && session_.load())
      return decide(reporter);
    session_.advise();
    reporter.give_up(remainder());
    return kNoVerdict;
  }

 private:
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
    survey_.learn(objects.policies);
    stream_.scan(
        options_.manifests, [&](const InputObject& o) { return survey_.wants(o); },
        [&](const InputObject& o) { return survey_.see(o); });
    objects.among_manifests = options_.policies.empty();
    objects.apart = !objects.among_manifests;
    if (objects.among_manifests) errors = inputs_.errors();
    objects.manifests = stream_.kept();
    if (objects.among_manifests && survey_.learn(objects.manifests)) {
      stream_.keep_also([&](const InputObject& o) { return survey_.wants(o); });
      objects.manifests = stream_.kept();
    }
    objects.survey = &survey_;
    session_.take(std::move(objects));
    return errors == 0;
  }

  bool make_requests() {
    RequestSettings settings = Session::settings_of(options_);
    maker_ = &session_.add_maker(settings, session_.old());
    settings.operation = Operation::Delete;
    settings.deletes = true;
    if (options_.deleted) deleter_ = &session_.add_maker(std::move(settings), session_.old());
    if (survey_.counts().recorded + survey_.counts().others > 0) return true;
    if (inputs_.errors() > 0) return false;
    // Of changed files none may be a manifest; a directory without any is a mistake.
    const bool may_be_none = options_.reading.lenient && std::ranges::all_of(options_.manifests, is_lasting);
    say(may_be_none ? Severity::Note : Severity::Error, {}, {},
        "no manifests to review in " + list_files(options_.manifests, options_.reading.recursive));
    return may_be_none;
  }

  struct Part {
    ManifestStream::Ticket ticket;
    std::unique_ptr<Reporter> report = nullptr;
    std::shared_ptr<ManifestPart> manifests = nullptr;
    DecidedPart decided = {};
  };

  int decide(Reporter& reporter) {
    // Webhooks are asked in the order of the manifests, and not every report has parts.
    const bool alone = callers_.asks() || reporter.part() == nullptr;
    const size_t threads = alone ? 1 : std::max(1U, std::thread::hardware_concurrency());
    RequestTally requests = decide_parts(reporter, threads, *maker_, [&] { return stream_.next(); });
    if (deleter_ != nullptr) requests.add(decide_deleted(reporter, threads, requests));
    session_.note_requests(requests);
    if (inputs_.errors() > 0 || !callers_.finish()) gates_.failed();
    gates_.finish(session_.cluster());
    reporter.finish(remainder());
    gates_.say_failures();
    session_.cluster().authorizer().say_grounds();
    return gates_.exit_status();
  }

  // Decides parts until `next` gives none. Returns the tally of their requests.
  RequestTally decide_parts(Reporter& reporter, size_t threads, const RequestMaker& maker,
                            const std::function<std::optional<ManifestStream::Ticket>()>& next) {
    std::vector<std::unique_ptr<PartDecider>> deciders(threads);  // each made by its thread, if it has work
    OrderedWork<Part>(threads, {.make = [&]() -> std::unique_ptr<Part> {
                                  auto ticket = next();
                                  if (!ticket) return nullptr;
                                  return std::make_unique<Part>(Part{std::move(*ticket), reporter.part()});
                                },
                                .work =
                                    [&](Part& part, size_t worker) {
                                      part.manifests = ManifestStream::open(part.ticket);
                                      Reporter& to = part.report == nullptr ? reporter : *part.report;
                                      auto& decider = deciders[worker];
                                      if (decider == nullptr)
                                        decider = std::make_unique<PartDecider>(session_, maker, callers_,
                                                                                failures_only_);
                                      part.decided = decider->decide(*part.manifests, to);
                                    },
                                .take = [&](Part& part) { take(part, reporter); }})
        .run();
    progress_.clear();
    RequestTally requests(session_.cluster());
    for (const auto& decider : deciders) {
      if (decider != nullptr) requests.add(decider->requests());
    }
    return requests;
  }

  // Decides the deletion of what the former state has and the manifests lack, of which `requests` were made.
  RequestTally decide_deleted(Reporter& reporter, size_t threads, const RequestTally& requests) {
    std::vector<InputObject> objects;
    if (inputs_.errors() > 0) {
      say(Severity::Warning, {}, {}, "what is deleted is not known, since not everything could be read");
    } else {
      objects = deleted_objects(session_.old(), requests.replaced());
    }
    size_t begun = 0;
    deleted_ = objects.size();
    return decide_parts(reporter, threads, *deleter_, [&]() -> std::optional<ManifestStream::Ticket> {
      constexpr size_t kMost = 128;  // in a part
      if (begun == objects.size()) return std::nullopt;
      auto part = std::make_shared<ManifestPart>();
      part->number = stream_.size() + begun;
      const auto some = std::span(objects).subspan(begun, std::min(kMost, objects.size() - begun));
      part->objects.assign(some.begin(), some.end());
      begun += some.size();
      return ManifestStream::Ticket{.number = part->number, .part = part};
    });
  }

  void take(Part& part, Reporter& reporter) {
    progress_.clear();
    for (const Message& m : part.decided.messages) {
      if (m.once.empty() || noted_.insert(m.once).second) say(m);
    }
    gates_.add(std::move(part.decided.counted));
    if (part.report != nullptr) reporter.take(*part.report);
    flush_output();
    done_ += part.manifests->objects.size();
    progress_.tell(done_, static_cast<double>(done_) / static_cast<double>(stream_.size() + deleted_));
  }

  const ReviewOptions& options_;
  const bool failures_only_;
  Inputs inputs_;
  ManifestStream stream_{inputs_, options_.reading};
  Survey survey_;
  Session session_{options_};
  RequestMaker* maker_ = nullptr;    // after make_requests
  RequestMaker* deleter_ = nullptr;  // of --deleted
  Gates gates_{options_};
  WebhookCallers callers_{{options_.webhooks, options_.record, options_.webhook_addresses,
                           options_.webhook_certificate, options_.webhook_key}};
  size_t done_ = 0;                        // manifests whose part is taken back
  size_t deleted_ = 0;                     // objects that the manifests lack
  std::unordered_set<std::string> noted_;  // what messages were about that are said once
  Progress progress_{"manifests"};
};

}  // namespace

int review(const ReviewOptions& options, Reporter& reporter) { return Review(options, true).run(reporter); }

int review(const ReviewOptions& options) {
  if (options.batch) {  // one loop answers the lines of all modes
    EvalOptions lines;
    lines.batch = true;
    lines.jobs = options.jobs;
    return eval(lines);
  }
  Result<Outputs> outputs = Outputs::parse(options.outputs, kReviewFormats);
  if (!outputs.ok()) return no_verdict(outputs.error().text);
  ReviewOptions wanted = options;
  if (outputs->wants("json") || outputs->wants("yaml")) wanted.output = "json";
  ReviewReports reports(*outputs, wanted);
  int status = Review(wanted, !outputs->wants_run()).run(reports);
  return reports.close() ? status : kNoVerdict;
}

}  // namespace portcullis
