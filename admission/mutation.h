// The answer of Engine::mutate: the object that mutating policies produce from that of a request.
//
// Idea: a Mutation is to mutating policies what a Decision is to validating ones. The object is a value in
// the memory of the context. Outcomes, if the context asks for them, list what happened, in order.
// Source of behaviour: apiserver pkg/admission/plugin/policy/mutating, .../generic/policy_dispatcher.go,
// pkg/admission/reinvocation.go. Tested by tests/admission/mutation.
#pragma once

#include "admission/admission.h"
#include "admission/patching/merge_trace.h"

namespace portcullis {

// One event of a mutation, for explanations: a mutation that ran, or an invocation (policy, binding, param)
// that ran no mutation.
struct MutationOutcome {
  enum class Kind : uint8_t {
    Applied,          // the mutation was applied: `before`, `after`; `changed` if they differ
    TestFailed,       // a `test` operation failed, so the whole patch has no effect
    NoObject,         // the request has no object to patch
    Error,            // the mutation failed or, if `mutation` is -1, the match conditions
    ConfigError,      // the policy or binding could not be applied (params, paramKind, selectors)
    ConditionsFalse,  // match conditions excluded the invocation
    NotAgain,         // the second pass skipped the invocation for the reason `why`
  };
  // Why the second pass runs or (NotAgain) skips an invocation.
  enum class Why : uint8_t {
    FirstPass,      // this is the first pass
    LaterChange,    // `by_policy` with `by_binding` changed the object after it had run
    SomethingRan,   // at the end of the first pass: some mutation ran, even without effect
    PolicyIsNever,  // reinvocationPolicy is not IfNeeded
    DidNotRun,      // the first pass did not run it: no match, or its conditions were false
    NothingNew,     // the object has not changed since it ran
  };
  Kind kind = Kind::Applied;
  int pass = 1;                      // 1 or 2
  std::string_view policy, binding;  // binding is empty for errors of the policy itself
  std::string_view param;            // namespace/name of the param, empty if none
  int mutation = -1;                 // index in spec.mutations; -1: the whole invocation
  bool json_patch = false;           // patchType JSONPatch, else ApplyConfiguration
  GroupVersionKind as;               // the kind that the policy matched and the object was converted to
  std::string_view expression;       // the expression of the mutation
  Value value;                       // its value: a list of JSONPatch, or an Object; null if it failed
  // The object at the version `as`, before and after the mutation. `after` includes the defaults that
  // Kubernetes adds. Both are the same if nothing was applied.
  Value before, after;
  bool changed = false;
  // The merge steps of an ApplyConfiguration that was merged, if the context asks for them; `merge_untold` counts
  // those that are omitted.
  std::span<const patching::MergeStep> merge;
  size_t merge_untold = 0;
  uint64_t cost = 0;                 // of the expression and of the variables that it evaluated first
  std::string_view message, reason;  // of errors
  bool ignored = false;              // failurePolicy let the error pass
  bool at_once = false;              // the error refuses the request even if failurePolicy is Ignore
  Why why = Why::FirstPass;
  std::string_view by_policy, by_binding;  // see LaterChange
  // The place of the cause of an error outside spec.mutations: a field of the policy ("spec.matchConditions",
  // "spec.paramKind") or, if `of_binding`, of the binding ("spec.paramRef.name").
  std::string_view field;
  bool of_binding = false;
};

// Texts and values live in the ReviewContext until its next mutation; a review does not invalidate them.
// Vectors keep their capacity.
struct Mutation {
  bool allowed = true;
  Status status;  // if not allowed
  // The mutated object at the version of the request. It may share parts with the object of the request, and
  // is that object itself if nothing changed. Null if the policies refuse the request.
  Value object;
  bool changed = false;                            // `object` differs from request.object
  int passes = 0;                                  // 0: no policy ran; 2: policies were reinvoked
  bool again = false;                              // the policies ask for a second pass
  std::vector<MutationOutcome> outcomes;           // filled if the context has `want_outcomes`
  int policies_matched = 0, bindings_matched = 0;  // in the first pass
  bool incomplete = false;                         // as in Decision
  void clear();
};

}  // namespace portcullis
