// ReviewContext::MutationState: the memory of one thread's mutations. Lists keep their capacity, values live in the
// arena of `state`, which is another than that of reviews, so that a review of what was made leaves it alone.
#pragma once

#include <string_view>
#include <vector>

#include "admission/engine/kind_schemas.h"
#include "admission/engine/review_state.h"
#include "admission/mutation.h"

namespace portcullis {

// One policy with one binding and one param that matched, listed before anything is mutated.
struct Invocation {
  const LoadedPolicy* policy;
  const PolicyBinding* binding;
  const Param* param;  // null: none
  GroupVersionKind kind;
  GroupVersionResource resource;

  bool same_key(const Invocation& other) const {
    return policy == other.policy && binding == other.binding && param == other.param;
  }
};

// The request's objects at the version that a policy matched. Policies that match the same one share it; those that
// match another do not see its changes.
struct VersionedObjects {
  GroupVersionKind kind;
  Value object, old_object;
  bool dirty = false;  // a mutation was executed, whether it changed anything or not
  // What expressions see. Once match conditions were asked, objects of built-in kinds look like the Go structs that
  // they are, before that like plain data; what was looked at stays as it is until it is mutated.
  bool as_structs = false;
  bool object_seen = false, old_object_seen = false;
  Value object_view, old_object_view;
};

// An error of a policy, for the Status.
struct MutationError {
  const LoadedPolicy* policy;
  const PolicyBinding* binding;  // null: of the policy itself
  std::string_view message;      // without what it begins with
  std::string_view reason;       // empty: Forbidden
};

// What the first pass leaves for the second.
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
  // Of the first pass: what ran, for explanations; what ran since the object last changed and may run again; what
  // is to run again.
  std::vector<Invocation> ran, waiting;
  std::vector<Reinvocation> again;

  KindSchemas schemas;

  // Starts a mutation.
  void begin(const Engine::Loaded& engine, const AdmissionRequest& request, const Authorizer* authorizer) {
    state.begin(engine, request, authorizer);
    schemas.begin(engine);
    ran.clear();
    waiting.clear();
    again.clear();
  }
  // Starts a pass.
  void begin_pass() {
    invocations.clear();
    versions.clear();
    errors.clear();
  }
};

}  // namespace portcullis
