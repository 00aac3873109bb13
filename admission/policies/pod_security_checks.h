// The checks of the Pod Security Standards.
//
// Idea: a table with a row for each check; what changed with a version is in the function of the check. Source of
// behaviour: k8s.io/pod-security-admission policy. Tested by tests/oracle/plugins.py.
#pragma once

#include <cstdint>
#include <string>

#include "interpreter/values/value.h"

namespace portcullis {

enum class PodSecurityLevel : uint8_t { Privileged, Baseline, Restricted };

// What the checks of a level find in a Pod: `host namespaces (hostPID=true), privileged (container "c" must not ...)`;
// empty if it passes. `minor`: the version 1.`minor` of the checks; later ones than there are count as the last.
// `metadata` and `spec`: of a Pod or of the template of one, normalised.
std::string pod_security_violations(PodSecurityLevel level, int minor, const Value& metadata,
                                    const Value& spec);

}  // namespace portcullis
