// See data_report.h.
#include "cli/reports/data_report.h"

#include "cli/messages/errors.h"
#include "cli/messages/messages.h"
#include "cli/messages/output.h"
#include "cli/messages/spool.h"
#include "cli/reports/members.h"
#include "cli/reports/result_counts.h"
#include "manifests/place.h"
#include "manifests/yaml.h"

namespace portcullis {
namespace {

using MergeKind = patching::MergeStep::Kind;

void write_unused_message(JsonWriter& w, const UnusedMessage& m) {
  if (m.why.empty()) return;
  w.object("messageExpression", [&] {
    write_expression(w, m);
    write_values(w, m.values);
    write_expressions(w, "variables", m.variables);
    w.member("why", m.why);
  });
}

std::string_view merge_name(MergeKind kind) {
  switch (kind) {
    case MergeKind::Meets: return "meets";
    case MergeKind::New: return "new";
    case MergeKind::Replaces: return "replaces";
    case MergeKind::Whole: return "whole";
    case MergeKind::Kept: return "kept";
  }
  return {};
}

void write_merge(JsonWriter& w, const ExplainedMerge& merge) {
  if (merge.steps.empty()) return;
  w.list("merge", merge.steps, [&](const patching::MergeStep& s) {
    if (s.kind == MergeKind::Meets) w.member("from", s.from);
    w.optional("path", s.path);
    if (s.kind != MergeKind::Whole && s.kind != MergeKind::Kept) w.member("to", s.to);
    w.member("what", merge_name(s.kind));
  });
  w.optional("mergeUntold", merge.untold);
}

// An index in a list of a policy; -1: the whole policy.
void write_index(JsonWriter& w, std::string_view name, int index) {
  if (index >= 0) w.member(name, index);
}

void write_failure(JsonWriter& w, const ReviewFailure& f) {
  std::vector<std::string_view> actions;
  if (f.denied) actions.push_back("Deny");
  if (f.warned) actions.push_back("Warn");
  if (f.audited) actions.push_back("Audit");
  w.member("actions", actions);
  w.optional("binding", f.binding);
  w.optional("column", f.position.column);
  write_expressions(w, "conditions", f.conditions);
  w.optional("definition", f.definition);
  w.member("error", f.error);
  w.optional("expression", f.expression);
  if (f.position.line > 0) w.optional("file", f.policy_file);
  w.optional("hint", f.hint);
  w.optional("line", f.position.line);
  write_merge(w, f.merge);
  w.optional("message", f.message);
  write_unused_message(w, f.unused_message);
  write_index(w, "mutation", f.mutation);
  w.optional("param", f.param);
  w.optional("policy", f.policy);
  w.optional("reason", f.reason);
  w.optional("rule", f.rule);
  write_index(w, "validation", f.validation);
  write_values(w, f.values);
  write_expressions(w, "variables", f.variables);
}

void write_change(JsonWriter& w, const ReviewChange& c) {
  w.optional("binding", c.binding);
  w.optional("column", c.position.column);
  w.optional("file", c.file);
  w.optional("line", c.position.line);
  write_merge(w, c.merge);
  write_index(w, "mutation", c.mutation);
  w.optional("param", c.param);
  w.member("pass", c.pass);
  if (c.what.empty()) w.raw("patch", json_patch_text(c.differences));
  w.optional("policy", c.policy);
  w.optional("value", c.value);
  w.optional("what", c.what);
  w.optional("whyAgain", c.why_again);
}

void write_not_applied(JsonWriter& w, const ReviewReach& n) {
  w.optional("binding", n.binding);
  w.optional("column", n.position.column);
  w.optional("condition", n.condition.name);
  w.optional("expression", n.condition.text);
  w.optional("file", n.file);
  w.optional("line", n.position.line);
  w.member("mutating", n.stage == ReviewReach::Stage::MutatingPolicies);
  w.optional("param", n.param);
  w.optional("policy", n.policy);
  write_values(w, n.condition.values);
  w.optional("why", n.why);
}

void write_doubt(JsonWriter& w, const ReviewDoubt& d) {
  using About = ReviewDoubt::About;
  w.member("about", d.about == About::Order        ? "order"
                    : d.about == About::Repetition ? "repetition"
                                                   : "untried");
  if (!d.otherwise.empty()) w.raw("otherwise", d.otherwise);
  w.optional("path", d.path);
  w.optional("policies", d.policies);
  w.optional("refused", d.refused);
  w.optional("text", d.text);
  if (!d.value.empty()) w.raw("value", d.value);
  w.optional("writes", d.writes);
}

// The texts, and beside them what they say.
void write_doubts(JsonWriter& w, const std::vector<ReviewDoubt>& doubts) {
  w.optional("doubtDetails", doubts, [&](const ReviewDoubt& d) { write_doubt(w, d); });
  std::vector<std::string_view> texts;
  for (const ReviewDoubt& doubt : doubts) texts.push_back(doubt.text);
  w.optional("doubts", texts);
}

void write_webhook(JsonWriter& w, const ReviewWebhook& h) {
  w.optional("column", h.position.column);
  w.optional("configuration", h.configuration);
  w.optional("file", h.file);
  w.optional("line", h.position.line);
  w.member("mutating", h.mutating);
  w.optional("outcome", h.outcome);
  w.member("pass", h.pass);
  if (!h.patch.empty()) w.raw("patch", h.patch);
  w.optional("text", h.text);
  w.optional("version", h.version);
  w.optional("webhook", h.webhook);
}

void write_remark(JsonWriter& w, const Remark& r) {
  w.member("about", r.about == Remark::About::Refused ? "refused" : "assumed");
  w.optional("column", r.position.column);
  w.optional("line", r.position.line);
  w.optional("text", r.text);
}

void write_result(JsonWriter& w, const ReviewResult& r) {
  w.begin_object();
  w.member("apiVersion", r.api_version);
  w.member("auditAnnotations", r.audit_annotations);
  w.optional("changes", r.changes, [&](const ReviewChange& c) { write_change(w, c); });
  w.member("document", r.object->document->index);
  write_doubts(w, r.doubts);
  write_refusal(w, r);
  std::vector<const ReviewFailure*> failures;
  for (const ServerFinding& f : r.findings) {
    if (f.rule) failures.push_back(&*f.rule);
  }
  for (const ReviewFailure& f : r.failures) failures.push_back(&f);
  w.list("failures", failures, [&](const ReviewFailure* f) { write_failure(w, *f); });
  write_object(w, r);
  w.optional("notApplied", r.not_applied, [&](const ReviewReach& n) { write_not_applied(w, n); });
  w.member("operation", r.operation);
  w.optional("path", r.object->path);
  if (r.after.is(Kind::Map)) w.raw("patch", whole_patch(r));
  w.member("policiesMatched", r.policies_matched);
  w.optional("remarks", r.remarks, [&](const Remark& remark) { write_remark(w, remark); });
  if (!r.status.empty()) w.raw("status", r.status);
  w.member("verdict", verdict_of(r));
  w.member("warnings", r.warnings);
  w.optional("webhooks", r.webhooks, [&](const ReviewWebhook& h) { write_webhook(w, h); });
  w.end_object();
}

void write_counts(JsonWriter& w, const ResultCounts& c) {
  w.member("admitted", c.admitted);
  w.optional("deleted", c.deleted);
  w.member("denied", c.denied);
  w.member("manifests", c.manifests);
  w.member("refused", c.refused);
  w.member("unmatched", c.unmatched);
  w.member("warned", c.warned);
}

// Members before the results depend on all of them, so the results wait in a spool.
class DataReporter final : public Reporter {
 public:
  DataReporter(bool yaml, Destination& to) : yaml_(yaml), to_(to) {}

