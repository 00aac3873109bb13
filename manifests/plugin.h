// What the API server's admission plugin PodSecurity answers a client (admission/policies/pod_security.h), for
// manifests: after mutation and before validating policies, which are not asked if it refuses. The objects of an
// AdmissionReview have passed it. Source of behaviour: k8s.io/pod-security-admission admission/response.go. Tested by
// tests/cli/pod_security.txt, library/namespace_test.cc, tests/oracle/pod_security.py.
#pragma once

#include <optional>
#include <string>

#include "admission/admission.h"
#include "admission/objects/request.h"
#include "manifests/status.h"

namespace portcullis {

struct PluginAnswer {
  std::optional<ServerRefusal> refusal;
  std::string warning;  // empty if there is none
};

// Its answer to a request with normalised objects, by the labels that its namespace has in `engine`; a namespace that
// `engine` lacks has none.
PluginAnswer ask_pod_security(const Engine& engine, const AdmissionRequest& request);

}  // namespace portcullis
