// See failure_trace.h.
#include "cli/reports/failure_trace.h"

#include <algorithm>

#include "admission/expressions/message_value.h"

namespace portcullis {
namespace {

constexpr size_t kMostExplained = 100;  // rules of one object, each of which is compiled and evaluated again

// Whether the watched evaluation ended in an error.
bool ended_in_error(const NodeLog& log) {
  return !log.events().empty() && log.events().back().value.is_error();
}

// If the value is neither a boolean nor an error, all parts count.
void blame_all_of_data(Explanation& e) {
  if (!e.blamed.empty() || e.offset >= 0) return;
  e.blamed = e.parts;
  e.blamed_variables = e.variables;
  e.offset = e.whole;
}

// Why the message is not used. `log`: of its evaluation.
std::string message_problem(const ReviewTrace::Evaluated& e, const NodeLog& log) {
  if (e.error.empty()) return "it " + std::string(unusable_message(e.value));
  std::string_view error = ended_in_error(log) ? log.events().back().value.as_error().message : e.error;
  return "it fails to evaluate: " + std::string(error);
}

}  // namespace

// Messages are evaluated for every validation, but only count where it is false.
bool FailureTrace::wants_message(const Evaluated& e) const {
  const TracedFailure* validation = find(Part::Validation, e.policy, e.param, e.index);
  if (validation == nullptr || !validation->error.empty()) return false;
  return !e.error.empty() || !unusable_message(e.value).empty();
}

void FailureTrace::evaluated(const Evaluated& e, Replay& replay) {
  if (also_ != nullptr) also_->evaluated(e, replay);
  if (detail_ == Detail::Nothing) return;
  if (e.part == Part::Message ? !wants_message(e) : e.passed) return;
  // A false condition only matters to explanations. Several bindings may have one param.
  if (e.part == Part::MatchCondition && e.error.empty() && detail_ == Detail::Errors) return;
  if (find(e.part, e.policy, e.param, e.index, e.mutating) != nullptr) return;
  TracedFailure& failure = failures_.emplace_back();
  failure.part = e.part;
  failure.mutating = e.mutating;
  failure.policy = e.policy;
  failure.param = e.param;
  failure.index = e.index;
  failure.error = e.error;
  log_.clear();
  auto expression = replay.expression(log_);
  if (e.part == Part::Message) failure.error = message_problem(e, log_);
  if (expression == nullptr) return;
  Explanation explanation = explain_log(expression->ast(), log_);
  blame_all_of_data(explanation);
  add_variables(failure, explanation, replay);
  take(failure, *expression, explanation);
  failure.subject = resolved(std::move(explanation.subject), replay);
}

void FailureTrace::failed(size_t number, crd::RuleReplay& replay) {
  if (detail_ == Detail::Nothing || rules_.size() == kMostExplained) return;
  log_.clear();
  const ExpressionPtr expression = replay.explain(log_);
  if (expression == nullptr) return;
  TracedRule& rule = rules_.emplace_back();
  rule.number = number;
  Explanation explanation = explain_log(expression->ast(), log_);
  blame_all_of_data(explanation);
  take(rule, *expression, explanation);
}

const TracedRule* FailureTrace::rule(size_t number) const {
  const auto found = std::ranges::lower_bound(rules_, number, {}, &TracedRule::number);
  return found == rules_.end() || found->number != number ? nullptr : &*found;
}

std::string FailureTrace::resolved(std::string subject, Replay& replay) {
  constexpr std::string_view kObject = "object.", kVariables = "variables.";
  constexpr int kMostVariables = 8;  // that read one another
  for (int i = 0; i < kMostVariables && subject.starts_with(kVariables); i++) {
    std::string rest = subject.substr(kVariables.size());
    const size_t end = std::min(rest.find_first_of(".["), rest.size());
    log_.clear();
    auto variable = replay.variable(rest.substr(0, end), log_);
    if (!variable) return {};
    bool whole = false;
    subject = subject_of(variable->expression->ast(), whole);
    if (whole) subject += rest.substr(end);
  }
  return subject.starts_with(kObject) ? subject.substr(kObject.size()) : std::string();
}

void FailureTrace::add_variables(TracedFailure& failure, const Explanation& explanation, Replay& replay) {
  const auto& names = detail_ == Detail::All ? explanation.variables : explanation.blamed_variables;
  auto known = [&](std::string_view name) {
    return std::ranges::any_of(failure.variables,
                               [&](const ExplainedExpression& v) { return v.name == name; });
  };
  constexpr size_t kMostVariables =
      200;  // nobody reads more, and variables may read one another thousands deep
  for (const std::string& field : names) {
    if (failure.variables.size() == kMostVariables) return;
    if (known(field)) continue;
    log_.clear();
    auto variable = replay.variable(field, log_);
    if (!variable || known(variable->name) || (detail_ == Detail::Errors && !ended_in_error(log_))) continue;
    Explanation inner = explain_log(variable->expression->ast(), log_);
    blame_all_of_data(inner);
    ExplainedExpression& added = failure.variables.emplace_back();
    added.name = variable->name;
    take(added, *variable->expression, inner);
    add_variables(failure, inner, replay);
  }
}

void FailureTrace::take(ExplainedExpression& out, const Expression& expression,
                        Explanation& explanation) const {
  out.text = expression.text();
  out.blame = explanation.offset;
  if (detail_ == Detail::Blamed) out.values = std::move(explanation.blamed);
  if (detail_ == Detail::All) out.values = std::move(explanation.parts);
}

const TracedFailure* FailureTrace::find(Part part, std::string_view policy, std::string_view param, int index,
                                        bool mutating) const {
  auto found = std::ranges::find_if(failures_, [&](const TracedFailure& f) {
    return f.part == part && f.policy == policy && f.param == param && f.index == index &&
           f.mutating == mutating;
  });
  return found == failures_.end() ? nullptr : &*found;
}

}  // namespace portcullis
