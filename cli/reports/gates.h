// Gates: conditions that fail a review in addition to its verdicts. Only this file computes the exit status.
//
// Idea: the review reports every result, and the policies that were evaluated for it. The status is the first
// of these that holds:
//   2  a manifest is refused; with --require-match a manifest or a policy had no match
//   1  something is denied; with --fail-on-warn something is warned
//   0
// A missing match is no denial: as for unreadable input, the review has no grounds for approval. For the same
// reason --require-policies ends a review before it decides. A policy matches if its binding and match
// conditions also hold. Tested by tests/cli/gates.txt.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "admission/admission.h"
#include "cli/cluster/cluster.h"
#include "cli/commands.h"
#include "cli/reports/report.h"

namespace portcullis {

class Gates final : public ReviewTrace {
 public:
  explicit Gates(const ReviewOptions& options) : options_(options) {}

  // The error of the options; empty if there is none.
  std::string misuse() const;
  // Whether enough policies have a binding. If not, prints an error.
  bool enough_policies(const ReviewCluster& cluster) const;

  // Counts a refused manifest.
  void refused() {
    refused_ = true;
    has_say_ = false;
  }
  // Counts the policy of the expression as one that matched the next result, unless it is a match condition.
  void evaluated(const Evaluated& expression, Replay&) override;
  // `asked`: whether policies were evaluated.
  void add(const ReviewResult& result, bool asked);
  // After the last result.
  void finish(const ReviewCluster& cluster);

  // Whether any gate is requested.
  bool wanted() const;
  std::span<const GateFailure> failures() const { return failures_; }
  // Prints the missing matches.
  void say_failures() const;
  int exit_status() const;

 private:
  void had_say(std::string_view policy, bool mutating);
  bool wants_match_of(std::string_view what) const {
    return options_.require_match == "all" || options_.require_match == what;
  }
  void add_failure(std::string_view gate, const InputObject& object, std::string text);

  const ReviewOptions& options_;
  bool refused_ = false, denied_ = false, has_say_ = false, missing_match_ = false;
  std::unordered_set<std::string> heard_;  // policies that matched, by sort_name
  std::vector<GateFailure> failures_;
};

}  // namespace portcullis
