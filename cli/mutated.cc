#include "cli/mutated.h"

#include "cli/failure_place.h"

namespace portcullis {
namespace {

using Happened = MutationOutcome::Kind;

ReviewChange change_of(const MutationOutcome& o, const ReviewCluster& cluster) {
  ReviewChange out{
      std::string(o.policy), std::string(o.binding), std::string(o.param), o.mutation, o.pass, {}, {}, {}};
  if (const InputObject* policy = cluster.policy(o.policy, true)) {
    out.file = policy->file->name;
    out.position = policy->locate(mutation_path(o));
  }
  out.differences = differences(o.before, o.after);
  return out;
}

ReviewFailure failure_of(const MutationOutcome& o, const ReviewCluster& cluster, const FailureTrace& trace) {
  ReviewFailure f;
  f.policy = o.policy;
  f.binding = o.binding;
  f.param = o.param;
  f.mutating = true;
  f.mutation = o.mutation;
  f.expression = o.expression;
  f.message = o.message;
  f.reason = o.reason;
  f.denied = !o.ignored;
  f.error = true;
  place_failure(f, o, cluster, trace);
  return f;
}

}  // namespace

void add_mutation(ReviewResult& result, const Mutation& mutation, const Value& seen,
                  const ReviewCluster& cluster, const FailureTrace& trace) {
  for (const MutationOutcome& o : mutation.outcomes) {
    if (o.kind == Happened::Applied && o.changed) result.changes.push_back(change_of(o, cluster));
    if (o.kind == Happened::Error || o.kind == Happened::ConfigError)
      result.failures.push_back(failure_of(o, cluster, trace));
  }
  if (mutation.allowed && mutation.changed) {
    result.before = seen;
    result.after = mutation.object;
  }
}

}  // namespace portcullis
