#include "cli/reports/mutated.h"

#include "cli/reports/explain.h"
#include "cli/reports/failure_place.h"
#include "cli/reports/patch_hints.h"

namespace portcullis {
namespace {

using Happened = MutationOutcome::Kind;
using Why = MutationOutcome::Why;

constexpr size_t kMostOfValue = 400;  // of the value of an expression

// Why an invocation changed nothing; empty if it did, or failed.
std::string_view what_of(const MutationOutcome& o) {
  switch (o.kind) {
    case Happened::Applied: return o.changed ? "" : "the object already has these values";
    case Happened::TestFailed: return "a test of its patch does not hold, so nothing of the patch is applied";
    case Happened::NoObject: return "the request has no object";
    case Happened::ConditionsFalse: return "its match conditions exclude it";
    case Happened::NotAgain:
      switch (o.why) {
        case Why::PolicyIsNever: return "its reinvocationPolicy is Never";
        case Why::DidNotRun: return "it did not run in the first pass";
        default: return "nothing changed since it ran";
      }
    default: return "";
  }
}

ReviewChange change_of(const MutationOutcome& o, const ReviewCluster& cluster, bool explain) {
  ReviewChange out;
  out.policy = o.policy;
  out.binding = o.binding;
  out.param = o.param;
  out.mutation = o.mutation;
  out.pass = o.pass;
  if (const InputObject* policy = cluster.policy(o.policy, true)) {
    out.file = policy->file->name;
    out.position = policy->locate(o.mutation >= 0 ? mutation_path(o) : "metadata.name");
  }
  out.what = what_of(o);
  if (out.what.empty()) out.differences = differences(o.before, o.after);
  if (!explain) return out;
  out.why_again = why_again(o);
  out.merge = {o.merge, o.merge_untold};
  if (o.mutation >= 0 && !o.value.is_null()) out.value = value_text(o.value, kMostOfValue);
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
  f.hint = patch_hint(o.message, o.before);
  f.reason = o.reason;
  f.denied = !o.ignored;
  f.error = true;
  f.merge = {o.merge, o.merge_untold};
  place_failure(f, o, cluster, trace);
  return f;
}

}  // namespace

std::string why_again(const MutationOutcome& o) {
  if (o.pass < 2 || o.kind == Happened::NotAgain) return {};
  if (o.why == Why::SomethingRan) return "mutations ran in the first pass";
  if (o.why != Why::LaterChange) return {};
  return std::string(o.by_policy) + ", binding " + std::string(o.by_binding) +
         ", changed the object after it";
}

void add_mutation(ReviewResult& result, const Mutation& mutation, const Value& seen,
                  const ReviewCluster& cluster, const FailureTrace& trace, bool explain) {
  for (const MutationOutcome& o : mutation.outcomes) {
    if (o.kind == Happened::Error || o.kind == Happened::ConfigError) {
      result.failures.push_back(failure_of(o, cluster, trace));
    } else if (explain || (o.kind == Happened::Applied && o.changed)) {
      result.changes.push_back(change_of(o, cluster, explain));
    }
  }
  if (mutation.allowed && mutation.changed) {
    result.before = seen;
    result.after = mutation.object;
  }
}

}  // namespace portcullis
