// The loaded policies of the server, and their exchange.
//
// Idea: a set is read and compiled as a whole and never changes. A new one takes the place of the old one in one
// step, so a request is decided by one of the two. A set with errors takes no place: the last good one stays, and
// log, metric and readiness say so. Each worker keeps the set that it used last, so that taking the current one
// costs an atomic load; a lock is taken only when it has changed.
// Limits: params and namespaces come from the same files; nothing is read from a cluster.
// Tested by tests/server/run.py.
#pragma once

#include <portcullis/admission.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/log.h"
#include "server/options.h"

namespace portcullis::server {

struct PolicySet {
  std::shared_ptr<const v1::Engine> engine;
  uint64_t generation = 0;  // 1 for the first
  std::chrono::system_clock::time_point loaded;
};

class Policies {
 public:
  Policies(const Options& options, Log& log) : options_(options), log_(log) {}

  // Reads and compiles the files, and exchanges the set if nothing is wrong with them. Logs what is wrong, and
  // returns whether the set was exchanged. Calls must not overlap.
  bool reload();

  // The current set; null before the first is loaded. Thread-safe.
  std::shared_ptr<const PolicySet> current() const;
  // The generation of the current set; 0 before the first. Thread-safe.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  // What is wrong with the files that were read last; empty if nothing is. Thread-safe.
  std::string trouble() const;

 private:
  const Options& options_;
  Log& log_;
  mutable std::mutex mutex_;
  std::shared_ptr<const PolicySet> current_;
  std::string trouble_;
  std::atomic<uint64_t> generation_ = 0;
};

// Where a worker takes the current set from. Belongs to one thread.
class CurrentPolicies {
 public:
  explicit CurrentPolicies(const Policies& policies) : policies_(policies) {}
  // The current set; null before the first is loaded. Lives until the next call.
  const PolicySet* get() {
    if (set_ == nullptr || set_->generation != policies_.generation()) set_ = policies_.current();
    return set_.get();
  }

 private:
  const Policies& policies_;
  std::shared_ptr<const PolicySet> set_;
};

}  // namespace portcullis::server
