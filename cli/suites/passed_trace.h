// Explains validations that a case expects to fail, but that passed. Tested by tests/cli/test.txt.
#pragma once

#include <string>
#include <vector>

#include "cli/cluster/cluster.h"
#include "cli/reports/explain.h"
#include "cli/suites/suite.h"

namespace portcullis::suites {

class PassedTrace final : public ReviewTrace {
 public:
  explicit PassedTrace(const Expected& expected) : expected_(expected) {}
  void evaluated(const Evaluated& expression, Replay& replay) override;
  // Each with its place in `cluster` and the values of its parts. `denied`: the request was, so that only those count
  // that the case names.
  std::string text(const ReviewCluster& cluster, bool denied, const Paint& paint) const;

 private:
  struct Passed {
    std::string policy, param;
    int validation;
    bool named;
    ExplainedExpression expression;
  };
  enum class Meant { No, Perhaps, ByName };
  Meant meaning_of(const Evaluated& e) const;

  const Expected& expected_;
  NodeLog log_;
  std::vector<Passed> passed_;
};

}  // namespace portcullis::suites
