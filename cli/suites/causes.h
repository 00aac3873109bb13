// Why what a case expects did not come: the expression that would have brought it about, with its values and its place.
//
// Idea: the request is decided once more, and what was evaluated, but did not deny, warn or change, is kept: validations
// that passed, match conditions that were false, mutations, audit annotations. Each expectation that is not met then
// looks for the first that it may be about, those that it names before others. Tested by tests/cli/test.txt,
// tests/cli/test_reports.txt.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/cluster/cluster.h"
#include "cli/formats/outcomes.h"
#include "cli/reports/explain.h"
#include "cli/reports/report.h"
#include "cli/suites/expect.h"

namespace portcullis::suites {

class CauseTrace final : public ReviewTrace {
 public:
  explicit CauseTrace(const Expected& expected) : expected_(expected) {}
  void evaluated(const Evaluated& expression, Replay& replay) override;

  // Of an expectation that is not met; nothing if no expression is known.
  std::optional<outcomes::Finding> cause(const Mismatch& mismatch, const ReviewResult& result,
                                         const ReviewCluster& cluster) const;
  // For people, the validations that were expected to fail or to warn, but passed: what a decision does not show.
  // `denied`: the request was, so that only those count that the case names.
  std::string text(std::span<const Mismatch> mismatches, const ReviewCluster& cluster, bool denied,
                   const Paint& paint) const;

 private:
  enum class Meant { No, Perhaps, ByName };
  struct Candidate {
    Part part;
    std::string policy, param;
    int index;
    bool mutating;
    Meant meant;  // of a validation: to fail
    ExplainedExpression expression;
  };
  Meant meaning_of(const Evaluated& e) const;
  bool counts(const Evaluated& e, Meant meant) const;
  const Candidate* find(const Mismatch& mismatch, const ReviewCluster& cluster) const;
  const Candidate* first(Part part, bool mutating) const;

  const Expected& expected_;
  NodeLog log_;
  std::vector<Candidate> candidates_;
};

}  // namespace portcullis::suites
