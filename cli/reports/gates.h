// Gates: what makes a review fail beyond its verdicts, and the one place where its exit status is made.
//
// Idea: the review tells every result, and which policies were evaluated for it. The status is the first of
// these that holds:
//   2  a manifest is refused; with --require-match a manifest or a policy had no match
//   1  something is denied; with --fail-on-warn something is warned
//   0
// A missing match is no denial: the review has no grounds to say that all is well, as with what it cannot
// read. For the same reason --require-policies ends a review before it decides. A policy counts as a match if
// it had a say: its binding and match conditions hold, too. Tested by tests/cli/gates.txt.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cli/cluster/cluster.h"
#include "cli/commands.h"
#include "cli/reports/report.h"

namespace portcullis {

class Gates {
 public:
  explicit Gates(const ReviewOptions& options) : options_(options) {}

  // What is wrong with the options; empty if nothing.
  std::string misuse() const;
  // Are there as many policies with a binding as are required? If not, it is said.
  bool enough_policies(const ReviewCluster& cluster) const;

  // A manifest is refused.
  void refused() {
    refused_ = true;
    has_say_ = false;
  }
  // A policy had a say on the next result.
  void had_say(std::string_view policy, bool mutating = false);
  // `asked`: whether policies were.
  void add(const ReviewResult& result, bool asked);
  // After the last result.
  void finish(const ReviewCluster& cluster);

  // Is any gate asked for?
  bool wanted() const;
  std::span<const GateFailure> failures() const { return failures_; }
  // Says the missing matches.
  void say_failures() const;
  int exit_status() const;

 private:
  bool wants_match_of(std::string_view what) const {
    return options_.require_match == "all" || options_.require_match == what;
  }
  void add_failure(std::string_view gate, const InputObject& object, std::string text);

  const ReviewOptions& options_;
  bool refused_ = false, denied_ = false, has_say_ = false, missing_match_ = false;
  std::unordered_set<std::string> heard_;  // policies that had a say, by sort_name
  std::vector<GateFailure> failures_;
};

}  // namespace portcullis
