// Shows the largest costs of expressions (checks/worst_costs.h) and those measured: text for people, JSON for programs.
// docs/costs.md explains both. Tested by tests/cli/cost.txt.
#pragma once

#include <string>
#include <vector>

#include "cli/checks/costs.h"
#include "cli/checks/worst_costs.h"

namespace portcullis {

struct CostReport {
  std::vector<WorstCosts> objects;
  std::vector<PolicyCosts> measured;  // of the policies, if there are manifests
  const PolicyCosts* measured_of(const InputObject& object) const;
};

std::string cost_report_text(const CostReport& report);
// With the errors that were said so far.
std::string cost_report_json(const CostReport& report);

}  // namespace portcullis
