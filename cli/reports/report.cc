// See report.h. The parts of a reporter make its text, on their threads; the reporter itself prints it.
#include "cli/reports/report.h"

#include <algorithm>

#include "cli/messages/messages.h"
#include "cli/messages/output.h"
#include "cli/messages/visible.h"
#include "cli/reports/data_report.h"
#include "cli/reports/result_counts.h"
#include "manifests/admission_review.h"
#include "manifests/place.h"
#include "manifests/status.h"

namespace portcullis {
namespace {

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
    out.append(verdict_of(r)).append(p.reset).append(10 - verdict_of(r).size(), ' ');
    out += visible(full_name(r));
    if (r.operation != "CREATE") out += " " + r.operation;
    std::string line = std::to_string(r.object->locate("").line);
    out.append("  ").append(p.dim).append(visible(r.object->file->name) + ":" + line);
    if (r.policies_matched + r.webhooks_reached == 0 && !r.refusal && (r.allowed || r.findings.empty()))
      out += "  (no policy matched)";
    out.append(p.reset).append("\n");
    add_findings(out, r, p);
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
    add_refusal(out, r, p);
    return out;
  }

  void finish(const Remainder& rest) override {
    const ResultCounts& c = counts_;
    std::string out = plural(c.manifests, "manifest") +
                      (c.deleted > 0 ? ", " + std::to_string(c.deleted) + " of them deleted" : "") + ": " +
                      std::to_string(c.admitted) + " admitted, " + std::to_string(c.warned) + " warned, " +
                      std::to_string(c.denied) + " denied";
    if (c.refused > 0) out += ", " + std::to_string(c.refused) + " refused";
    out += "\n";
    if (c.unmatched > 0) out += plural(c.unmatched, "manifest") + " matched no policy\n";
    auto count = [&](std::string_view gate) {
      return static_cast<int>(
          std::ranges::count_if(rest.gates, [&](const GateFailure& f) { return f.gate == gate; }));
    };
    constexpr std::pair<std::string_view, std::string_view> kFailing[] = {
        {"fail-on-warn", "warned"},
        {"fail-on-refused", "refused by the API server all the same"},
        {"fail-on-assumed", "decided on an assumption"},
        {"fail-on-ignored", "with an ignored error"}};
    for (const auto& [gate, words] : kFailing) {
      if (int n = count(gate); n > 0)
        out.append("failed: " + plural(n, "manifest") + " ")
            .append(words)
            .append(" (--")
            .append(gate)
            .append(")\n");
    }
    if (int n = count("require-match"); n > 0)
      out +=
          "failed: " + std::to_string(n) + (n == 1 ? " match" : " matches") + " missing (--require-match)\n";
    if (!rest.errors.empty())
      out += plural(static_cast<int>(rest.errors.size()), "error") + ": not everything could be read\n";
    to_.print(out);
  }

 private:
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
    if (!f.hint.empty()) out += visible_block(f.hint, "    hint: ");
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
  ResultCounts counts_;
};

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

void add_findings(std::string& out, const ReviewResult& r, const Paint& p) {
  const SourceFile& file = *r.object->file;
  for (const ServerFinding& f : r.findings) {
    const Severity severity = f.is_warning ? Severity::Warning : Severity::Error;
    out += message_text(severity, file.name, f.position, f.text, file.text, p, f.hint, "  ");
    if (f.rule && !f.rule->values.empty())
      out +=
          expression_text({.text = f.rule->expression, .blame = f.rule->blame, .values = f.rule->values}, p);
  }
}

void add_refusal(std::string& out, const ReviewResult& result, const Paint& p) {
  if (!result.refusal) return;
  const Refusal& r = *result.refusal;
  out += message_text(Severity::Error, r.file->name, r.position, r.text, r.file->text, p, r.hint, "  ");
}

std::string full_name(const ReviewResult& r) {
  std::string name = r.name.empty() ? "(no name)" : r.name;
  return r.kind + " " + (r.namespace_name.empty() ? name : r.namespace_name + "/" + name);
}

std::string whole_patch(const ReviewResult& r) { return json_patch_text(differences(r.before, r.after)); }

std::unique_ptr<Reporter> Reporter::make(std::string_view format, bool quiet, Destination& to) {
  if (format == "text") return std::make_unique<TextReporter>(quiet, to);
  if (format == "admissionreview") return std::make_unique<AdmissionReviewReporter>(to);
  return data_reporter(format == "yaml", to);
}

std::string result_text(const ReviewResult& result, const Paint& paint) {
  return TextReporter::text(result, paint);
}

}  // namespace portcullis
