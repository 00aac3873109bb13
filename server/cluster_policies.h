// The source of policies that is a cluster.
//
// Idea: one thread lists and watches what decides (KindWatch for each kind, ClusterApi for all requests), makes sets of
// it (ClusterSet) and exchanges them. Policies, bindings, definitions and namespaces are watched always; params of the
// kinds that policies name, found by the API server's discovery; RBAC objects if an expression asks the authorizer.
// A changed policy is compiled after a short time without further changes, together with the params that it needs;
// newer data is exchanged at once, but never takes more than a tenth of the time. Until the first complete lists are
// there, there is no set; when the cluster is lost, the last set stays in use, and log, metric and readiness say how
// old it is. Namespaces that the watch does not know yet are asked for, as the API server does in its own storage.
// Limits: RBAC alone answers `authorizer`, no other authorizer of the cluster. Tested by tests/server/watching.py,
// tests/server/watching_cluster.py.
#pragma once

#include <chrono>
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
