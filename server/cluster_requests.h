// What the thread of a cluster asks: the watch of a kind, and single questions, each with its requests.
//
// Idea: KindWatch knows what to ask and ClusterApi asks; here the two are connected. Both belong to the thread that runs
// them, and take their requests back when they end. Tested by tests/server/watching.py.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/cluster_api.h"
#include "server/cluster_set.h"
#include "server/cluster_watch.h"

namespace portcullis::server {

// The resource of a kind as people write it: "pods", "roles.rbac.authorization.k8s.io".
std::string resource_of(const WatchedKind& k);

// A watch, connected with its requests.
struct Source final : Receiver {
  Source(WatchedKind kind, WatchContext& context, ClusterApi& api)
      : watch(std::move(kind), context), api(api) {}
  ~Source() override { api.stop(*this); }
  bool data(int status, std::string_view part) override;
  void closed() override;
  void ended(int status, std::string error, std::chrono::seconds retry_after) override;
  // Sends what is due.
  void ask(KindWatch::Time now);
  ClusterKind kind() const {
    return {watch.what().kind.api_version, watch.what().kind.kind, &watch.objects(), &watch.changed()};
  }

  KindWatch watch;
  ClusterApi& api;
  uint64_t relists = 0;  // those that the metrics have
};

// One answer as a whole.
struct Question final : Receiver {
  Question(ClusterApi& api, const std::string& target, std::chrono::seconds time);
  ~Question() override { api.stop(*this); }
  bool data(int status, std::string_view part) override;
  void ended(int code, std::string why, std::chrono::seconds retry_after) override;

  ClusterApi& api;
  std::string body, error;
  int status = 0;
  bool done = false;
};

}  // namespace portcullis::server
