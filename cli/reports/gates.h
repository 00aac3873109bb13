// Gates: conditions that fail a review in addition to its verdicts. Only this file computes the exit status.
//
// Idea: the review reports every result, and the policies that were evaluated for it. The status is the first
// of these that holds:
//   2  a manifest is refused; with --require-match a manifest or a policy had no match
//   1  something is denied; a gate of --fail-on-... holds
//   0
// A missing match is no denial: as for unreadable input, the review has no grounds for approval. For the same
// reason --require-policies ends a review before it decides. A policy matches if its binding and match
// conditions also hold. Tested by tests/cli/gates.txt.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
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

  // Whether it wants to be told what is evaluated.
  bool hears() const { return !options_.require_match.empty(); }
  // Counts a refused manifest.
  void refused() {
    counted_.refused = true;
    counted_.results++;
    has_say_ = false;
  }
  // Counts input that cannot be read, or a record that cannot be written.
  void failed() { counted_.refused = true; }
  // Counts the policy of the expression as one that matched the next result, unless it is a match condition.
  void evaluated(const Evaluated& expression, Replay&) override;
  // `asked`: whether policies were evaluated.
  void add(const ReviewResult& result, bool asked);

  // What was counted; each thread counts in gates of its own.
  struct Counted {
    bool refused = false, denied = false, missing_match = false;
    std::unordered_set<std::string> heard;  // policies that matched, by sort_name
    std::vector<GateFailure> failures;
    size_t results = 0;
  };
  // Hands over what was counted since the last call.
  Counted hand_over() { return std::exchange(counted_, {}); }
  // Adds it, in the order of the input.
  void add(Counted counted);
  // After the last result.
  void finish(const ReviewCluster& cluster);

  // Whether any gate is requested.
  bool wanted() const;
  std::span<const GateFailure> failures() const { return counted_.failures; }
  // Prints the missing matches.
  void say_failures() const;
  int exit_status() const;

 private:
  void had_say(std::string_view policy, bool mutating);
  bool wants_match_of(std::string_view what) const {
    return options_.require_match == "all" || options_.require_match == what;
  }
  GateFailure& add_failure(std::string_view gate, const InputObject& object, std::string text);

  const ReviewOptions& options_;
  bool has_say_ = false;  // a policy, about the next result
  Counted counted_;
};

}  // namespace portcullis
