// What a request meets before an expression is evaluated: the scene that it is matched in, and the params of a
// binding.
//
// Idea: the review asks here for its decision, and mismatch.h for what it says of policies that have no say, so
// both see the same. Nothing is allocated but error texts, in the arena given. Source of behaviour: apiserver
// pkg/admission/plugin/policy/generic/policy_dispatcher.go (CollectParams), .../webhook/predicates/namespace.
// Tested by tests/admission/matching, tests/admission/params.
#pragma once

#include <string_view>
#include <vector>

#include "admission/engine/policy.h"
#include "admission/matching/matching.h"

namespace portcullis {

// Views of the scene live as long as the engine, the request and what `arena` holds.
MatchScene scene_of(const Engine::Loaded& loaded, const AdmissionRequest& request, Arena& arena);

// The namespace of a request; null if nothing is known of it. One that is only assumed is made in `arena`, and held
// by `room`.
const NamespaceValues* namespace_of(const Engine::Loaded& loaded, std::string_view name,
                                    NamespaceValues& room, Arena& arena);

// "namespaces "shop" not found", in the arena.
std::string_view missing_namespace(const AdmissionRequest& request, Arena& arena);

// Do expressions see the request's namespace, so that it must be there? Not where the request is about one.
bool needs_namespace(const AdmissionRequest& request);
// The Status of a request whose namespace is missing when it is needed; texts in the arena.
void refuse_missing_namespace(const AdmissionRequest& request, Arena& arena, Status& status);

// Name of the request's object in messages and statuses.
std::string_view shown_name(const AdmissionRequest& request, const MatchScene& scene);

// Why the params of a binding cannot be found.
struct ParamProblem {
  std::string_view text;   // Kubernetes' words; empty if there is none
  std::string_view field;  // of the binding
};
// Adds the params that a binding means to `out`; null stands for "no param". None without a problem: the
// binding does not apply.
ParamProblem find_params(const LoadedPolicy& policy, const PolicyBinding& binding,
                         const AdmissionRequest& request, std::vector<const Param*>& out);

// The namespace that a binding's params are in; empty if they are in none, or it cannot be said.
std::string_view param_namespace(const LoadedPolicy& policy, const PolicyBinding& binding,
                                 const AdmissionRequest& request);

}  // namespace portcullis
