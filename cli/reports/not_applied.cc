// See not_applied.h.
#include "cli/reports/not_applied.h"

#include <algorithm>

#include "admission/engine/mismatch.h"
#include "cli/reports/failure_place.h"

namespace portcullis {
namespace {

NotApplied from_mismatch(const Mismatch& m, const ReviewCluster& cluster) {
  NotApplied out{.policy = std::string(m.policy), .binding = std::string(m.binding), .why = m.text};
  const InputObject* object = m.binding.empty() ? cluster.policy(m.policy) : cluster.binding(m.binding);
  if (object == nullptr) return out;
  out.file = object->file->name;
  out.position = object->locate(m.field.empty() ? "metadata.name" : m.field);
  return out;
}

// The match condition that excluded the request.
NotApplied from_condition(const ValidationOutcome& o, const ReviewCluster& cluster,
                          const FailureTrace& trace) {
  NotApplied out{.policy = std::string(o.policy), .param = std::string(o.param)};
  out.why = "the match conditions run out of cost budget, and failurePolicy is Ignore";
  const InputObject* policy = cluster.policy(o.policy);
  if (policy == nullptr) return out;
  out.file = policy->file->name;
  out.position = policy->locate("spec.matchConditions");
  const TracedFailure* decided = nullptr;  // the first that is false, else the first that fails
  for (const TracedFailure& t : trace.failures()) {
    if (t.part != ReviewTrace::Part::MatchCondition || t.mutating || t.policy != o.policy ||
        t.param != o.param)
      continue;
    if (decided == nullptr || (!decided->error.empty() && t.error.empty())) decided = &t;
  }
  if (decided == nullptr) return out;
  out.condition = placed(*decided, *policy, condition_path(decided->index));
  out.condition.name = condition_name(*policy, decided->index);
  out.position = out.condition.position;
  out.why = "match condition \"" + out.condition.name + "\" " +
            (decided->error.empty() ? "is false"
                                    : "fails to evaluate, and failurePolicy is Ignore: " + decided->error);
  return out;
}

}  // namespace

std::vector<NotApplied> not_applied(const Engine& engine, const AdmissionRequest& request,
                                    const Decision& decision, const ReviewCluster& cluster,
                                    const FailureTrace& trace) {
  std::vector<NotApplied> out;
  for (const Mismatch& m : mismatches(engine, request)) out.push_back(from_mismatch(m, cluster));
  for (const ValidationOutcome& o : decision.outcomes) {
    bool told =
        std::ranges::any_of(out, [&](const NotApplied& n) {  // conditions are the same for all bindings
          return !n.condition.name.empty() && n.policy == o.policy && n.param == o.param;
        });
    if (o.kind == ValidationOutcome::Kind::ConditionsFalse && !told)
      out.push_back(from_condition(o, cluster, trace));
  }
  for (const InputObject* policy : cluster.policies()) {
    if (is_mutating(*policy)) continue;
    bool bound = std::ranges::any_of(cluster.bindings(), [&](const InputObject* b) {
      const Value* name = find_path(b->value, "spec.policyName");
      return !is_mutating(*b) && name != nullptr && name->is(Kind::String) && name->as_text() == policy->name;
    });
    if (bound) continue;
    out.push_back({.policy = std::string(policy->name),
                   .why = "no binding names it",
                   .file = policy->file->name,
                   .position = policy->locate("metadata.name")});
  }
  std::ranges::stable_sort(out, [](const NotApplied& a, const NotApplied& b) {
    return std::tie(a.policy, a.binding, a.param) < std::tie(b.policy, b.binding, b.param);
  });
  return out;
}

}  // namespace portcullis
