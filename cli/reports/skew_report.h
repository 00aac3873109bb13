// Shows what changes between API servers (checks/skew.h): a table for people, JSON for programs.
// docs/skew.md explains both. Tested by tests/cli/skew.txt.
#pragma once

#include <string>
#include <vector>

#include "cli/checks/skew.h"
#include "cli/checks/skew_results.h"

namespace portcullis {

struct SkewReport {
  ServerRange range;
  std::vector<ObjectSkew> objects;
  std::vector<ManifestVerdicts> verdicts;

  // Whether a server refuses something new, or does not run something stored.
  bool refuses(size_t server) const;
  bool stops(size_t server) const;
  // Whether a verdict or the outcome of an expression is not the same on all servers.
  bool results_differ() const;
};

std::string skew_text(const SkewReport& report);
// With the errors that were said so far.
std::string skew_json(const SkewReport& report);

}  // namespace portcullis
