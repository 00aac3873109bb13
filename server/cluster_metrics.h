// The metrics of policies from a cluster. Tested by tests/server/watching.py.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "server/metrics.h"

namespace portcullis::server {

class ClusterMetrics {
 public:
  explicit ClusterMetrics(Metrics& metrics);
  ~ClusterMetrics();
  ClusterMetrics(const ClusterMetrics&) = delete;
  ClusterMetrics& operator=(const ClusterMetrics&) = delete;

  // `age`: for how many seconds something may have changed unseen; 0 while all watches work.
  void connected(bool connected, double age);
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
