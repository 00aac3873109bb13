#include "cli/reports/reached.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "admission/engine/loaded.h"
#include "admission/engine/reach.h"
#include "admission/engine/webhooks.h"
#include "cli/reports/failure_place.h"
#include "cli/reports/mutated.h"
#include "cli/reports/webhooks.h"

namespace portcullis {
namespace {

using Stage = ReviewReach::Stage;

constexpr std::string_view kRefusedBefore = "something before it refuses the request";

// The consequences of a validation for the request, the gravest first.
constexpr std::string_view kByGravity[] = {"denied", "failed", "warned", "audited", "ignored", "allowed"};

std::string_view graver(std::string_view a, std::string_view b) {
  for (std::string_view o : kByGravity) {
    if (a == o || b == o) return o;
  }
  return {};
}

std::string_view outcome_of(const ValidationOutcome& o) {
  using Kind = ValidationOutcome::Kind;
  if (o.kind == Kind::Passed) return "allowed";
  if (o.ignored) return "ignored";
  if (o.kind == Kind::ConfigError) return "failed";
  return o.denied ? "denied" : o.warned ? "warned" : o.audited ? "audited" : "ignored";
}

class Reading {
 public:
  explicit Reading(const Passage& passage) : p_(passage) {}

  std::vector<ReviewReach> all() {
    mutating_policies();
    webhooks(true, 1);
    mutated_again();
    webhooks(true, 2);
    validating_policies();
    webhooks(false, 1);
    return std::move(out_);
  }

  std::vector<ReviewReach> missed_policies() {
    mutating_policies();
    // `changes` has those that match conditions exclude.
    std::erase_if(out_, [](const ReviewReach& r) { return r.reached || !r.condition.text.empty(); });
    const size_t mutating = out_.size();
    validating_policies();
    out_.erase(std::remove_if(out_.begin() + static_cast<std::ptrdiff_t>(mutating), out_.end(),
                              [](const ReviewReach& r) { return r.reached; }),
               out_.end());
    return std::move(out_);
  }

 private:
  ReviewReach& add(Stage stage, std::string_view policy, std::string_view binding) {
    ReviewReach& r = out_.emplace_back();
    r.stage = stage;
    r.policy = policy;
    r.binding = binding;
    return r;
  }

  void place(ReviewReach& r, const InputObject* object, const std::string& field) const {
    if (object == nullptr) return;
    r.file = object->file->name;
    r.position = object->locate(field.empty() ? "metadata.name" : field);
  }

  ReviewReach& add(Stage stage, const Reach& reach) {
    const bool mutating = stage == Stage::MutatingPolicies;
    const bool of_policy = reach.binding.empty() || reach.kind == Reach::Kind::Matches;
    ReviewReach& r = add(stage, reach.policy, reach.binding);
    r.why = reach.text;
    place(r,
          of_policy ? p_.cluster.policy(reach.policy, mutating) : p_.cluster.binding(reach.binding, mutating),
          reach.field);
    return r;
  }

  // Policies that no binding names are not loaded.
  void unbound(Stage stage) {
    const bool mutating = stage == Stage::MutatingPolicies;
    for (const InputObject* policy : p_.cluster.policies()) {
      if (is_mutating(*policy) != mutating) continue;
      const bool bound = std::ranges::any_of(p_.cluster.bindings(),
                                             [&](const InputObject* b) { return binds(*b, *policy); });
      if (bound) continue;
      ReviewReach& r = add(stage, policy->name, {});
      r.why = "no binding names it";
      place(r, policy, {});
    }
  }

  void sort_from(size_t first) {
    std::ranges::stable_sort(out_.begin() + static_cast<std::ptrdiff_t>(first), out_.end(), {},
                             [](const ReviewReach& r) { return std::tie(r.policy, r.binding, r.param); });
  }

  // --- policies ---

  // Whether the first false match condition of this policy and param is told already; it counts for all bindings.
  bool told_condition(Stage stage, std::string_view policy, std::string_view param) const {
    return std::ranges::any_of(out_, [&](const ReviewReach& r) {
      return r.stage == stage && !r.reached && r.policy == policy && r.param == param && r.binding.empty();
    });
  }

