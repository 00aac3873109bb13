// `portcullis who`: what a request meets on its way through the admission chain, and why it misses the rest; with
// --policy the reverse, what of many manifests one policy or webhook reaches.
//
// Idea: a review with its own reporter, so that a policy is reached exactly if the review asks it. The verdict does not
// matter here, so a denial is no failure. Tested by tests/cli/who.txt.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "admission/scalars/spelling.h"
#include "cli/commands.h"
#include "cli/commands/no_verdict.h"
#include "cli/messages/errors.h"
#include "cli/messages/messages.h"
#include "cli/messages/output.h"
#include "cli/messages/visible.h"
#include "cli/reports/members.h"
#include "cli/reports/report.h"

namespace portcullis {
namespace {

using Stage = ReviewReach::Stage;

constexpr std::string_view kNotAsked =
    "mutating webhooks are not asked, so everything after them is matched with the object without their "
    "patches";

struct StageName {
  std::string_view text, member;
};
StageName stage_name(Stage stage) {
  switch (stage) {
    case Stage::MutatingPolicies: return {"mutating policies", "mutatingPolicies"};
    case Stage::MutatingWebhooks: return {"mutating webhooks", "mutatingWebhooks"};
    case Stage::ValidatingPolicies: return {"validating policies", "validatingPolicies"};
    case Stage::ValidatingWebhooks: return {"validating webhooks", "validatingWebhooks"};
  }
  return {};
}

bool is_webhook(const ReviewReach& r) { return !r.webhook.empty(); }

// "label, binding all, param shop/limits", or "cut.example.com of m".
std::string policy_name(const ReviewReach& r) {
  if (is_webhook(r)) return visible(r.webhook) + " of " + visible(r.configuration);
  std::string out = visible(r.policy);
  if (!r.binding.empty()) out += ", binding " + visible(r.binding);
  if (!r.param.empty()) out += ", param " + visible(r.param);
  return out;
}

std::string_view words_of(std::string_view outcome) {
  if (outcome == "allowed") return "allows it";
  if (outcome == "denied") return "denies it";
  if (outcome == "failed") return "fails, which refuses it";
  if (outcome == "ignored") return "fails, which failurePolicy ignores";
  if (outcome == "warned") return "warns";
  if (outcome == "audited") return "notes it for the audit";
  if (outcome == "changed") return "changes the object";
  if (outcome == "unchanged") return "changes nothing";
  if (outcome == "unknown") return "nobody asks it";
  return {};
}

bool names(const ReviewReach& r, std::string_view name) {
  return name.empty() || r.policy == name || r.configuration == name || r.webhook == name;
}

bool has_unknown_changes(const ReviewResult& result) {
  return std::ranges::any_of(result.reached, [](const ReviewReach& r) {
    return r.stage == Stage::MutatingWebhooks && r.outcome == "unknown";
  });
}

class WhoReporter final : public Reporter {
 public:
  explicit WhoReporter(const WhoOptions& options) : options_(options) {}

  // That nothing has the name of --policy; empty if something has.
  std::string name_problem() const {
    if (options_.policy.empty() || found_ || results_ == 0) return {};
    const std::vector<std::string> known(known_.begin(), known_.end());
    const std::string_view meant = nearest(options_.policy, known);
    return "--policy: no policy, webhook configuration or webhook is named " + quote_json(options_.policy) +
           (meant.empty() ? "" : "; did you mean " + std::string(meant) + "?");
  }

  void add(const ReviewResult& given) override {
    ReviewResult r = given;
    if (!r.refusal) {
      results_++;
      for (const ReviewReach& reach : r.reached)
        known_.insert({reach.policy, reach.configuration, reach.webhook});
      known_.erase("");  // of what has no such name
      const bool doubtful = has_unknown_changes(r);
      std::erase_if(r.reached, [&](const ReviewReach& reach) { return !names(reach, options_.policy); });
      found_ |= !r.reached.empty();
      reaching_ += std::ranges::any_of(r.reached, &ReviewReach::reached);
      json() ? write(r, doubtful) : print(options_.policy.empty() ? text(r, doubtful) : line(r));
      return;
    }
    refused_++;
    json() ? write(r, false) : print(text(r, false));
  }

  void finish(const Remainder& rest) override {
    if (!json()) return print(summary());
    std::string all;
    JsonWriter w(all);
    w.begin_object();
    std::vector<SaidError> errors(rest.errors.begin(), rest.errors.end());
    if (std::string problem = name_problem(); !problem.empty())
      errors.push_back({.text = std::move(problem)});
    write_errors(w, errors);
    write_left_out(w, rest.left_out);
    write_not_evaluated(w, rest.not_evaluated);
    w.raw("results", "[" + out_ + "]");
    w.end_object();
    put(all + "\n");
  }
  void give_up(const Remainder& rest) override {
    if (json()) finish(rest);
  }

 private:
  bool json() const { return options_.output == "json"; }

  // --- text ---

  static std::string heading(const ReviewResult& r, const Paint& p) {
    std::string out = visible(portcullis::full_name(r)) + "  " + r.operation + " of " + visible(r.resource);
    const std::string line = std::to_string(r.object->locate("").line);
    out.append("  ").append(p.dim).append(visible(r.object->file->name) + ":" + line).append(p.reset);
    return out + "\n";
  }

