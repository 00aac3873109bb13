// Pod Security: what the plugin PodSecurity, which is on in every API server, says of Pods and of what makes Pods, by
// the labels pod-security.kubernetes.io/* of their namespace.
//
// Idea: labels name a level and a version for each mode; a level is a list of checks (pod_security_checks.h). The mode
// enforce refuses Pods alone; warn, which is as strict as enforce unless a label says otherwise, warns of controllers,
// too. Limits: the server has no configuration of the plugin of its own (defaults, exemptions); nothing is said of what
// only the audit log tells, nor of the existing Pods of a namespace whose labels change. Source of behaviour:
// k8s.io/pod-security-admission (admission, api). Tested by tests/cli/pod_security.txt, and against that code by
// tests/oracle/plugins.py.
#pragma once

#include <string>

#include "admission/objects/field_error.h"
#include "admission/objects/request.h"
#include "interpreter/values/value.h"

namespace portcullis {

struct PodSecurityAnswer {
  std::string refusal;  // `violates PodSecurity "baseline:latest": ...`; empty if it refuses nothing
  std::string warning;  // `would violate PodSecurity "restricted:v1.30": ...`; empty if there is none
};

// What it says of a request whose objects are normalised, as the API server has them before validation. `labels`: a map
// of texts, those of the namespace.
PodSecurityAnswer check_pod_security(const AdmissionRequest& request, const Value& labels);

// Adds the errors for which it refuses a Namespace that is created or updated: those of its labels, unless the old
// object has them, too.
void check_pod_security_labels(const AdmissionRequest& request, FieldErrors& errors);

}  // namespace portcullis
