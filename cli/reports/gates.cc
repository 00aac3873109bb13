// See gates.h.
#include "cli/reports/gates.h"

#include <set>
#include <utility>

#include "cli/messages/messages.h"

namespace portcullis {
namespace {

constexpr std::string_view kWarned = "fail-on-warn", kRefused = "fail-on-refused",
                           kAssumed = "fail-on-assumed", kIgnored = "fail-on-ignored",
                           kMatch = "require-match";

// The policies and webhooks whose errors failurePolicy ignored: "a, b".
std::string ignored_of(const ReviewResult& r) {
  std::set<std::string> names;
  for (const ReviewFailure& f : r.failures) {
    if (f.error && !f.denied && !f.warned && !f.audited) names.insert(f.policy);
  }
  for (const ReviewWebhook& w : r.webhooks) {
    if (w.outcome == "ignored") names.insert(w.webhook);
  }
  std::string out;
  for (const std::string& name : names) out.append(out.empty() ? "" : ", ").append(name);
  return out;
}

// A policy of either sort; policies of different sorts may share a name.
std::string sort_name(std::string_view policy, bool mutating) {
  return (mutating ? "mutating " : "validating ") + std::string(policy);
}

std::unordered_set<std::string> bound_policies(const ReviewCluster& cluster) {
  std::unordered_set<std::string> out;
  for (const InputObject* b : cluster.bindings()) out.insert(sort_name(bound_policy(*b), is_mutating(*b)));
  return out;
}

}  // namespace

std::string Gates::misuse() const {
  const std::string& match = options_.require_match;
  if (!match.empty() && match != "all" && match != "manifests" && match != "policies")
    return "--require-match=" + match + ": want all, manifests or policies";
  return {};
}

bool Gates::enough_policies(const ReviewCluster& cluster) const {
  if (options_.require_policies == 0) return true;
  auto bound = bound_policies(cluster);
  size_t count = 0;
  for (const InputObject* p : cluster.policies())
    count += bound.contains(sort_name(p->name, is_mutating(*p)));
  if (count >= options_.require_policies) return true;
  say(Severity::Error, {}, {},
      "--require-policies " + std::to_string(options_.require_policies) + ": " +
          (count == 0 ? "no policy with a binding is"
                      : "only " + std::to_string(count) +
                            (count == 1 ? " policy with a binding is" : " policies with a binding are")) +
          " loaded");
  return false;
}

void Gates::evaluated(const Evaluated& e, Replay&) {
  if (e.part != Part::MatchCondition) had_say(e.policy, e.mutating);
}

void Gates::had_say(std::string_view policy, bool mutating) {
  has_say_ = true;
  if (wants_match_of("policies")) counted_.heard.insert(sort_name(policy, mutating));
}

GateFailure& Gates::add_failure(std::string_view gate, const InputObject& o, std::string text) {
  GateFailure& out = counted_.failures.emplace_back();
  out.gate = gate;
  out.file = o.file->name;
  out.kind = o.kind;
  out.name = o.name;
  out.line = o.locate("").line;
  if (gate == kMatch) {
    const Position at = o.locate(o.name.empty() ? "" : "metadata.name");
    out.message = {.severity = Severity::Error,
                   .file = out.file,
                   .position = at,
                   .text = text + " (--require-match)",
                   .hint = {},
                   .source = {},
                   .once = {},
                   .excerpt = excerpt_at(o.file->text, at)};
  }
  out.text = std::move(text);
  return out;
}

void Gates::add(Counted other) {
  for (GateFailure& f : other.failures) {
    if (f.result) *f.result += counted_.results;
    counted_.failures.push_back(std::move(f));
  }
  counted_.refused |= other.refused;
  counted_.denied |= other.denied;
  counted_.missing_match |= other.missing_match;
  counted_.heard.merge(other.heard);
  counted_.results += other.results;
}

void Gates::add(const ReviewResult& result, bool asked) {
  for (const ReviewFailure& f : result.failures) had_say(f.policy, f.mutating);
  bool has_say = std::exchange(has_say_, false);
  const size_t number = counted_.results++;
  counted_.denied |= !result.allowed;
  std::string what = full_name(result);
  if (options_.fail_on_warn && result.allowed && !result.warnings.empty())
    add_failure(kWarned, *result.object, what + " is admitted with warnings").result = number;
  const auto fail_for = [&](bool wanted, Remark::About about, std::string_view gate, std::string_view words) {
    const auto found = std::ranges::find(result.remarks, about, &Remark::about);
    if (!wanted || found == result.remarks.end()) return;
    add_failure(gate, *result.object, what + std::string(words) + found->text).result = number;
  };
  fail_for(options_.fail_on_refused, Remark::About::Refused, kRefused,
           " is refused by the API server all the same: ");
  fail_for(options_.fail_on_assumed, Remark::About::Assumed, kAssumed, " is decided on an assumption: ");
  if (std::string names = options_.fail_on_ignored ? ignored_of(result) : ""; !names.empty())
    add_failure(kIgnored, *result.object, "an error is ignored for " + what + ": " + names).result = number;
  // Most policies are about what is made, so a deletion needs no match.
  if (!wants_match_of("manifests") || !asked || has_say || result.deleted) return;
  counted_.missing_match = true;
  std::string text = result.policies_matched == 0
                         ? "no policy matches " + what
                         : "policies match " + what +
                               ", but none applied: their bindings, params or match conditions excluded it";
  add_failure(kMatch, *result.object, std::move(text)).result = number;
}

void Gates::finish(const ReviewCluster& cluster) {
  if (!wants_match_of("policies")) return;
  auto bound = bound_policies(cluster);
  for (const InputObject* p : cluster.dropped()) {
    counted_.missing_match = true;
    const std::string name(p->name);
    add_failure(kMatch, *p,
                "the policy " + name + " is left out with its errors, so it applied to no manifest")
        .policy = p;
  }
  for (const InputObject* p : cluster.policies()) {
    std::string name(p->name), key = sort_name(name, is_mutating(*p));
    if (counted_.heard.contains(key)) continue;
    counted_.missing_match = true;
    add_failure(kMatch, *p,
                bound.contains(key) ? "the policy " + name + " applied to no manifest"
                                    : "the policy " + name + " has no binding, so it applied to no manifest")
        .policy = p;
  }
}

bool Gates::wanted() const {
  return options_.fail_on_warn || options_.fail_on_refused || options_.fail_on_assumed ||
         options_.fail_on_ignored || !options_.require_match.empty() || options_.require_policies > 0;
}

void Gates::say_failures() const {
  for (const GateFailure& f : counted_.failures) {
    if (f.gate == kMatch) say(f.message);
  }
}

int Gates::exit_status() const {
  if (counted_.refused || counted_.missing_match) return kNoVerdict;
  const bool failed = std::ranges::any_of(counted_.failures,
                                          [](const GateFailure& f) { return f.gate.starts_with(kFailOn); });
  return counted_.denied || failed ? kDenied : kAdmitted;
}

}  // namespace portcullis