  // The match condition that excludes the request.
  void add_condition(Stage stage, std::string_view name, std::string_view param) {
    if (told_condition(stage, name, param)) return;
    const bool mutating = stage == Stage::MutatingPolicies;
    ReviewReach& r = add(stage, name, {});
    r.param = param;
    r.why = "the match conditions run out of cost budget, and failurePolicy is Ignore";
    const InputObject* policy = p_.cluster.policy(name, mutating);
    if (policy == nullptr) return;
    place(r, policy, "spec.matchConditions");
    const TracedFailure* decided = deciding_condition(name, param, mutating);
    if (decided == nullptr) return;
    r.condition = placed(*decided, *policy, condition_path(decided->index));
    r.condition.name = condition_name(*policy, decided->index);
    r.position = r.condition.position;
    r.why = condition_text(*decided, r.condition.name);
  }

  // The first that is false, else the first that fails; null if there is none.
  const TracedFailure* deciding_condition(std::string_view policy, std::string_view param,
                                          bool mutating) const {
    const TracedFailure* decided = nullptr;
    for (const TracedFailure& t : p_.trace.failures()) {
      if (t.part != ReviewTrace::Part::MatchCondition || t.mutating != mutating || t.policy != policy ||
          t.param != param)
        continue;
      if (decided == nullptr || (!decided->error.empty() && t.error.empty())) decided = &t;
    }
    return decided;
  }
  static std::string condition_text(const TracedFailure& decided, std::string_view name) {
    return "match condition \"" + std::string(name) + "\" " +
           (decided.error.empty() ? "is false"
                                  : "fails to evaluate, and failurePolicy is Ignore: " + decided.error);
  }

  // Calls `tell` for each param that the binding was evaluated with, or once without one.
  template <class Outcome, class Tell>
  static void by_param(const Reach& reach, const std::vector<Outcome>& outcomes, Tell tell) {
    std::vector<std::string_view> params;
    for (const Outcome& o : outcomes) {
      if (o.policy != reach.policy || o.binding != reach.binding || std::ranges::count(params, o.param) > 0)
        continue;
      params.push_back(o.param);
      std::vector<const Outcome*> same;
      for (const Outcome& other : outcomes) {
        if (other.policy == o.policy && other.binding == o.binding && other.param == o.param)
          same.push_back(&other);
      }
      tell(o.param, same);
    }
    if (params.empty()) tell(std::string_view(), std::vector<const Outcome*>());
  }

  void validating_policies() {
    const size_t first = out_.size();
    const Stage stage = Stage::ValidatingPolicies;
    const std::vector<ValidationOutcome>& outcomes = p_.admission.decision.outcomes;
    for (const Reach& reach : policy_reach(p_.engine, p_.validated, false)) {
      if (reach.kind == Reach::Kind::Missed) {
        add(stage, reach);
        continue;
      }
      if (!p_.validates) {
        add(stage, reach).why = kRefusedBefore;
        continue;
      }
      by_param(reach, outcomes, [&](std::string_view param, const auto& same) {
        using Kind = ValidationOutcome::Kind;
        if (!same.empty() && same.front()->kind == Kind::ConditionsFalse)
          return add_condition(stage, reach.policy, param);
        ReviewReach& r = add(stage, reach);
        r.reached = true;
        r.param = param;
        for (const ValidationOutcome* o : same) r.outcome = graver(r.outcome, outcome_of(*o));
      });
    }
    unbound(stage);
    sort_from(first);
  }

  void mutating_policies() {
    const size_t first = out_.size();
    const Stage stage = Stage::MutatingPolicies;
    std::vector<MutationOutcome> outcomes;
    for (const MutationOutcome& o : p_.admission.mutation.outcomes) {
      if (o.pass == 1) outcomes.push_back(o);
    }
    for (const Reach& reach : policy_reach(p_.engine, p_.asked, true)) {
      if (reach.kind == Reach::Kind::Missed) {
        add(stage, reach);
        continue;
      }
      by_param(reach, outcomes, [&](std::string_view param, const auto& same) {
        if (same.empty()) {
          add(stage, reach).why = kRefusedBefore;
        } else if (same.front()->kind == MutationOutcome::Kind::ConditionsFalse) {
          add_condition(stage, reach.policy, param);
        } else {
          take_mutations(add(stage, reach), param, same);
        }
      });
    }
    unbound(stage);
    sort_from(first);
  }

  static void take_mutations(ReviewReach& r, std::string_view param,
                             const std::vector<const MutationOutcome*>& same) {
    using Kind = MutationOutcome::Kind;
    r.reached = true;
    r.param = param;
    r.outcome = "unchanged";
    for (const MutationOutcome* o : same) {
      const bool error = o->kind == Kind::Error || o->kind == Kind::ConfigError;
      if (error) r.outcome = o->ignored ? "ignored" : "failed";
      if (o->changed && r.outcome == "unchanged") r.outcome = "changed";
    }
  }

