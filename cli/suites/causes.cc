// See causes.h.
#include "cli/suites/causes.h"

#include <algorithm>
#include <set>

#include "admission/expressions/expression_places.h"
#include "cli/messages/messages.h"
#include "cli/messages/visible.h"
#include "cli/reports/run_reporter.h"
#include "interpreter/cel.h"

namespace portcullis::suites {
namespace {

using TracePart = ReviewTrace::Part;

// The places of an expression; a mutation has one of two.
std::string path_of(TracePart part, int index, const InputObject& policy) {
  const auto at = static_cast<size_t>(index);
  switch (part) {
    case TracePart::MatchCondition: return expression_path(ExpressionRole::MatchCondition, at);
    case TracePart::Annotation: return expression_path(ExpressionRole::Annotation, at);
    case TracePart::Mutation: {
      std::string path = expression_path(ExpressionRole::ApplyConfiguration, at);
      return find_path(policy.value, path) != nullptr ? path : expression_path(ExpressionRole::JsonPatch, at);
    }
    default: return expression_path(ExpressionRole::Validation, at);
  }
}

bool speaks_of(const std::string& text, std::string_view what) {
  return !what.empty() && text.find(what) != text.npos;
}

// Whether a failure is what came in place of what is expected. `named`: the expectation names something that passed.
bool came_instead(const ReviewFailure& f, const Mismatch& m, const ReviewResult& result, bool named) {
  const bool speaks = speaks_of(m.expected, f.policy);
  if (m.member == "results") return speaks;
  if (m.member == "warnings") return !named && f.warned && speaks_of(m.actual, f.message);
  if (m.member != "allowed" && m.member != "denied") return false;
  if (!f.denied && !result.allowed) return false;
  const std::string validation = ", validation ";
  const bool fits = speaks && (!speaks_of(m.expected, validation) ||
                               speaks_of(m.expected, validation + std::to_string(f.validation)));
  return !named || fits;
}

}  // namespace

// Whether a validation that passed was expected to fail.
CauseTrace::Meant CauseTrace::meaning_of(const Evaluated& e) const {
  if (!e.passed || e.mutating || e.part != TracePart::Validation) return Meant::No;
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

bool CauseTrace::counts(const Evaluated& e, Meant meant) const {
  if (!e.error.empty()) return false;  // failures have it
  const bool false_condition = e.part == TracePart::MatchCondition && !e.passed;
  if (e.mutating) return expected_.mutation && (e.part == TracePart::Mutation || false_condition);
  return meant != Meant::No || false_condition ||
         (e.part == TracePart::Validation && e.passed && expected_.warnings.has_value()) ||
         (e.part == TracePart::Annotation && !expected_.annotations.empty());
}

void CauseTrace::evaluated(const Evaluated& e, Replay& replay) {
  const Meant meant = meaning_of(e);
  if (!counts(e, meant)) return;
  log_.clear();
  auto expression = replay.expression(log_);
  if (expression == nullptr) return;
  Explanation explanation = explain_log(expression->ast(), log_);
  Candidate& c = candidates_.emplace_back();
  c.part = e.part;
  c.policy = e.policy;
  c.param = e.param;
  c.index = e.index;
  c.mutating = e.mutating;
  c.meant = meant;
  c.expression.text = expression->text();
  c.expression.blame = e.part == TracePart::MatchCondition ? explanation.offset : -1;
  c.expression.values = std::move(explanation.parts);
}

const CauseTrace::Candidate* CauseTrace::first(TracePart part, bool mutating) const {
  auto found = std::ranges::find_if(
      candidates_, [&](const Candidate& c) { return c.part == part && c.mutating == mutating; });
  return found == candidates_.end() ? nullptr : &*found;
}

const CauseTrace::Candidate* CauseTrace::find(const Mismatch& m, const ReviewCluster& cluster) const {
  if (m.member == "allowed" || m.expected == "none" || m.expected == "no others")
    return nullptr;  // something came although nothing like it is expected
  if (m.member == "mutated") {
    const Candidate* mutation = first(TracePart::Mutation, true);
    return mutation != nullptr ? mutation : first(TracePart::MatchCondition, true);
  }
  // Those that fit, the best first: named by the expectation, said to fail, of a policy that it speaks of.
  auto weight = [&](const Candidate& c) {
    if (c.mutating || (m.member == "auditAnnotations") != (c.part == TracePart::Annotation)) return 0;
    const InputObject* policy = cluster.policy(c.policy);
    if (policy == nullptr) return 0;
    const Value* message =
        find_path(policy->value, "spec.validations[" + std::to_string(c.index) + "].message");
    const bool said = c.part == TracePart::Validation && message != nullptr && message->is(Kind::String) &&
                      speaks_of(m.expected, message->as_text());
    const bool denial = m.member == "denied" || m.member == "results";
    if (denial && c.part == TracePart::Validation && c.meant == Meant::No) return 0;
    return 1 + (c.part != TracePart::MatchCondition) + 2 * speaks_of(m.expected, c.policy) +
           4 * (denial && c.meant == Meant::ByName) + 8 * said;
  };
  const Candidate* best = nullptr;
  for (const Candidate& c : candidates_) {
    if (weight(c) > (best == nullptr ? 0 : weight(*best))) best = &c;
  }
  return best;
}

std::optional<outcomes::Finding> CauseTrace::cause(const Mismatch& m, const ReviewResult& result,
                                                   const ReviewCluster& cluster) const {
  if (result.object == nullptr) return std::nullopt;
  const Candidate* c = find(m, cluster);
  const bool named = c != nullptr && (c->meant == Meant::ByName || m.member == "warnings");
  auto came = std::ranges::find_if(result.failures,
                                   [&](const ReviewFailure& f) { return came_instead(f, m, result, named); });
  if (came != result.failures.end()) return finding_of(*came, *result.object);
  if (c == nullptr) return std::nullopt;
  ReviewFailure f;
  f.policy = c->policy;
  f.param = c->param;
  f.mutating = c->mutating;
  f.expression = c->expression.text;
  f.values = c->expression.values;
  f.blame = c->expression.blame;
  if (const InputObject* policy = cluster.policy(c->policy, c->mutating)) {
    f.policy_file = policy->file->name;
    f.position = policy->locate(path_of(c->part, c->index, *policy));
  }
  return finding_of(f, *result.object);
}

std::string CauseTrace::text(std::span<const Mismatch> mismatches, const ReviewCluster& cluster, bool denied,
                             const Paint& p) const {
  std::set<const Candidate*> shown;
  for (const Candidate& c : candidates_) {
    if (c.meant == Meant::ByName || (c.meant == Meant::Perhaps && !denied)) shown.insert(&c);
  }
  for (const Mismatch& m : mismatches) {
    const Candidate* c = m.member == "warnings" ? find(m, cluster) : nullptr;
    if (c != nullptr && c->part == TracePart::Validation) shown.insert(c);
  }
  std::string out;
  for (const Candidate& one : candidates_) {
    if (!shown.contains(&one)) continue;
    out += "  passed by " + visible(one.policy);
    if (!one.param.empty()) out += ", param " + visible(one.param);
    out += ", validation " + std::to_string(one.index);
    if (const InputObject* policy = cluster.policy(one.policy)) {
      out.append("  ").append(p.dim).append(visible(policy->file->name));
      out += ":" + std::to_string(policy->locate(path_of(one.part, one.index, *policy)).line);
      out.append(p.reset);
    }
    out += "\n" + expression_text(one.expression, p);
  }
  return out;
}

}  // namespace portcullis::suites
