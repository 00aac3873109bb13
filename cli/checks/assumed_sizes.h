// The sizes of what a policy's expressions read: assumed by the user, or the largest that fits a request.
// Tested by tests/cli/cost.txt.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/checks/origins.h"
#include "cli/checks/worst_costs.h"

namespace portcullis {

using SizesTaken = std::map<std::string, SizeTaken>;  // by path

// What is known of sizes in one policy: what the user assumes, where values come from, and how large variables are.
class PolicySizes {
 public:
  explicit PolicySizes(const Assumptions& assumed) : assumed_(assumed) {}

  // The size of a variable's value.
  struct ValueSize {
    SizeEstimate size;
    std::optional<SizeTaken::From> from;  // the least certain of the sizes that it depends on
  };
  // Adds a variable, after those that it reads. `size`: nothing if it is unknown.
  void add(const std::string& name, const Expr* value, std::optional<ValueSize> size);
  // Null: the place is no "variables.x", or the variable is looked through or has no known size.
  const ValueSize* value_at(std::string_view place) const;

  const Assumptions& assumed() const { return assumed_; }
  OriginFinder& origins() { return origins_; }

 private:
  const Assumptions& assumed_;
  OriginFinder origins_;  // of expressions that live as long
  std::map<std::string, ValueSize, std::less<>> values_;
};

// "object.spec.containers[].image", of the names that an estimator is asked with.
std::string path_text(const std::vector<std::string>& path);

class AssumedSizes final : public SizeEstimator {
 public:
  AssumedSizes(const Ast& ast, PolicySizes& policy);
  std::optional<SizeEstimate> estimate_size(const SizeNode& node) const override;

  // The sizes that were asked for so far.
  const SizesTaken& taken() const { return taken_; }
  // Takes these paths to be of size 1.
  void set_small(std::set<std::string> paths) { small_ = std::move(paths); }

 private:
  SizeEstimate size_at(const std::set<std::string>& places, const SizeNode& node) const;
  SizeEstimate take(const SizeTaken& size, uint64_t least = 0) const;

  PolicySizes& policy_;
  std::set<std::string> small_;
  mutable SizesTaken taken_;
};

}  // namespace portcullis
