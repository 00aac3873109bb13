// /healthz, /livez, /readyz: whether the server lives, and whether requests should be sent to it.
//
// Idea: as the API server's: "ok", or with ?verbose one line for each check. The policies are ready once a set is
// loaded, and stay so with the last good one; the detail tells that newer files do not load, or that the cluster is lost
// and for how long. A server that shuts down is not ready from the signal on, so that nobody sends it new requests during
// --shutdown-delay.
// Tested by tests/server/run.py.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include "server/cluster_policies.h"
#include "server/policies.h"

namespace portcullis::server {

struct Health {
  const Policies& policies;
  const std::atomic<bool>& ends;             // the server shuts down
  const ClusterPolicies* cluster = nullptr;  // null: policies come from files
};

struct HealthAnswer {
  unsigned status = 200;
  std::string text;
};

// The answer to a request, 405 unless it is a GET or HEAD; nothing if the path is none of these.
std::optional<HealthAnswer> answer_health(std::string_view method, std::string_view target,
                                          const Health& health);

}  // namespace portcullis::server
