// See runner.h.
#include "cli/suites/runner.h"

#include <algorithm>
#include <chrono>
#include <span>

#include "cli/suites/causes.h"
#include "cli/suites/fresh.h"

namespace portcullis::suites {
namespace {

using Clock = std::chrono::steady_clock;

// A request of a case, when its maker has made it.
struct Asked {
  const Case* test;
  RequestMaker* maker;
  size_t index;  // of the request
};

class BatchRun {
 public:
  BatchRun(const Batch& batch, const RunOptions& options, Observer* observer)
      : batch_(batch), options_(options), observer_(observer) {}

  BatchResult run(const Changed* changed) {
    Listening listening;
    const bool usable = prepare(changed);
    out_.messages = std::move(listening.messages);
    listening.messages.clear();
    if (usable) {
      decide(listening);
      session_.cluster().authorizer().say_grounds();
    } else {
      for (const Case* test : wanted_) {
        CaseResult r = result_of(*test, nullptr);
        r.outcome = Outcome::Unusable;
        out_.cases.push_back(std::move(r));
      }
    }
    for (Message& m : listening.messages) out_.messages.push_back(std::move(m));
    return std::move(out_);
  }

 private:
  // Makes the session. The objects of all cases lie in one list, from which each case has its part.
  bool prepare(const Changed* changed) {
    SessionObjects objects{batch_.policies, batch_.params, {}, {}, false};
    if (changed != nullptr) {
      replace(objects.policies, *changed);
      replace(objects.params, *changed);
    }
    for (const Case* test : batch_.cases) {
      if (options_.wanted && !options_.wanted(*test)) continue;
      if (!test->skipped.empty()) {
        skip(*test);
        continue;
      }
      wanted_.push_back(test);
      objects.manifests.insert(objects.manifests.end(), test->objects.begin(), test->objects.end());
      objects.old.insert(objects.old.end(), test->old.begin(), test->old.end());
    }
    if (wanted_.empty()) return true;
    if (!callers_.ok() || !session_.accept_options()) return false;
    session_.take(std::move(objects));
    if (wanted_.front()->stored) session_.take_as_stored();
    if (!session_.know_kinds() || !session_.check_policies()) return false;
    make_requests();
    return session_.load();
  }

  static void replace(std::vector<InputObject>& objects, const Changed& changed) {
    for (InputObject& o : objects) {
      if (o.document == changed.object->document && o.path == changed.object->path) o = changed.by;
    }
  }

  void skip(const Case& test) {
    CaseResult r = result_of(test, nullptr);
    r.outcome = Outcome::Skipped;
    r.told = test.skipped;
    out_.cases.push_back(std::move(r));
  }

  void make_requests() {
    std::span<const InputObject> manifests = session_.manifests(), old = session_.old();
    for (const Case* test : wanted_) {
      RequestMaker& maker = session_.add_maker(test->settings, old.first(test->old.size()));
      for (size_t i = 0; i < test->objects.size(); i++) {
        maker.add(manifests[i]);
        asked_.push_back({test, &maker, i});
      }
      manifests = manifests.subspan(test->objects.size());
      old = old.subspan(test->old.size());
    }
  }

  void decide(Listening& listening) {
    if (wanted_.empty()) return;
    CaseTrace trace(observer_ == nullptr ? nullptr : observer_->trace(batch_, session_));
    Decider decider(session_, callers_, false, &trace);
    if (observer_ != nullptr) decider.hear_rules(observer_->rules(batch_));
    if (options_.quiet) decider.omit_reasons();
    for (const Asked& a : asked_) {
      trace.begin();
      const auto start = Clock::now();
      const Request& request = a.maker->requests()[a.index];
      if (a.index == 0) callers_.give(&a.test->answers);
      const ReviewResult& result = decider.decide(request, *a.maker);
      if (observer_ != nullptr) observer_->decided({batch_, *a.test, session_, decider, result});
      CaseResult r = result_of(*a.test, &result);
      r.mismatches = mismatches(*a.test, {result, decider, trace, callers_.calls()});
      r.outcome = outcome_of(r);
      if (r.outcome == Outcome::Failed && !options_.quiet) {
        r.fresh = fresh_members(*a.test, result, decider, trace);
        r.messages = std::move(listening.messages);
        r.told = explained(*a.test, request, *a.maker, r);
      }
      listening.messages.clear();
      r.seconds = std::chrono::duration<double>(Clock::now() - start).count();
      const bool failed = r.outcome != Outcome::Passed;
      out_.cases.push_back(std::move(r));
      if (failed && options_.stop_at_failure) return;
    }
  }

  // An expectation that makes no sense is an error of the suite.
  Outcome outcome_of(const CaseResult& r) {
    Outcome out = r.mismatches.empty() ? Outcome::Passed : Outcome::Failed;
    for (const Mismatch& m : r.mismatches) {
      if (!m.wrong) continue;
      const Suite& suite = *r.test->suite;
      out = Outcome::Unusable;
      out_.messages.push_back({.severity = Severity::Error,
                               .file = suite.file->name,
                               .position = suite.locate(m.path),
                               .text = m.expected,
                               .source = suite.file->text});
    }
    return out;
  }

  // The decision with everything that --explain shows, and the validations that were expected to fail, but passed.
  std::string explained(const Case& test, const Request& request, RequestMaker& maker, CaseResult& r) {
    const Paint& p = paint(options_.colour);
    CauseTrace causes(test.expected);
    Decider decider(session_, callers_, true, &causes);
    callers_.again();
    const ReviewResult& result = decider.decide(request, maker);
    for (Mismatch& m : r.mismatches) m.cause = causes.cause(m, result, session_.cluster());
    return result_text(result, p) + causes.text(r.mismatches, session_.cluster(), !result.allowed, p);
  }

  static CaseResult result_of(const Case& test, const ReviewResult* result) {
    CaseResult r{.test = &test, .name = test.name};
    if (result == nullptr) return r;
    r.api_version = result->api_version;
    r.kind = result->kind;
    r.namespace_name = result->namespace_name;
    r.object = result->name;
    if (test.objects.size() > 1) r.name += " (" + full_name(*result) + ")";
    return r;
  }

  const Batch& batch_;
  const RunOptions& options_;
  Observer* observer_;
  Session session_{batch_.options};
  WebhookCallers callers_{{.mode = batch_.options.webhooks}};
  std::vector<const Case*> wanted_;
  std::vector<Asked> asked_;
  BatchResult out_;
};

}  // namespace

BatchResult run(const Batch& batch, const RunOptions& options, Observer* observer, const Changed* changed) {
  return BatchRun(batch, options, observer).run(changed);
}

}  // namespace portcullis::suites
