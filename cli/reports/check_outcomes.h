// Fills the model of reports (cli/formats/outcomes.h) from what `check` found: an item for each policy, binding, webhook
// configuration and definition, a finding for each problem. Tested by tests/cli/check_formats.txt.
#pragma once

#include <span>

#include "cli/checks/costs.h"
#include "cli/cluster/cluster.h"
#include "cli/formats/outcomes.h"

namespace portcullis {

// `objects`: those that were given; the others among them are no items. Costs that have no bound are marked as such.
outcomes::Run check_outcomes(std::span<const InputObject> objects, std::span<const PolicyProblem> problems,
                             std::span<const PolicyCosts> costs);

}  // namespace portcullis
