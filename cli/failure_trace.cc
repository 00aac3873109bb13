// See failure_trace.h.
#include "cli/failure_trace.h"

#include <algorithm>

namespace portcullis {
namespace {

// Did the evaluation that was watched end in an error?
bool failed(const NodeLog& log) { return !log.events().empty() && log.events().back().value.is_error(); }

}  // namespace

void FailureTrace::evaluated(const Evaluated& e, Replay& replay) {
  if (e.part != Part::MatchCondition) gates_.had_say(e.policy);
  if (e.passed || e.part == Part::Message) return;
  TracedFailure& failure = failures_.emplace_back();
  failure.part = e.part;
  failure.policy = e.policy;
  failure.param = e.param;
  failure.index = e.index;
  failure.error = e.error;
  log_.clear();
  replay.expression(log_);
  Explanation explanation = explain_log(e.expression->ast(), log_);
  add_variables(failure, explanation, replay);
  take(failure, *e.expression, explanation);
}

void FailureTrace::add_variables(TracedFailure& failure, const Explanation& explanation, Replay& replay) {
  const auto& names = detail_ == Detail::All ? explanation.variables : explanation.blamed_variables;
  auto known = [&](std::string_view name) {
    return std::ranges::any_of(failure.variables,
                               [&](const ExplainedExpression& v) { return v.name == name; });
  };
  for (const std::string& field : names) {
    if (known(field)) continue;
    log_.clear();
    auto variable = replay.variable(field, log_);
    if (!variable || known(variable->name) || (detail_ == Detail::Errors && !failed(log_))) continue;
    Explanation inner = explain_log(variable->expression->ast(), log_);
    if (inner.blamed.empty()) {  // neither true, false nor an error: all of it counts
      inner.blamed = inner.parts;
      inner.blamed_variables = inner.variables;
      inner.offset = inner.whole;
    }
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

const TracedFailure* FailureTrace::find(Part part, std::string_view policy, std::string_view param,
                                        int index) const {
  auto found = std::ranges::find_if(failures_, [&](const TracedFailure& f) {
    return f.part == part && f.policy == policy && f.param == param && f.index == index;
  });
  return found == failures_.end() ? nullptr : &*found;
}

}  // namespace portcullis
