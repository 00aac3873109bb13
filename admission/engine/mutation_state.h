// ReviewContext::MutationState: the memory of one thread's mutations. Lists keep their capacity. Values live
// in the arena of `state`, which is not the arena of reviews, so a review of the mutated object leaves them
// valid. Tested by admission/engine/mutate_test.cc, tests/allocations.cc.
#pragma once

#include <string_view>
#include <vector>

#include "admission/engine/kind_schemas.h"
#include "admission/engine/review_state.h"
#include "admission/mutation.h"

namespace portcullis {

// A policy with a binding and a param that match, listed before the first mutation.
struct Invocation {
  const LoadedPolicy* policy;
  const PolicyBinding* binding;
  const Param* param;  // null: no param
  GroupVersionKind kind;
  GroupVersionResource resource;

  bool same_key(const Invocation& other) const {
    return policy == other.policy && binding == other.binding && param == other.param;
  }
};

// The objects of the request at the version that a policy matched. Policies that match the same version share
// them, and do not see changes made at other versions.
struct VersionedObjects {
  GroupVersionKind kind;
  Value object, old_object;
  bool dirty = false;     // a mutation ran, with or without an effect
  bool complete = false;  // `object` has its defaults: patching::Current
  // The objects as expressions see them. After match conditions were evaluated, objects of built-in kinds
  // look like Go structs, before that like plain data. A view that was read stays unchanged until the object
  // is mutated.
  bool as_structs = false;
  bool object_seen = false, old_object_seen = false;
  Value object_view, old_object_view;
};

// An error of a policy, for the Status.
struct MutationError {
  const LoadedPolicy* policy;
  const PolicyBinding* binding;             // null: an error of the policy itself
  std::string_view message;                 // without its prefix
  std::string_view reason;                  // empty: Forbidden
  std::string_view missing_namespace = {};  // as of Status
};

// An invocation that the second pass runs again.
struct Reinvocation {
  Invocation invocation;
  MutationOutcome::Why why;
  const LoadedPolicy* by_policy = nullptr;
  const PolicyBinding* by_binding = nullptr;
};

struct ReviewContext::MutationState {
  ReviewContext::State state;
  std::vector<Invocation> invocations;
  std::vector<VersionedObjects> versions;
  std::vector<MutationError> errors;
  std::vector<const Param*> params;
  std::vector<Evaluation> evaluations;
  std::vector<std::string_view> texts;
  // State of the first pass: invocations that ran (for explanations); those that ran since the last change of
  // the object and may run again; those that will run again.
  std::vector<Invocation> ran, waiting;
  std::vector<Reinvocation> again;

  // The object of the request after the last pass that invoked a policy, and whether it has its defaults.
  Value last_output;
  bool complete = true;

  KindSchemas schemas;

  // Starts a mutation.
  void begin(const Engine::Loaded& engine, const AdmissionRequest& request, ReviewContext& review) {
    state.begin(engine, review);
    schemas.begin(engine, request);
    ran.clear();
    waiting.clear();
    again.clear();
    last_output = {};
    complete = true;
  }
  // Starts a pass.
  void begin_pass() {
    invocations.clear();
    versions.clear();
    errors.clear();
  }
};

}  // namespace portcullis
