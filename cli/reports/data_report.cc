// See data_report.h.
#include "cli/reports/data_report.h"

#include <algorithm>
#include <utility>

#include "cli/messages/errors.h"
#include "cli/messages/messages.h"
#include "cli/messages/output.h"
#include "cli/messages/spool.h"
#include "cli/reports/members.h"
#include "cli/reports/result_counts.h"
#include "manifests/place.h"
#include "manifests/status.h"

namespace portcullis {
namespace {

using MergeKind = patching::MergeStep::Kind;

void write_unused_message(JsonWriter& w, const UnusedMessage& m) {
  if (m.why.empty()) return;
  w.key("messageExpression");
  w.begin_object();
  write_expression(w, m);
  write_values(w, m.values);
  write_expressions(w, "variables", m.variables);
  write_text(w, "why", m.why);
  w.end_object();
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
  w.key("merge");
  w.begin_list();
  for (const patching::MergeStep& s : merge.steps) {
    w.begin_object();
    if (s.kind == MergeKind::Meets) {
      w.key("from");
      w.integer(s.from);
    }
    write_text(w, "path", s.path);
    if (s.kind != MergeKind::Whole && s.kind != MergeKind::Kept) {
      w.key("to");
      w.integer(s.to);
    }
    write_text(w, "what", merge_name(s.kind));
    w.end_object();
  }
  w.end_list();
  if (merge.untold == 0) return;
  w.key("mergeUntold");
  w.integer(static_cast<int64_t>(merge.untold));
}

void write_failure(JsonWriter& w, const ReviewFailure& f) {
  auto text = [&](std::string_view key, std::string_view value) { write_text(w, key, value); };
  w.begin_object();
  w.key("actions");
  w.begin_list();
  if (f.denied) w.string("Deny");
  if (f.warned) w.string("Warn");
  if (f.audited) w.string("Audit");
  w.end_list();
  text("binding", f.binding);
  write_place(w, "column", f.position.column);
  write_expressions(w, "conditions", f.conditions);
  w.key("error");
  w.boolean(f.error);
  text("expression", f.expression);
  if (f.position.line > 0) {
    text("file", f.policy_file);
    write_place(w, "line", f.position.line);
  }
  write_merge(w, f.merge);
  text("message", f.message);
  write_unused_message(w, f.unused_message);
  if (f.mutation >= 0) {
    w.key("mutation");
    w.integer(f.mutation);
  }
  text("param", f.param);
  text("policy", f.policy);
  text("reason", f.reason);
  if (f.validation >= 0) {
    w.key("validation");
    w.integer(f.validation);
  }
  write_values(w, f.values);
  write_expressions(w, "variables", f.variables);
  w.end_object();
}

void write_changes(JsonWriter& w, const ReviewResult& r) {
  if (r.changes.empty()) return;
  w.key("changes");
  w.begin_list();
  for (const ReviewChange& c : r.changes) {
    w.begin_object();
    write_text(w, "binding", c.binding);
    write_place(w, "column", c.position.column);
    write_text(w, "file", c.file);
    write_place(w, "line", c.position.line);
    write_merge(w, c.merge);
    if (c.mutation >= 0) {
      w.key("mutation");
      w.integer(c.mutation);
    }
    write_text(w, "param", c.param);
    w.key("pass");
    w.integer(c.pass);
    if (c.what.empty()) {
      w.key("patch");
      w.raw(json_patch_text(c.differences));
    }
    write_text(w, "policy", c.policy);
    write_text(w, "value", c.value);
    write_text(w, "what", c.what);
    write_text(w, "whyAgain", c.why_again);
    w.end_object();
  }
  w.end_list();
}

// The changes of all mutations, as a JSON Patch.
void write_annotations(JsonWriter& w, const ReviewResult& r) {
  w.key("auditAnnotations");
  w.begin_object();
  for (auto& [key, value] : r.audit_annotations) {
    w.key(key);
    w.string(value);
  }
  w.end_object();
}

void write_warnings(JsonWriter& w, const ReviewResult& r) {
  w.key("warnings");
  w.begin_list();
  for (const std::string& warning : r.warnings) w.string(warning);
  w.end_list();
}

void write_not_applied(JsonWriter& w, const std::vector<ReviewReach>& list) {
  if (list.empty()) return;
  w.key("notApplied");
  w.begin_list();
  for (const ReviewReach& n : list) {
    w.begin_object();
    write_text(w, "binding", n.binding);
    write_place(w, "column", n.position.column);
    write_text(w, "condition", n.condition.name);
    write_text(w, "expression", n.condition.text);
    write_text(w, "file", n.file);
    write_place(w, "line", n.position.line);
    w.key("mutating");
    w.boolean(n.stage == ReviewReach::Stage::MutatingPolicies);
    write_text(w, "param", n.param);
    write_text(w, "policy", n.policy);
    write_values(w, n.condition.values);
    write_text(w, "why", n.why);
    w.end_object();
  }
  w.end_list();
}

void write_doubt(JsonWriter& w, const ReviewDoubt& d) {
  using About = ReviewDoubt::About;
  auto texts = [&](std::string_view key, const std::vector<std::string>& all) {
    if (all.empty()) return;
    w.key(key);
    w.begin_list();
    for (const std::string& text : all) w.string(text);
    w.end_list();
  };
  auto json = [&](std::string_view key, const std::string& value) {
    if (value.empty()) return;
    w.key(key);
    w.raw(value);
  };
  w.begin_object();
  write_text(w, "about",
             d.about == About::Order        ? "order"
             : d.about == About::Repetition ? "repetition"
                                            : "untried");
  json("otherwise", d.otherwise);
  write_text(w, "path", d.path);
  texts("policies", d.policies);
  write_text(w, "refused", d.refused);
  write_text(w, "text", d.text);
  json("value", d.value);
  texts("writes", d.writes);
  w.end_object();
}

// The texts, and beside them what they say.
void write_doubts(JsonWriter& w, const std::vector<ReviewDoubt>& doubts) {
  if (doubts.empty()) return;
  w.key("doubtDetails");
  w.begin_list();
  for (const ReviewDoubt& doubt : doubts) write_doubt(w, doubt);
  w.end_list();
  w.key("doubts");
  w.begin_list();
  for (const ReviewDoubt& doubt : doubts) w.string(doubt.text);
  w.end_list();
}

void write_webhooks(JsonWriter& w, const std::vector<ReviewWebhook>& list) {
  if (list.empty()) return;
  w.key("webhooks");
  w.begin_list();
  for (const ReviewWebhook& h : list) {
    w.begin_object();
    write_place(w, "column", h.position.column);
    write_text(w, "configuration", h.configuration);
    write_text(w, "file", h.file);
    write_place(w, "line", h.position.line);
    w.key("mutating");
    w.boolean(h.mutating);
    write_text(w, "outcome", h.outcome);
    w.key("pass");
    w.integer(h.pass);
    if (!h.patch.empty()) {
      w.key("patch");
      w.raw(h.patch);
    }
    write_text(w, "text", h.text);
    write_text(w, "version", h.version);
    write_text(w, "webhook", h.webhook);
    w.end_object();
  }
  w.end_list();
}

void write_remarks(JsonWriter& w, const std::vector<Remark>& remarks) {
  if (remarks.empty()) return;
  w.key("remarks");
  w.begin_list();
  for (const Remark& r : remarks) {
    w.begin_object();
    write_text(w, "about", r.about == Remark::About::Refused ? "refused" : "assumed");
    write_place(w, "column", r.position.column);
    write_place(w, "line", r.position.line);
    write_text(w, "text", r.text);
    w.end_object();
  }
  w.end_list();
}

void write_result(JsonWriter& w, const ReviewResult& r) {
  w.begin_object();
  w.key("apiVersion");
  w.string(r.api_version);
  write_annotations(w, r);
  write_changes(w, r);
  w.key("document");
  w.integer(r.object->document->index);
  write_doubts(w, r.doubts);
  if (r.refusal) {
    w.key("error");
    write_error(w, r.refusal->file->name, r.refusal->position, r.refusal->text, r.refusal->hint);
  }
  w.key("failures");
  w.begin_list();
  for (const ReviewFailure& f : r.failures) write_failure(w, f);
  w.end_list();
  w.key("file");
  w.string(r.object->file->name);
  if (!r.findings.empty()) {
    w.key("findings");
    w.begin_list();
    for (const DefinitionFinding& finding : r.findings) w.string(finding.whole());
    w.end_list();
  }
  w.key("kind");
  w.string(r.kind);
  w.key("line");
  w.integer(r.object->locate("").line);
  w.key("name");
  w.string(r.name);
  w.key("namespace");
  w.string(r.namespace_name);
  write_not_applied(w, r.not_applied);
  w.key("operation");
  w.string(r.operation);
  if (!r.object->path.empty()) {
    w.key("path");
    w.string(r.object->path);
  }
  if (r.after.is(Kind::Map)) {
    w.key("patch");
    w.raw(whole_patch(r));
  }
  w.key("policiesMatched");
  w.integer(r.policies_matched);
  write_remarks(w, r.remarks);
  if (!r.status.empty()) {
    w.key("status");
    w.raw(r.status);
  }
  w.key("verdict");
  w.string(verdict_of(r));
  write_warnings(w, r);
  write_webhooks(w, r.webhooks);
  w.end_object();
}

void write_counts(JsonWriter& w, const ResultCounts& c) {
  const std::pair<const char*, int> kRows[] = {{"admitted", c.admitted},   {"denied", c.denied},
                                               {"manifests", c.manifests}, {"refused", c.refused},
                                               {"unmatched", c.unmatched}, {"warned", c.warned}};
  w.begin_object();
  for (auto& [name, count] : kRows) {
    w.key(name);
    w.integer(count);
  }
  w.end_object();
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
    if (!rest.left_out.empty()) write_left_out(w, rest.left_out);
    if (!rest.not_evaluated.empty()) write_not_evaluated(w, rest.not_evaluated);
    w.end_object();
    JsonWriter x(after);
    x.begin_object();
    x.key("summary");
    write_counts(x, counts_);
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

// Prints one AdmissionReview per line, as a webhook would answer.

}  // namespace

std::unique_ptr<Reporter> data_reporter(bool yaml, Destination& to) {
  return std::make_unique<DataReporter>(yaml, to);
}

}  // namespace portcullis
