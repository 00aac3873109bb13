// See report.h. The parts of a reporter make its text, on their threads; the reporter itself prints it.
#include "cli/reports/report.h"

#include <algorithm>

#include "cli/messages/errors.h"
#include "cli/messages/messages.h"
#include "cli/messages/output.h"
#include "cli/messages/spool.h"
#include "cli/messages/visible.h"
#include "cli/reports/members.h"
#include "manifests/admission_review.h"
#include "manifests/place.h"
#include "manifests/status.h"

namespace portcullis {
namespace {

std::string_view verdict(const ReviewResult& r) {
  if (r.refusal) return "refused";
  if (!r.allowed) return "denied";
  return r.warnings.empty() ? "admitted" : "warned";
}

struct Counts {
  int manifests = 0, admitted = 0, warned = 0, denied = 0, refused = 0, unmatched = 0;

  void add(const Counts& c) {
    manifests += c.manifests;
    admitted += c.admitted;
    warned += c.warned;
    denied += c.denied;
    refused += c.refused;
    unmatched += c.unmatched;
  }
  void add(const ReviewResult& r) {
    manifests++;
    refused += r.refusal.has_value();
    if (r.refusal) return;
    denied += !r.allowed;
    warned += r.allowed && !r.warnings.empty();
    admitted += r.allowed && r.warnings.empty();
    unmatched += r.policies_matched + r.webhooks_reached == 0;
  }
};

std::string plural(int n, std::string_view noun) {
  return std::to_string(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

using MergeKind = patching::MergeStep::Kind;

constexpr size_t kMostDifferences = 100;  // of one mutation; people read no more
constexpr size_t kDifferenceWidth = 100;  // of a value in a line of a difference

class TextReporter final : public Reporter {
 public:
  TextReporter(bool quiet, Destination& to) : quiet_(quiet), to_(to) {}

  void add(const ReviewResult& r) override {
    counts_.add(r);
    if (quiet_ && r.failures.empty() && r.findings.empty() && r.allowed) return;
    out_ += text(r, paint(to_.colour()));
  }
  std::unique_ptr<Reporter> part() const override { return std::make_unique<TextReporter>(quiet_, to_); }
  void take(Reporter& reporter) override {
    const auto& part = static_cast<TextReporter&>(reporter);
    counts_.add(part.counts_);
    to_.print(part.out_);
  }

  static std::string text(const ReviewResult& r, const Paint& p) {
    std::string_view colour = !r.allowed ? p.red : r.warnings.empty() ? p.green : p.yellow;
    std::string out(colour);
    out.append(verdict(r)).append(p.reset).append(10 - verdict(r).size(), ' ');
    out += visible(full_name(r));
    if (r.operation != "CREATE") out += " " + r.operation;
    std::string line = std::to_string(r.object->locate("").line);
    out.append("  ").append(p.dim).append(visible(r.object->file->name) + ":" + line);
    if (r.policies_matched + r.webhooks_reached == 0 && !r.refusal && (r.allowed || r.findings.empty()))
      out += "  (no policy matched)";
    out.append(p.reset).append("\n");
    for (const std::string& finding : r.findings) out += visible_block(finding, "    ");
    for (int pass = 1; pass <= 2; pass++) {  // in the order of events
      for (const ReviewChange& c : r.changes) {
        if (c.pass == pass) add_change(out, c, p);
      }
      for (const ReviewWebhook& w : r.webhooks) {
        if (w.mutating && w.pass == pass) add_webhook(out, w, p);
      }
    }
    for (const ReviewDoubt& doubt : r.doubts)
      out.append("  ")
          .append(p.yellow)
          .append("note")
          .append(p.reset)
          .append(": ")
          .append(visible(doubt.text))
          .append("\n");
    for (const ReviewFailure& f : r.failures) add_failure(out, f, p);
    for (const ReviewWebhook& w : r.webhooks) {
      if (!w.mutating) add_webhook(out, w, p);
    }
    for (const ReviewReach& n : r.not_applied) add_not_applied(out, n, p);
    if (r.refusal) add_refusal(out, *r.refusal, p);
    return out;
  }

  void finish(const Remainder& rest) override {
    const Counts& c = counts_;
    std::string out = plural(c.manifests, "manifest") + ": " + std::to_string(c.admitted) + " admitted, " +
                      std::to_string(c.warned) + " warned, " + std::to_string(c.denied) + " denied";
    if (c.refused > 0) out += ", " + std::to_string(c.refused) + " refused";
    out += "\n";
    if (c.unmatched > 0) out += plural(c.unmatched, "manifest") + " matched no policy\n";
    auto count = [&](std::string_view gate) {
      return static_cast<int>(
          std::ranges::count_if(rest.gates, [&](const GateFailure& f) { return f.gate == gate; }));
    };
    if (int n = count("fail-on-warn"); n > 0)
      out += "failed: " + plural(n, "manifest") + " warned (--fail-on-warn)\n";
    if (int n = count("require-match"); n > 0)
      out +=
          "failed: " + std::to_string(n) + (n == 1 ? " match" : " matches") + " missing (--require-match)\n";
    if (!rest.errors.empty())
      out += plural(static_cast<int>(rest.errors.size()), "error") + ": not everything could be read\n";
    to_.print(out);
  }

 private:
  static void add_refusal(std::string& out, const Refusal& r, const Paint& p) {
    out += message_text(Severity::Error, r.file->name, r.position, r.text, r.file->text, p, r.hint, "  ");
  }

  static void add_failure(std::string& out, const ReviewFailure& f, const Paint& p) {
    std::string action = f.denied ? "denied" : f.warned ? "warning" : f.audited ? "audit" : "ignored";
    std::string_view colour = f.denied ? p.red : p.yellow;
    out.append("  ").append(colour).append(action).append(p.reset).append(" by ").append(visible(f.policy));
    if (!f.binding.empty()) out += ", binding " + visible(f.binding);
    if (!f.param.empty()) out += ", param " + visible(f.param);
    if (f.validation >= 0) out += ", validation " + std::to_string(f.validation);
    if (f.mutation >= 0) out += ", mutation " + std::to_string(f.mutation);
    if (!f.policy_file.empty()) {
      out.append("  ").append(p.dim).append(visible(f.policy_file));
      if (f.position.line > 0) out += ":" + std::to_string(f.position.line);
      if (f.validation < 0 && f.position.line > 0) out += ":" + std::to_string(f.position.column);
      out.append(p.reset);
    }
    out += "\n" + visible_block(f.message, "    ");
    if (!f.source.empty()) out += point_at(f.source, f.position, "      | ");
    out += expression_text({.text = f.expression, .blame = f.blame, .values = f.values}, p);
    add_merge(out, f.merge);
    for (const ExplainedExpression& c : f.conditions)
      add_named(out, "match condition " + c.name, c, f.policy_file, p);
    for (const ExplainedExpression& v : f.variables)
      add_named(out, "variable " + v.name, v, f.policy_file, p);
    const UnusedMessage& m = f.unused_message;
    if (m.why.empty()) return;
    add_named(out, "messageExpression is not used: " + m.why, m, f.policy_file, p);
    for (const ExplainedExpression& v : m.variables)
      add_named(out, "variable " + v.name, v, f.policy_file, p);
  }

  static void add_merge(std::string& out, const ExplainedMerge& merge) {
    for (const patching::MergeStep& s : merge.steps)
      out.append("    merge ").append(visible(s.path)).append(": ").append(merge_words(s)).append("\n");
    if (merge.untold > 0) out += "    merge: " + std::to_string(merge.untold) + " more\n";
  }

  static void add_change(std::string& out, const ReviewChange& c, const Paint& p) {
    out.append(c.what.empty() ? "  mutated by " : "  not mutated by ").append(visible(c.policy));
    if (!c.binding.empty()) out += ", binding " + visible(c.binding);
    if (!c.param.empty()) out += ", param " + visible(c.param);
    if (c.mutation >= 0) out += ", mutation " + std::to_string(c.mutation);
    if (c.pass > 1) out += c.what.empty() || c.mutation >= 0 ? ", invoked again" : ", in the second pass";
    if (!c.why_again.empty()) out += " (" + visible(c.why_again) + ")";
    if (!c.what.empty()) out += ": " + visible(c.what);
    out.append("  ")
        .append(p.dim)
        .append(visible(place_text(c.file, c.position)))
        .append(p.reset)
        .append("\n");
    if (!c.value.empty()) out += visible_block(c.value, "    = ");
    add_merge(out, c.merge);
    add_differences(out, c.differences, p);
  }

  // "  mutated by webhook cut.example.com of m  hooks.yaml:3:5", and what it says or changed.
  static void add_webhook(std::string& out, const ReviewWebhook& w, const Paint& p) {
    const bool bad = w.outcome == "denied" || w.outcome == "failed";
    std::string_view verb = !w.patch.empty() && !bad ? "mutated by"
                            : w.outcome == "denied"  ? "denied by"
                            : w.outcome == "failed"  ? "failed at"
                            : w.outcome == "ignored" ? "ignored the failure of"
                            : w.outcome == "unknown" ? "not asked:"
                            : w.outcome == "allowed" ? "allowed by"
                                                     : "not called:";
    out.append("  ").append(bad ? p.red : w.outcome == "unknown" ? p.yellow : std::string_view());
    out.append(verb).append(p.reset).append(" webhook ").append(visible(w.webhook));
    out.append(" of ").append(visible(w.configuration));
    if (w.pass > 1) out += w.version.empty() ? ", in the second pass" : ", invoked again";
    const bool brief = w.outcome.starts_with("not") || w.outcome == "unknown";
    if (brief && !w.text.empty()) out += ": " + visible(w.text);
    out.append("  ")
        .append(p.dim)
        .append(visible(place_text(w.file, w.position)))
        .append(p.reset)
        .append("\n");
    if (!brief && !w.text.empty()) out += visible_block(w.text, "    ");
    add_differences(out, w.differences, p);
  }

  static void add_differences(std::string& out, std::span<const Difference> differences, const Paint& p) {
    size_t shown = std::min(differences.size(), kMostDifferences);
    for (const Difference& d : differences.first(shown)) {
      bool adds = d.operation == Difference::Operation::Add,
           removes = d.operation == Difference::Operation::Remove;
      out.append("    ").append(adds ? p.green : removes ? p.red : std::string_view());
      out.append(adds ? "+ " : removes ? "- " : "  ").append(visible(d.path)).append(": ");
      if (!adds) out += value_text(d.before, kDifferenceWidth);
      if (!adds && !removes) out += " -> ";
      if (!removes) out += value_text(d.after, kDifferenceWidth);
      if (adds || removes) out.append(p.reset);
      out += "\n";
    }
    if (size_t more = differences.size() - shown; more > 0)
      out += "    and " + std::to_string(more) + " more changes (-o json has all)\n";
  }

  static std::string merge_words(const patching::MergeStep& s) {
    std::string from = "[" + std::to_string(s.from) + "]", to = "[" + std::to_string(s.to) + "]";
    switch (s.kind) {
      case MergeKind::Meets: return "meets " + from + (s.from == s.to ? "" : ", now at " + to);
      case MergeKind::New: return "new, at " + to;
      case MergeKind::Replaces: return "takes the place of several like it, at " + to;
      case MergeKind::Whole: return "atomic, so it takes the place of the whole";
      case MergeKind::Kept: return "null or empty, so the object's value stays";
    }
    return {};
  }

  static void add_not_applied(std::string& out, const ReviewReach& n, const Paint& p) {
    out += "  ";
    if (!n.binding.empty()) out += "binding " + visible(n.binding) + " of ";
    if (n.stage == ReviewReach::Stage::MutatingPolicies) out += "mutating ";
    out += "policy " + visible(n.policy);
    if (!n.param.empty()) out += " with param " + visible(n.param);
    out.append(" did not apply: ").append(visible(n.why)).append("  ").append(p.dim);
    out.append(visible(place_text(n.file, n.position))).append(p.reset).append("\n");
    out += expression_text(n.condition, p);
  }

  // Adds another expression of a policy, with its own position.
  static void add_named(std::string& out, std::string_view heading, const ExplainedExpression& e,
                        std::string_view file, const Paint& p) {
    out.append("      ").append(visible(heading)).append("  ").append(p.dim);
    out.append(visible(place_text(file, e.position))).append(p.reset).append("\n");
    out += expression_text(e, p);
  }

  const bool quiet_;
  Destination& to_;
  std::string out_;  // of a part
  Counts counts_;
};

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
std::string whole_patch(const ReviewResult& r) { return json_patch_text(differences(r.before, r.after)); }

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
    for (const std::string& finding : r.findings) w.string(finding);
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
  if (!r.status.empty()) {
    w.key("status");
    w.raw(r.status);
  }
  w.key("verdict");
  w.string(verdict(r));
  write_warnings(w, r);
  write_webhooks(w, r.webhooks);
  w.end_object();
}

void write_counts(JsonWriter& w, const Counts& c) {
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

void write_gates(JsonWriter& w, std::span<const GateFailure> failures) {
  w.key("gates");
  w.begin_list();
  for (const GateFailure& f : failures) {
    w.begin_object();
    w.key("file");
    w.string(f.file);
    w.key("gate");
    w.string(f.gate);
    w.key("kind");
    w.string(f.kind);
    w.key("line");
    w.integer(f.line);
    w.key("name");
    w.string(f.name);
    w.key("text");
    w.string(f.text);
    w.end_object();
  }
  w.end_list();
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
    part_ += yaml_ ? as_yaml("[" + json + "]") : part_.empty() ? json : "," + json;
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
      to_.put(as_yaml(before) + (none ? "results: []\n" : "results:\n"));
    } else {
      before.pop_back();
      to_.put(before + ",\"results\":[");
    }
    if (!results_.each([&](std::string_view piece) { to_.put(piece); }))
      say(Severity::Error, {}, {}, "the results cannot be read back from a temporary file");
    to_.put(yaml_ ? as_yaml(after) : "]," + after.substr(1) + "\n");
  }

 private:
  static std::string as_yaml(const std::string& json) {
    Arena arena;
    auto value = read_json(json, arena);
    return value.ok() ? to_yaml(*value) : std::string();
  }

  const bool yaml_;
  Destination& to_;
  std::string part_;  // the results of a part: members of the list
  Spool results_;
  Counts counts_;
};

// Prints one AdmissionReview per line, as a webhook would answer.
class AdmissionReviewReporter final : public Reporter {
 public:
  explicit AdmissionReviewReporter(Destination& to) : to_(to) {}

