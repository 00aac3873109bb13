// See gates.h.
#include "cli/reports/gates.h"

#include <utility>

#include "cli/messages/messages.h"

namespace portcullis {
namespace {

constexpr std::string_view kWarned = "fail-on-warn", kMatch = "require-match";

std::string_view bound_policy(const InputObject& binding) {
  const Value* spec = find_member(binding.value, "spec");
  return spec != nullptr ? text_member(*spec, "policyName") : std::string_view();
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
  if (wants_match_of("policies")) heard_.insert(sort_name(policy, mutating));
}

void Gates::add_failure(std::string_view gate, const InputObject& object, std::string text) {
  failures_.push_back({gate, &object, std::move(text)});
}

void Gates::add(const ReviewResult& result, bool asked) {
  for (const ReviewFailure& f : result.failures) had_say(f.policy, f.mutating);
  bool has_say = std::exchange(has_say_, false);
  denied_ |= !result.allowed;
  std::string what = full_name(result);
  if (options_.fail_on_warn && result.allowed && !result.warnings.empty())
    add_failure(kWarned, *result.object, what + " is admitted with warnings");
  if (!wants_match_of("manifests") || !asked || has_say) return;
  missing_match_ = true;
  std::string text = result.policies_matched == 0
                         ? "no policy matches " + what
                         : "policies match " + what +
                               ", but none applied: their bindings, params or match conditions excluded it";
  add_failure(kMatch, *result.object, text);
}

void Gates::finish(const ReviewCluster& cluster) {
  if (!wants_match_of("policies")) return;
  auto bound = bound_policies(cluster);
  for (const InputObject* p : cluster.policies()) {
    std::string name(p->name), key = sort_name(name, is_mutating(*p));
    if (heard_.contains(key)) continue;
    missing_match_ = true;
    add_failure(kMatch, *p,
                bound.contains(key) ? "the policy " + name + " applied to no manifest"
                                    : "the policy " + name + " has no binding, so it applied to no manifest");
  }
}

bool Gates::wanted() const {
  return options_.fail_on_warn || !options_.require_match.empty() || options_.require_policies > 0;
}

void Gates::say_failures() const {
  for (const GateFailure& f : failures_) {
    if (f.gate != kMatch) continue;
    const InputObject& o = *f.object;
    say(Severity::Error, o.file->name, o.locate(o.name.empty() ? "" : "metadata.name"),
        f.text + " (--require-match)", o.file->text);
  }
}

int Gates::exit_status() const {
  if (refused_ || missing_match_) return kNoVerdict;
  bool warned = false;
  for (const GateFailure& f : failures_) warned |= f.gate == kWarned;
  return denied_ || warned ? kDenied : kAdmitted;
}

}  // namespace portcullis
