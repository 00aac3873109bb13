// Compares what came of a request with what its case expects. Tested by tests/cli/test.txt.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/formats/outcomes.h"
#include "cli/session/decider.h"
#include "cli/suites/suite.h"

namespace portcullis::suites {

// Hears every expression of a request: what they cost, and the policies that had a say.
class CaseTrace final : public ReviewTrace {
 public:
  // `also` hears the same; it may be null.
  explicit CaseTrace(ReviewTrace* also) : also_(also) {}
  void begin();
  void evaluated(const Evaluated& expression, Replay& replay) override;
  void bound(const Bound& b) override {
    if (also_ != nullptr) also_->bound(b);
  }

  int64_t cost() const { return cost_; }
  bool had_say(const std::string& policy, bool mutating) const { return heard_.contains({policy, mutating}); }

 private:
  ReviewTrace* also_;
  int64_t cost_ = 0;
  std::set<std::pair<std::string, bool>> heard_;
};

// One expectation that is not met.
struct Mismatch {
  std::string member;                           // "denied", "warnings", ...
  std::string expected = {}, actual = {};       // for people
  std::string path;                             // of the expectation in the suite's document
  bool wrong = false;                           // it makes no sense, as `expected` says
  std::optional<outcomes::Finding> cause = {};  // what a policy found, or would have; of explained cases
};

// What came of a request: the last result of `decider`.
struct Came {
  const ReviewResult& result;
  const Decider& decider;
  const CaseTrace& trace;
  std::vector<WebhookCallers::Call> calls;
};

// The texts of errors of a definition, without their paths where they have a text.
std::vector<std::string> texts_of(const std::vector<FieldError>& errors);

// The expectations of `test` that are not met.
std::vector<Mismatch> mismatches(const Case& test, const Came& came);

}  // namespace portcullis::suites
