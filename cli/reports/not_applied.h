// Why policies and bindings did not apply to a request (`review --explain`): rules, selectors, params
// (admission/engine/mismatch.h), match conditions with the values of their parts (failure_trace.h), and
// policies without a binding. Tested by tests/cli/not_applied.txt.
#pragma once

#include <vector>

#include "admission/admission.h"
#include "cli/cluster/cluster.h"
#include "cli/reports/failure_trace.h"
#include "cli/reports/report.h"

namespace portcullis {

// By policy and binding. `decision` is that of `request`, with its outcomes.
std::vector<NotApplied> not_applied(const Engine& engine, const AdmissionRequest& request,
                                    const Decision& decision, const ReviewCluster& cluster,
                                    const FailureTrace& trace);

}  // namespace portcullis
