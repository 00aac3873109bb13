// What a request meets on its way through the admission chain: policies, bindings and webhooks in the order of events,
// with why it misses the others. Rules, selectors and params come from admission/engine/reach.h, match conditions with
// the values of their parts from failure_trace.h. Tested by tests/cli/who.txt, tests/cli/not_applied.txt.
#pragma once

#include <vector>

#include "admission/admission.h"
#include "chain/chain.h"
#include "cli/cluster/cluster.h"
#include "cli/reports/failure_trace.h"
#include "cli/reports/report.h"

namespace portcullis {

// What is known about a request after it went through the chain.
struct Passage {
  const Engine& engine;
  const AdmissionRequest& asked;      // as mutating policies saw it first
  const AdmissionRequest& validated;  // as validating policies saw it
  bool validates = true;              // false: something refused it before the validating policies
  const chain::Admission& admission;
  const ReviewCluster& cluster;
  const FailureTrace& trace;
};

// Everything, by stage; a second pass follows the first one. Policies are in the order of their names.
std::vector<ReviewReach> reached(const Passage& passage);

// The policies and bindings that had no say, the mutating ones first, each by name; without mutating ones that match
// conditions exclude (mutated.h).
std::vector<ReviewReach> not_applied(const Passage& passage);

}  // namespace portcullis
