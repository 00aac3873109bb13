// What the API server's own admission plugins answer a client: LimitRanger (admission/policies/limit_ranges.h) and
// PodSecurity (pod_security.h beside it).
//
// Idea: they are asked for manifests, after mutation and before validating policies, which are not asked if one
// refuses. The objects of an AdmissionReview have passed them. Source of behaviour: kubernetes
// pkg/kubeapiserver/options/plugins.go (order), k8s.io/pod-security-admission admission/response.go. Tested by
// tests/cli/pod_security.txt, tests/cli/limit_ranges.txt, library/namespace_test.cc, tests/oracle/plugins.py.
#pragma once

#include <optional>
#include <string>

#include "admission/admission.h"
#include "admission/builtin/surroundings.h"
#include "admission/objects/request.h"
#include "manifests/status.h"

namespace portcullis {

struct PluginAnswer {
  std::optional<ServerRefusal> refusal;
  std::string_view plugin;  // that says it
  std::string warning;      // empty if there is none
};

// Their answer to a request with normalised objects, by the labels that its namespace has in `engine` (a namespace that
// `engine` lacks has none), and the LimitRanges in `around`, which may be null.
PluginAnswer ask_plugins(const Engine& engine, const builtin::Surroundings* around,
                         const AdmissionRequest& request);

}  // namespace portcullis
