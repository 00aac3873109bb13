// See passed_trace.h.
#include "cli/suites/passed_trace.h"

#include <algorithm>

#include "cli/messages/messages.h"
#include "cli/messages/visible.h"
#include "interpreter/cel.h"

namespace portcullis::suites {

PassedTrace::Meant PassedTrace::meaning_of(const Evaluated& e) const {
  if (!e.passed || e.mutating || e.part != Part::Validation) return Meant::No;
  Meant out = Meant::No;
  if (expected_.allowed && !*expected_.allowed && expected_.denials.empty()) out = Meant::Perhaps;
  for (const ExpectedDenial& d : expected_.denials) {
    const bool fits = (!d.policy || *d.policy == e.policy) && (!d.validation || *d.validation == e.index) &&
                      (!d.param || *d.param == e.param);
    if (fits && (d.policy || d.validation)) return Meant::ByName;
    if (fits) out = Meant::Perhaps;
  }
  const bool fails = std::ranges::any_of(expected_.outcomes, [&](const ExpectedOutcome& o) {
    return o.policy == e.policy && o.does == ExpectedOutcome::Does::Fail;
  });
  return fails ? Meant::ByName : out;
}

void PassedTrace::evaluated(const Evaluated& e, Replay& replay) {
  const Meant meant = meaning_of(e);
  if (meant == Meant::No) return;
  log_.clear();
  auto expression = replay.expression(log_);
  if (expression == nullptr) return;
  Explanation explanation = explain_log(expression->ast(), log_);
  Passed& p = passed_.emplace_back();
  p.policy = e.policy;
  p.param = e.param;
  p.validation = e.index;
  p.named = meant == Meant::ByName;
  p.expression.text = expression->text();
  p.expression.values = std::move(explanation.parts);
}

std::string PassedTrace::text(const ReviewCluster& cluster, bool denied, const Paint& p) const {
  std::string out;
  for (const Passed& one : passed_) {
    if (denied && !one.named) continue;
    out += "  passed by " + visible(one.policy);
    if (!one.param.empty()) out += ", param " + visible(one.param);
    out += ", validation " + std::to_string(one.validation);
    if (const InputObject* policy = cluster.policy(one.policy)) {
      const std::string path = "spec.validations[" + std::to_string(one.validation) + "].expression";
      out.append("  ").append(p.dim).append(visible(policy->file->name));
      out += ":" + std::to_string(policy->locate(path).line);
      out.append(p.reset);
    }
    out += "\n" + expression_text(one.expression, p);
  }
  return out;
}

}  // namespace portcullis::suites
