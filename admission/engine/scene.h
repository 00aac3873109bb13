// The input of policies for one request: the scene for matching, and the params of a binding.
//
// Idea: the review uses these functions for its decision, and reach.h to explain why policies do not
// apply, so both agree. Only error texts allocate, in the given arena. Source of behaviour: apiserver
// pkg/admission/plugin/policy/generic/policy_dispatcher.go (CollectParams), .../webhook/predicates/namespace.
// Tested by tests/admission/matching, tests/admission/params.
#pragma once

#include <string_view>
#include <vector>

#include "admission/engine/loaded.h"
#include "admission/matching/matching.h"

namespace portcullis {

// Makes the scene. Its views live as long as the engine, the request and the contents of `arena`.
MatchScene scene_of(const Engine::Loaded& loaded, const AdmissionRequest& request, Arena& arena);

// The namespace of a request; null if unknown. A namespace that is only assumed is made in `arena` and stored
// in `room`.
const NamespaceValues* namespace_of(const Engine::Loaded& loaded, std::string_view name,
                                    NamespaceValues& room, Arena& arena);

// "namespaces "shop" not found", in the arena.
std::string_view missing_namespace(const AdmissionRequest& request, Arena& arena);

// Whether expressions see the request's namespace, so that it must exist. False for requests about a
// Namespace.
bool needs_namespace(const AdmissionRequest& request);
// The Status of a request whose namespace is missing but needed; texts in the arena.
void refuse_missing_namespace(const AdmissionRequest& request, Arena& arena, Status& status);
// The text of a match that failed since the request's namespace is missing; empty for others, and without match.
std::string_view missing_namespace_of(const MatchOutcome* match);
// That text again, at the end of a longer one.
inline std::string_view end_of(std::string_view longer, std::string_view text) {
  return longer.substr(longer.size() - text.size());
}

// The name of the request's object in messages and statuses.
std::string_view shown_name(const AdmissionRequest& request, const MatchScene& scene);

// "pods "a" is forbidden: why", in the arena. An empty name is not shown.
std::string_view forbidden(const GroupVersionResource& resource, std::string_view name, std::string_view why,
                           Arena& arena);

// The text of a policy that cannot be used at all; with `binding`: of the binding. In the arena.
std::string_view not_configured(const PolicyBinding* binding, std::string_view why, Arena& arena);
// The field of a policy or binding that cannot be used: `field`, or what made `match` fail within it. In the arena.
std::string_view field_within(std::string_view field, const MatchOutcome* match, Arena& arena);

// Why the params of a binding cannot be found.
struct ParamProblem {
  std::string_view text;   // Kubernetes' text; empty if there is no problem
  std::string_view field;  // the field of the binding
};
// Appends the params of a binding to `out`; null stands for "no param". If it appends none and reports no
// problem, the binding does not apply.
ParamProblem find_params(const LoadedPolicy& policy, const PolicyBinding& binding,
                         const AdmissionRequest& request, std::vector<const Param*>& out);

// The namespace of a binding's params; empty if they are cluster-scoped, or if it cannot be determined.
std::string_view param_namespace(const LoadedPolicy& policy, const PolicyBinding& binding,
                                 const AdmissionRequest& request);

}  // namespace portcullis
