// The metrics of policies from a cluster. Tested by tests/server/watching.py.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "server/metrics.h"

namespace portcullis::server {

class ClusterMetrics {
 public:
  explicit ClusterMetrics(Metrics& metrics);
  ~ClusterMetrics();
  ClusterMetrics(const ClusterMetrics&) = delete;
  ClusterMetrics& operator=(const ClusterMetrics&) = delete;

  void connected(bool connected);
  // The time of the first change that may not be in use; nothing if all is. The metric is its age when it is read.
  void old_since(std::optional<std::chrono::steady_clock::time_point> time);
  void objects(const std::string& resource, size_t count);
  void gone(const std::string& resource);
  void bytes(size_t bytes);
  void failed(const std::string& resource);
  void listed(const std::string& resource);
  void invalid(size_t objects);
  void unreadable(size_t kinds);
  void exchanged();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace portcullis::server
