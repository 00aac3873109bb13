// What mutating policies make of a request: the answer of Engine::mutate.
//
// Idea: as Decision is for validating policies. The object is a value in the context's memory; whoever wants to know
// how it came about asks for outcomes, one for each thing that happened, in order.
// Source of behaviour: apiserver pkg/admission/plugin/policy/mutating, .../generic/policy_dispatcher.go,
// pkg/admission/reinvocation.go. Tested by tests/admission/mutation.
#pragma once

#include "admission/admission.h"
#include "admission/patching/merge_trace.h"

namespace portcullis {

// One thing that happened on the way, for people: a mutation, or an invocation (policy, binding, param) of which no
// mutation ran.
struct MutationOutcome {
  enum class Kind : uint8_t {
    Applied,          // the mutation was applied: `before`, `after`; `changed` if they differ
    TestFailed,       // an operation `test` did not hold, so nothing of this patch was applied
    NoObject,         // the request has no object to patch
    Error,            // the mutation (or, with mutation -1, the match conditions) failed
    ConfigError,      // the policy or binding could not be applied (params, paramKind, selectors)
    ConditionsFalse,  // match conditions left the invocation out
    NotAgain,         // the second pass left the invocation out: `why` says why
  };
  // Why an invocation runs in the second pass, or (NotAgain) does not.
  enum class Why : uint8_t {
    FirstPass,      // it is the first pass
    LaterChange,    // `by_policy` with `by_binding` changed the object after it had run
    SomethingRan,   // at the end of the first pass: some mutation ran, whatever it changed
    PolicyIsNever,  // reinvocationPolicy does not say IfNeeded
    DidNotRun,      // it did not run in the first pass: not matched, or left out by its conditions
    NothingNew,     // nothing changed since it ran
  };
  Kind kind = Kind::Applied;
  int pass = 1;                      // 1 or 2
  std::string_view policy, binding;  // binding is empty for errors of the policy itself
  std::string_view param;            // namespace/name of the param, empty if none
  int mutation = -1;                 // index in spec.mutations; -1: the whole invocation
  bool json_patch = false;           // patchType JSONPatch, else ApplyConfiguration
  GroupVersionKind as;               // the kind that the policy matched and the object was converted to
  std::string_view expression;       // of the mutation
  Value value;                       // what it gave: a list of JSONPatch, or an Object; null if it failed
  // The object of that kind, before and after the mutation: `after` as Kubernetes goes on with it, with defaults.
  // The same where nothing was applied.
  Value before, after;
  bool changed = false;
  // Of an ApplyConfiguration that was applied: what met what, if the context asks for it, and how many more steps there were.
  std::span<const patching::MergeStep> merge;
  size_t merge_untold = 0;
  uint64_t cost = 0;                 // of the expression, with the variables it forced
  std::string_view message, reason;  // of errors
  bool ignored = false;              // failurePolicy let the error pass
  bool at_once = false;              // the error refuses the request at once, whatever failurePolicy says
  Why why = Why::FirstPass;
  std::string_view by_policy, by_binding;  // see LaterChange
  // Where the cause of an error stands if that is no mutation: a field of the policy ("spec.matchConditions",
  // "spec.paramKind") or, with `of_binding`, of the binding ("spec.paramRef.name").
  std::string_view field;
  bool of_binding = false;
};

// Texts and values live in the ReviewContext until its next mutation; a review with it leaves them alone. Vectors
// keep their capacity.
struct Mutation {
  bool allowed = true;
  Status status;  // if not allowed
  // What the policies made of request.object, at the version of the request; the request's own object if they changed
  // nothing, null if they refuse the request. Parts of the request's object may be parts of it.
  Value object;
  bool changed = false;                   // `object` differs from request.object
  int passes = 0;                         // 1, or 2 if policies were invoked again; 0: no policy was asked
  std::vector<MutationOutcome> outcomes;  // filled if the context asks for them
  int policies_matched = 0, bindings_matched = 0;  // in the first pass
  void clear();
};

}  // namespace portcullis
