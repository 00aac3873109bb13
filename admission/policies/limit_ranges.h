// What the plugin LimitRanger, which is on in every API server, refuses: Pods and claims beyond the bounds of a
// LimitRange. Its defaults are filled in before (admission/builtin/plugins.h).
//
// Quirks of upstream: where a range bounds several resources, the order of its errors is that of a Go map; here it is
// by name. Limits: amounts beyond 64 bits count as the largest. Source of behaviour: kubernetes
// plugin/pkg/admission/limitranger. Tested by tests/cli/limit_ranges.txt, and against that code by
// tests/oracle/plugins.py.
#pragma once

#include <span>
#include <string>

#include "admission/objects/request.h"
#include "interpreter/values/value.h"

namespace portcullis {

// Why it refuses a request whose objects are normalised: `maximum cpu usage per Container is 1, but limit is 2`; empty
// if it does not. `ranges`: the LimitRanges of its namespace, normalised; the first one that refuses says why.
std::string check_limit_ranges(const AdmissionRequest& request, std::span<const Value> ranges);

}  // namespace portcullis
