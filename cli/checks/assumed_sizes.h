// The sizes of what a policy's expressions read: assumed by the user, or the largest that fits a request.
// Tested by tests/cli/cost.txt.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/checks/worst_costs.h"

namespace portcullis {

using SizesTaken = std::map<std::string, SizeTaken>;  // by path

// What is known of a policy's variables, for the sizes of what is read through them.
struct KnownVariable {
  std::vector<std::string> path;       // if it only names a place: "object", "spec", "containers"; else empty
  std::optional<SizeEstimate> result;  // the size of its value, if known
  std::optional<SizeTaken::From> from = {};  // the least certain of the sizes that it depends on
};
using KnownVariables = std::map<std::string, KnownVariable, std::less<>>;

// "object.spec.containers[].image", of the names that an estimator is asked with.
std::string path_text(const std::vector<std::string>& path);

// The path of an expression that only names a place; empty if it does more.
std::vector<std::string> place_named(const Expr* e);

class AssumedSizes final : public SizeEstimator {
 public:
  AssumedSizes(const Ast& ast, const Assumptions& assumed, const KnownVariables& variables);
  std::optional<SizeEstimate> estimate_size(const SizeNode& node) const override;

  // The sizes that were asked for so far.
  const SizesTaken& taken() const { return taken_; }
  // Takes these paths to be of size 1.
  void set_small(std::set<std::string> paths) { small_ = std::move(paths); }

 private:
  std::optional<SizeEstimate> computed_size(const SizeNode& node) const;
  SizeEstimate take(const SizeTaken& size, uint64_t least = 0) const;

  const Assumptions& assumed_;
  const KnownVariables& variables_;
  std::set<const Expr*> walked_;   // by loops
  std::set<const Expr*> written_;  // loop variables whose items are literals, of known size
  std::set<std::string> small_;
  mutable SizesTaken taken_;
};

}  // namespace portcullis
