// Runs suites with mutants, and says which of them no case notices.
//
// Idea: a mutant takes the place of its policy in each batch that has it, and only the cases that reach the policy run
// again, until one does not come as expected. A mutant of a definition compiles only the rule that it changes. What only lets a policy match more runs with all cases. Threads take one
// mutant after another; results stand in the order of the mutants, so they do not depend on the number of threads.
// Limits: each evaluation is bounded by Kubernetes' cost limits, so each mutant ends as its policy does. Suites must
// pass without mutants. Tested by tests/cli/mutants.txt.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cli/mutants/mutants.h"
#include "cli/mutants/reach.h"
#include "cli/suites/suite.h"

namespace portcullis {

struct MutantOptions {
  int jobs = 1;
  size_t most = 0;        // mutants that are tried, spread evenly over all; 0: all
  bool progress = false;  // on standard error, once a second, if more than a second remains
};

struct MutantResult {
  enum class Fate : uint8_t {
    Noticed,
    Survived,
    Refused,   // the API server would not take it: it does not compile, say
    Accepted,  // survived, and a suite says that it may (accepted.h)
  };
  Mutant mutant;
  Fate fate = Fate::Survived;
  bool reached = false;  // by any case
};

struct MutantRun {
  std::vector<MutantResult> results;  // in the order of files and places
  size_t left_out = 0;                // because of `most`
  size_t of_large_definitions = 0;    // left out, since each mutant reads all of its definition
  size_t count(MutantResult::Fate fate) const;
};

// `reach` has observed a run in which all cases passed.
MutantRun run_mutants(std::span<const std::unique_ptr<suites::Suite>> suites, const ReachObserver& reach,
                      const MutantOptions& options);

}  // namespace portcullis