  // What the second pass runs again, in the order of events.
  void mutated_again() {
    const std::vector<MutationOutcome>& outcomes = p_.admission.mutation.outcomes;
    std::set<std::tuple<std::string_view, std::string_view, std::string_view>> told;
    for (const MutationOutcome& o : outcomes) {
      using Kind = MutationOutcome::Kind;
      if (o.pass == 1 || o.kind == Kind::NotAgain || o.kind == Kind::ConditionsFalse) continue;
      if (!told.emplace(o.policy, o.binding, o.param).second) continue;
      std::vector<const MutationOutcome*> same;
      for (const MutationOutcome& other : outcomes) {
        if (other.pass == 2 && other.policy == o.policy && other.binding == o.binding &&
            other.param == o.param)
          same.push_back(&other);
      }
      ReviewReach& r = add(Stage::MutatingPolicies, o.policy, o.binding);
      r.pass = 2;
      take_mutations(r, o.param, same);
      r.why = why_again(o);
      place(r, p_.cluster.policy(o.policy, true), {});
    }
  }

  // --- webhooks ---

  void webhooks(bool mutating, int pass) {
    using Kind = chain::WebhookOutcome::Kind;
    const Engine::Loaded& loaded = p_.engine.loaded();
    for (const LoadedWebhook& webhook : mutating ? loaded.mutating_webhooks : loaded.validating_webhooks) {
      const chain::WebhookOutcome* o = webhook_outcome_of(webhook, pass);
      const bool missed = o != nullptr && (o->kind == Kind::NotReached || o->kind == Kind::NotAgain);
      if (pass == 2 && (o == nullptr || missed)) continue;
      ReviewReach& r = out_.emplace_back();
      r.stage = mutating ? Stage::MutatingWebhooks : Stage::ValidatingWebhooks;
      r.configuration = webhook.configuration;
      r.webhook = webhook.name;
      r.pass = pass;
      if (o == nullptr) {
        const Misfit misfit = misfit_of(webhook);
        r.why = misfit.text.empty() ? kRefusedBefore : misfit.text;
        place(r, p_.cluster.configuration(webhook.configuration, mutating),
              "webhooks[" + std::to_string(webhook.index) + "]" +
                  (misfit.field.empty() ? "" : "." + misfit.field));
        continue;
      }
      const ReviewWebhook told = webhook_outcome(*o, p_.cluster);
      r.file = told.file;
      r.position = told.position;
      r.version = told.version;
      r.reached = !missed || told.outcome == "failed";
      if (r.reached) r.outcome = told.outcome == "allowed" && o->changed ? "changed" : told.outcome;
      r.why = told.text;
      if (o->kind == chain::WebhookOutcome::Kind::NotReached) add_condition(r, webhook);
    }
  }

  // Of a webhook that the chain did not come to.
  Misfit misfit_of(const LoadedWebhook& webhook) const {
    ReviewContext memory;
    WebhookMatcher matcher(p_.engine, memory);
    matcher.begin(p_.validated);
    return matcher.misfit(webhook);
  }

  const chain::WebhookOutcome* webhook_outcome_of(const LoadedWebhook& webhook, int pass) const {
    for (const chain::WebhookOutcome& o : p_.admission.webhooks) {
      if (o.mutating == webhook.mutating && o.pass == pass && o.index == webhook.index &&
          o.configuration == webhook.configuration)
        return &o;
    }
    return nullptr;
  }

  void add_condition(ReviewReach& r, const LoadedWebhook& webhook) const {
    const TracedFailure* decided = deciding_condition(webhook.uid, {}, webhook.mutating);
    const InputObject* file = p_.cluster.configuration(webhook.configuration, webhook.mutating);
    if (decided == nullptr || file == nullptr) return;
    const auto index = static_cast<size_t>(decided->index);
    r.condition = placed(*decided, *file,
                         "webhooks[" + std::to_string(webhook.index) + "].matchConditions[" +
                             std::to_string(index) + "].expression");
    r.condition.name = webhook.condition_names[index];
    r.position = r.condition.position;
    if (!r.reached) r.why = condition_text(*decided, r.condition.name);
  }

  const Passage& p_;
  std::vector<ReviewReach> out_;
};

}  // namespace

std::vector<ReviewReach> reached(const Passage& passage) { return Reading(passage).all(); }

std::vector<ReviewReach> not_applied(const Passage& passage) { return Reading(passage).missed_policies(); }

}  // namespace portcullis
