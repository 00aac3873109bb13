// Which cases reach which policies, so that only those run again for a mutant: an observer for the runner.
// Tested by tests/cli/mutants.txt.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "cli/suites/runner.h"

namespace portcullis {

// Cases by the name of the policy, with "m/" or "v/" before it, as mutating and validating ones may share a name; by
// group and plural of the resource, with "d/" before them.
using ReachedBy = std::map<std::string, std::set<const suites::Case*>, std::less<>>;

std::string policy_key(std::string_view name, bool mutating);
std::string definition_key(std::string_view group, std::string_view plural);

class ReachObserver final : public suites::Observer {
 public:
  ReviewTrace* trace(const suites::Batch& batch, const Session& session) override;
  void decided(const suites::Decided& decided) override;

  // After the last request.
  const ReachedBy& cases(const suites::Batch& batch) const;
  // Whether the resources of a policy have other served versions there.
  bool has_versions(const suites::Batch& batch, const InputObject& policy) const;

 private:
  // The policies that bindings apply for in the present request.
  struct Bindings final : ReviewTrace {
    std::set<std::string> policies;
    void evaluated(const Evaluated&, Replay&) override {}
    void bound(const Bound& b) override { policies.insert(policy_key(b.policy, b.mutating)); }
  };
  struct Seen {
    Bindings bindings;
    ReachedBy cases;
    std::set<std::string> versioned;  // resources with several served versions
  };
  Seen& seen(const suites::Batch& batch);

  std::mutex mutex_;  // batches run on several threads
  std::map<const suites::Batch*, std::unique_ptr<Seen>> batches_;
};

}  // namespace portcullis
