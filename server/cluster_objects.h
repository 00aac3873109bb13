// All objects of a cluster that a set of policies is made of: which kinds are watched, and what is known of them.
//
// Idea: policies, bindings and definitions are rules: a change of theirs means a new set. Namespaces, RBAC objects and
// params are data, which is exchanged in the set. The first are watched always, the last two as policies need them.
// Belongs to the thread of ClusterPolicies. Tested by tests/server/watching.py.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "manifests/watched_kinds.h"
#include "server/cluster_params.h"
#include "server/options.h"

namespace portcullis::server {

class ClusterObjects {
 public:
  ClusterObjects(const Options& options, ClusterApi& api, WatchContext& context, Log& log,
                 ClusterMetrics& metrics);

  // Watches what the policies need, and no more.
  void need(const Needs& needs, KindWatch::Time now);
  // Sends the requests that are due.
  void ask(KindWatch::Time now);
  void each(const std::function<void(Source&)>& call);

  std::vector<ClusterKind> rules() const;
  std::vector<ClusterKind> data() const;
  // The changes of the data are in the set in use.
  void take_changed();
  // They grow when rules or data change.
  uint64_t rules_seen() const;
  uint64_t data_seen() const;

  // Whether the first lists of what is always watched have arrived.
  bool listed() const;
  // What must be there before a set is made, and is not; empty if nothing is missing.
  std::string awaited() const;

  bool has_roles() const { return !roles_.empty(); }
  const ClusterParams& params() const { return params_; }
  KindWatch& namespaces() { return data_[0]->watch; }

 private:
  using Sources = std::vector<std::unique_ptr<Source>>;
  void add(Sources& to, WatchedFor what);
  bool watches(const ClusterKind& kind) const;

  ClusterApi& api_;
  WatchContext& context_;
  Sources rules_;  // the first are the definitions
  Sources data_;   // the namespaces
  Sources roles_;  // if they are needed
  ClusterParams params_;
};

}  // namespace portcullis::server