  std::string text(const ReviewResult& r, bool doubtful) const {
    const Paint& p = paint(colour_out());
    std::string out = heading(r, p);
    add_refusal(out, r, p);
    add_findings(out, r, p);
    const ReviewReach* before = nullptr;
    for (const ReviewReach& reach : r.reached) {
      if (options_.quiet && !reach.reached) continue;
      if (before == nullptr || before->stage != reach.stage || before->pass != reach.pass) {
        out.append("  ").append(stage_name(reach.stage).text);
        out += reach.pass > 1 ? ", second pass\n" : "\n";
      }
      before = &reach;
      add_reach(out, reach, p);
    }
    if (before == nullptr && !r.refusal) out += "  nothing\n";
    if (doubtful)
      out.append("  ").append(p.yellow).append("note").append(p.reset).append(": ").append(kNotAsked) += "\n";
    return out;
  }

  static void add_reach(std::string& out, const ReviewReach& r, const Paint& p) {
    out.append("    ").append(r.reached ? p.green : p.dim).append(r.reached ? "reached" : "missed ");
    out.append(p.reset).append("  ").append(policy_name(r));
    if (!r.version.empty()) out += ", AdmissionReview " + r.version;
    if (std::string_view words = words_of(r.outcome); !words.empty()) out.append(" (").append(words) += ")";
    const bool told = r.outcome == "unknown" || r.why.empty();
    if (!told) out += ": " + visible(r.why);
    out.append("  ").append(p.dim).append(visible(place_text(r.file, r.position))).append(p.reset) += "\n";
    out += expression_text(r.condition, p);
  }

  // --policy: one line for each manifest.
  std::string line(const ReviewResult& r) const {
    const Paint& p = paint(colour_out());
    const bool reached = std::ranges::any_of(r.reached, &ReviewReach::reached);
    if (r.reached.empty() || (!reached && options_.quiet)) return {};
    std::string out(reached ? p.green : p.dim);
    out.append(reached ? "reached" : "missed ").append(p.reset).append("  ");
    std::string head = heading(r, p);
    head.pop_back();
    out += head + "  ";
    std::string why;
    for (const ReviewReach& reach : r.reached) {
      if (reach.reached != reached) continue;
      if (!why.empty()) why += "; ";
      if (reached) {
        why += policy_name(reach);
        if (std::string_view words = words_of(reach.outcome); !words.empty()) why.append(": ").append(words);
      } else {
        why += (reach.binding.empty() ? "" : "binding " + visible(reach.binding) + ": ") + visible(reach.why);
      }
    }
    return out + why + "\n";
  }

  std::string summary() const {
    auto reach = [](int n, std::string_view what) {
      return std::to_string(n) + (n == 1 ? " reaches " : " reach ") + std::string(what);
    };
    auto manifests = [](int n) { return std::to_string(n) + (n == 1 ? " manifest" : " manifests"); };
    std::string out;
    if (options_.policy.empty()) {
      out = manifests(results_ + refused_) + ": " + reach(reaching_, "something") + ", " +
            reach(results_ - reaching_, "nothing");
    } else if (!name_problem().empty()) {
      return {};
    } else {
      out = visible(options_.policy) + " reaches " + std::to_string(reaching_) + " of " +
            manifests(results_ + refused_);
    }
    if (refused_ > 0) out += ", " + std::to_string(refused_) + " refused";
    return out + "\n";
  }

  // --- JSON ---

  void write(const ReviewResult& r, bool doubtful) {
    std::string one;
    JsonWriter w(one);
    w.begin_object();
    w.member("apiVersion", r.api_version);
    w.member("document", r.object->document->index);
    if (doubtful) w.optional("doubt", kNotAsked);
    write_refusal(w, r);
    write_object(w, r);
    w.member("operation", r.operation);
    w.optional("path", r.object->path);
    w.list("reached", r.reached, [&](const ReviewReach& reach) { write_reach(w, reach); });
    w.member("resource", r.resource);
    w.end_object();
    out_ += (out_.empty() ? "" : ",") + one;
  }

  static void write_reach(JsonWriter& w, const ReviewReach& r) {
    w.optional("binding", r.binding);
    w.optional("column", r.position.column);
    w.optional("condition", r.condition.name);
    w.optional("configuration", r.configuration);
    w.optional("expression", r.condition.text);
    w.optional("file", r.file);
    w.optional("line", r.position.line);
    w.optional("outcome", r.outcome);
    w.optional("param", r.param);
    w.member("pass", r.pass);
    w.optional("policy", r.policy);
    w.member("reached", r.reached);
    w.optional("stage", stage_name(r.stage).member);
    write_values(w, r.condition.values);
    w.optional("version", r.version);
    w.optional("webhook", r.webhook);
    w.optional("why", r.why);
  }

  const WhoOptions& options_;
  std::string out_;  // the results as JSON
  int results_ = 0, reaching_ = 0, refused_ = 0;
  bool found_ = false;
  std::set<std::string> known_;
};

}  // namespace

int who(const WhoOptions& options) {
  WhoOptions reaching = options;
  reaching.reach = true;
  WhoReporter reporter(reaching);
  const int status = review(reaching, reporter);
  if (std::string problem = reporter.name_problem(); !problem.empty()) return no_verdict(problem);
  return status == kDenied ? kAdmitted : status;
}

}  // namespace portcullis
