// See collector.h.
#include "cli/coverage/collector.h"

#include "admission/expressions/message_value.h"
#include "interpreter/formats/text.h"

namespace portcullis {
namespace {

// Counts the values of the nodes of one expression.
class NodeCounter final : public Watch {
 public:
  NodeCounter(const WatchedExpression& expression, std::vector<Outcomes>& counts)
      : slots_(expression.slots), counts_(counts.data() + expression.counter) {}
  void on_value(ExprId node, const Value& value) override {
    const auto at = static_cast<size_t>(node);
    if (node > 0 && at < slots_.size() && slots_[at] > 0) counts_[slots_[at]].add(value);
  }

 private:
  const std::vector<int32_t>& slots_;
  Outcomes* counts_;
};

const WatchedExpression* at(const std::vector<WatchedExpression>& list, int index) {
  const auto i = static_cast<size_t>(index);
  return index >= 0 && i < list.size() ? &list[i] : nullptr;
}

const WatchedExpression* find(const WatchedPolicy& policy, const ReviewTrace::Evaluated& e) {
  using Part = ReviewTrace::Part;
  switch (e.part) {
    case Part::MatchCondition: return at(policy.conditions, e.index);
    case Part::Validation: return at(policy.validations, e.index);
    case Part::Message: return at(policy.messages, e.index);
    case Part::Annotation: return at(policy.annotations, e.index);
    case Part::Mutation: return at(policy.mutations, e.index);
  }
  return nullptr;
}

// Whether the expression brought about what it is there for.
bool served(const ReviewTrace::Evaluated& e) {
  if (e.part == ReviewTrace::Part::Message) return unusable_message(e.value).empty();
  if (e.part == ReviewTrace::Part::Annotation)
    return e.value.is(Kind::String) && !trim_space(e.value.as_text()).empty();
  return e.passed;
}

void count(Outcomes& out, bool yes) { yes ? out.yes++ : out.no++; }

}  // namespace

const WatchedPolicy* CoverageCollector::policy_of(std::string_view name, bool mutating) const {
  const auto& policies = mutating ? plan_->mutating : plan_->validating;
  auto found = policies.find(name);
  return found == policies.end() ? nullptr : &found->second;
}

// A stage evaluates its expressions in order, so a lower index begins a new one.
void CoverageCollector::begin_stage(const Evaluated& e) {
  const bool same_policy = e.policy == policy_ && e.mutating == mutating_ && e.param == param_;
  const bool same = same_policy && e.part == part_ && e.index > index_;
  index_ = e.index;
  if (same) return;
  read_.clear();
  if (!same_policy || e.part == Part::Validation) failed_.clear();
  policy_ = e.policy;
  param_ = e.param;
  mutating_ = e.mutating;
  part_ = e.part;
}

void CoverageCollector::evaluated(const Evaluated& e, Replay& replay) {
  const WatchedPolicy* policy = policy_of(e.policy, e.mutating);
  const WatchedExpression* expression = policy == nullptr ? nullptr : find(*policy, e);
  if (expression == nullptr || expression->program == nullptr) return;
  begin_stage(e);
  if (e.part == Part::Message && !failed_.contains(e.index)) return;
  if (e.part == Part::Validation && e.error.empty() && !e.passed) failed_.insert(e.index);
  if (e.part != Part::Mutation) {
    Outcomes& whole = asked_[expression->counter];
    e.error.empty() ? count(whole, served(e)) : void(whole.error++);
  }
  run(*policy, *expression, replay);
}

void CoverageCollector::run(const WatchedPolicy& policy, const WatchedExpression& expression,
                            Replay& replay) {
  NodeCounter counter(expression, asked_);
  for (std::string_view name : replay.run(*expression.program, counter)) {
    if (!read_.emplace(name).second) continue;
    auto variable = policy.variables.find(name);
    if (variable == policy.variables.end() || variable->second.program == nullptr) continue;
    const Outcomes before = asked_[variable->second.counter + 1];
    run(policy, variable->second, replay);
    // The value of the variable is that of its first part.
    Outcomes seen = asked_[variable->second.counter + 1], &whole = asked_[variable->second.counter];
    whole.yes += seen.yes - before.yes;
    whole.no += seen.no - before.no;
    whole.empty += seen.empty - before.empty;
    whole.other += seen.other - before.other;
    whole.error += seen.error - before.error;
  }
}

void CoverageCollector::Rules::evaluated(const crd::EvaluatedRule& e, crd::RuleReplay& replay) {
  auto found = to.plan_->rules.find(&e.rule);
  if (found == to.plan_->rules.end()) return;
  const WatchedExpression& expression = e.message ? found->second.message : found->second.rule;
  if (expression.program == nullptr) return;
  Outcomes& whole = to.asked_[expression.counter];
  e.value.is_error() ? void(whole.error++)
                     : count(whole, e.message ? unusable_message(e.value).empty() : e.value.is_true());
  NodeCounter counter(expression, to.asked_);
  replay.run(*expression.program, counter);
}

void CoverageCollector::bound(const Bound& b) {
  const WatchedPolicy* policy = policy_of(b.policy, b.mutating);
  if (policy == nullptr) return;
  auto found = policy->bindings.find(b.binding);
  if (found == policy->bindings.end()) return;
  Outcomes& seen = asked_[found->second];
  b.has_params ? count(seen, b.params > 0) : void(seen.other++);
}

void CoverageCollector::add_failure(std::string_view policy, bool mutating, bool ignored) {
  if (const WatchedPolicy* found = policy_of(policy, mutating)) count(asked_[found->failures], ignored);
}

void CoverageCollector::end_request(bool has_verdict) {
  for (size_t i = 0; i < asked_.size(); i++) {
    if (has_verdict) counts_[i] += asked_[i];
    asked_[i] = {};
  }
}

void CoverageCollector::add(const Decision& decision) {
  using Kind = ValidationOutcome::Kind;
  for (const ValidationOutcome& o : decision.outcomes) {
    if (o.kind == Kind::Error || o.kind == Kind::ConfigError || o.kind == Kind::AnnotationError)
      add_failure(o.policy, false, o.ignored);
  }
}

void CoverageCollector::add(const Mutation& mutation) {
  using Kind = MutationOutcome::Kind;
  for (const MutationOutcome& o : mutation.outcomes) {
    const bool failed = o.kind == Kind::Error || o.kind == Kind::ConfigError;
    if (failed || (o.kind == Kind::ConditionsFalse && !o.message.empty()))
      add_failure(o.policy, true, o.ignored);
    const WatchedPolicy* policy = policy_of(o.policy, true);
    const WatchedExpression* expression = policy == nullptr ? nullptr : at(policy->mutations, o.mutation);
    if (expression == nullptr) continue;
    Outcomes& whole = asked_[expression->counter];
    if (failed) whole.error++;
    if (o.kind == Kind::Applied || o.kind == Kind::TestFailed) count(whole, o.changed);
  }
}

}  // namespace portcullis
