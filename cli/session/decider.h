// Decides the requests of a session, one by one, and says what came of each, with everything that explains it.
//
// Idea: a request passes through the whole chain: its definition, mutating policies and webhooks, completion,
// validating policies and webhooks. Whatever a command reports is taken from the one ReviewResult, so all commands say
// the same of a request. Tested by tests/cli.py and by running examples/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "admission/admission.h"
#include "chain/chain.h"
#include "cli/reports/failure_trace.h"
#include "cli/reports/report.h"
#include "cli/reports/scope_doubt.h"
#include "cli/requests/webhook_callers.h"
#include "cli/session/session.h"
#include "manifests/plugin.h"

namespace portcullis {

class Decider {
 public:
  // Belongs to a thread. The session must be loaded. Threads may share `callers` that ask nobody. `also`, if given, is
  // told of every evaluated expression, as the explanation is. `explain`: results have what --explain shows.
  Decider(const Session& session, WebhookCallers& callers, bool explain, ReviewTrace* also);

  // From now on results do not tell which validations passed (ReviewResult::evaluated). A request that all policies pass
  // is then decided without a trace, and the others are decided once more with it.
  void tell_failures_only();

  // Decides a request of `maker`, one of the session's. The result is good until the next request.
  const ReviewResult& decide(const Request& request, RequestMaker& maker);

  // Of the last request, if it has no refusal. As mutating policies saw it first, and as validating policies did:
  const AdmissionRequest& asked() const { return asked_; }
  const AdmissionRequest& validated() const { return request_.attributes; }
  const chain::Admission& admission() const { return admission_; }
  // What mutating policies would see of another manifest in place of its own, in `arena`; null if the API server
  // refuses it, or nobody knows.
  Value served(const Value& manifest, Arena& arena) const;
  // Whether policies were asked: its definition did not refuse the object.
  bool policies_asked() const { return policies_asked_; }
  // `trace` hears of the rules of definitions from now on; it must outlive decisions, and may be null.
  void hear_rules(crd::RuleTrace* trace) { trace_.tell_rules(trace); }
  // Failures do not say from now on which part decided, which variables failed, and where: only verdicts and messages
  // are wanted.
  void omit_reasons() { trace_.explain_nothing(); }

 private:
  bool attempt(const Request& request, bool traced);
  bool would_tell_more() const;
  bool pass();
  bool is_unfit() const;
  void prepare();
  void mutate();
  void complete();
  void keep_namespace();
  void ask_plugins();
  std::optional<CustomOutcome> decode_custom();
  std::optional<Refusal> undefined_kind() const;
  std::optional<Refusal> unknown_schema() const;
  std::optional<Refusal> refused_definition();
  std::optional<Refusal> unsure();
  Refusal refusal(std::string_view path, std::string text, std::string hint = {}) const;
  void refuse();
  // What is said beside the verdict (decider_notes.cc).
  void note_forbidden();
  void note_plugins() const;
  void note_dropped() const;
  void keep_sent_warnings();
  // The result (decider_results.cc).
  void collect(bool validates);
  void describe(const Decision& decision);
  void take_over();
  Value answered(const Value& object);
  void add_mutations();
  void add_custom();
  void add_definition_warnings();
  void refuse_stopped();
  void refuse_unfit();
  void add_assumptions();
  void add_failure(const ValidationOutcome& outcome);

  const Session& session_;
  const ReviewOptions& options_;
  WebhookCallers& callers_;
  const bool explain_;
  FailureTrace trace_;
  bool needs_trace_ = true;  // of requests that all policies pass
  ReviewContext context_;
  RbacFiles::OfRequest authorizer_;
  ScopeDoubt doubt_;
  // Of the present request:
  Arena arena_;  // of a custom resource
  RequestMaker* maker_ = nullptr;
  Request request_;
  AdmissionRequest asked_;
  WrittenDefinition definition_;         // what it writes
  std::optional<CustomOutcome> custom_;  // of a custom resource
  // Why the API server refuses it before it asks validating policies, if not for its definition; and the source of
  // that, in reports.
  std::optional<ServerRefusal> stop_;
  std::string_view stopped_by_;
  PluginAnswer plugins_;  // what the API server's own plugins say
  bool policies_asked_ = false;
  chain::Admission admission_;
  ReviewResult result_;
};

}  // namespace portcullis