  void add(const ReviewResult& r) override {
    counts_.add(r);
    std::string json;
    JsonWriter w(json);
    write_result(w, r);
    part_ += yaml_ ? json_as_yaml("[" + json + "]") : part_.empty() ? json : "," + json;
  }
  std::unique_ptr<Reporter> part() const override { return std::make_unique<DataReporter>(yaml_, to_); }
  void take(Reporter& reporter) override {
    const auto& part = static_cast<DataReporter&>(reporter);
    counts_.add(part.counts_);
    if (!yaml_ && !results_.empty() && !part.part_.empty()) results_.add(",");
    results_.add(part.part_);
  }

  void give_up(const Remainder& rest) override { finish(rest); }

  void finish(const Remainder& rest) override {
    std::string before, after;
    JsonWriter w(before);
    w.begin_object();
    write_errors(w, rest.errors);
    if (rest.gated) write_gates(w, rest.gates);
    write_left_out(w, rest.left_out);
    write_not_evaluated(w, rest.not_evaluated);
    w.end_object();
    JsonWriter x(after);
    x.begin_object();
    x.object("summary", [&] { write_counts(x, counts_); });
    x.end_object();
    const bool none = results_.empty();
    if (yaml_) {
      to_.put(json_as_yaml(before) + (none ? "results: []\n" : "results:\n"));
    } else {
      before.pop_back();
      to_.put(before + ",\"results\":[");
    }
    if (!results_.each([&](std::string_view piece) { to_.put(piece); }))
      say(Severity::Error, {}, {}, "the results cannot be read back from a temporary file");
    to_.put(yaml_ ? json_as_yaml(after) : "]," + after.substr(1) + "\n");
  }

 private:
  const bool yaml_;
  Destination& to_;
  std::string part_;  // the results of a part: members of the list
  Spool results_;
  ResultCounts counts_;
};

}  // namespace

std::unique_ptr<Reporter> data_reporter(bool yaml, Destination& to) {
  return std::make_unique<DataReporter>(yaml, to);
}

}  // namespace portcullis
