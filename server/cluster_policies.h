// The source of policies that is a cluster.
//
// Idea: one thread lists and watches what decides (ClusterObjects), makes sets of it (ClusterSet) and exchanges them.
// A changed policy is compiled after a short time without further changes, together with the params that it needs;
// newer data is exchanged at once, but never takes more than a tenth of the time, unless a request waits for a namespace. Until the first complete lists are
// there, there is no set; when the cluster is lost, the last set stays in use, and log, metric and readiness say how
// old it is. Files in reading order: cluster_access.h, cluster_api.h (requests), cluster_reader.h, cluster_watch.h,
// cluster_requests.h (one kind), cluster_params.h, cluster_objects.h, cluster_set.h, cluster_namespaces.h, this.
// Limits: RBAC alone answers `authorizer`, no other authorizer of the cluster. Tested by tests/server/watching.py,
// tests/server/watching_cluster.py.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "server/cluster_access.h"
#include "server/log.h"
#include "server/metrics.h"
#include "server/namespaces.h"
#include "server/options.h"
#include "server/policies.h"

namespace portcullis::server {

class ClusterPolicies final : public Namespaces {
 public:
  ClusterPolicies(const Options& options, const ClusterAccess& access, Log& log, Metrics& metrics,
                  Policies& policies);
  ~ClusterPolicies() override;
  ClusterPolicies(const ClusterPolicies&) = delete;
  ClusterPolicies& operator=(const ClusterPolicies&) = delete;

  // Reads the files of -p. False if they cannot be read; then the log says why.
  bool read_files();
  // Begins to ask the cluster.
  void start();
  // Ends that. Whoever waits for a namespace is told before this returns.
  void stop();
  // Reads the files again, soon. Thread-safe.
  void poke();

  // The state of the cluster for readiness. Thread-safe.
  struct Health {
    bool known = false;  // the first complete lists have arrived
    std::string detail;
  };
  Health health() const;

  void find(const std::string& name, std::function<void(std::string)> done) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace portcullis::server