  void add(const ReviewResult& r) override {
    std::string out;
    bool asked = r.object->kind == "AdmissionReview";
    std::string status = r.status.empty() ? status_json({.message = r.message}) : r.status;
    std::vector<std::string_view> warnings(r.warnings.begin(), r.warnings.end());
    std::vector<std::pair<std::string_view, std::string_view>> annotations(r.audit_annotations.begin(),
                                                                           r.audit_annotations.end());
    std::string patch = r.allowed && r.after.is(Kind::Map) ? whole_patch(r) : std::string();
    write_admission_review(out, {.api_version = asked ? r.object->api_version : std::string_view(),
                                 .uid = r.uid,
                                 .allowed = r.allowed,
                                 .status = status,
                                 .audit_annotations = annotations,
                                 .warnings = warnings,
                                 .patch = patch});
    out_ += out + "\n";
  }
  std::unique_ptr<Reporter> part() const override { return std::make_unique<AdmissionReviewReporter>(to_); }
  void take(Reporter& part) override { to_.put(static_cast<AdmissionReviewReporter&>(part).out_); }

  void finish(const Remainder&) override {}

 private:
  Destination& to_;
  std::string out_;  // of a part
};

}  // namespace

std::string full_name(const ReviewResult& r) {
  std::string name = r.name.empty() ? "(no name)" : r.name;
  return r.kind + " " + (r.namespace_name.empty() ? name : r.namespace_name + "/" + name);
}

std::unique_ptr<Reporter> Reporter::make(std::string_view format, bool quiet, Destination& to) {
  if (format == "text") return std::make_unique<TextReporter>(quiet, to);
  if (format == "admissionreview") return std::make_unique<AdmissionReviewReporter>(to);
  return std::make_unique<DataReporter>(format == "yaml", to);
}

std::string result_text(const ReviewResult& result, const Paint& paint) {
  return TextReporter::text(result, paint);
}

}  // namespace portcullis
