// The set of policies in use, and its exchange.
//
// Idea: a set is read and compiled as a whole and never changes. A new one takes the place of the old one in one
// step, so a request is decided by one of the two. A set with errors takes no place: the last good one stays, and
// log, metric and readiness say so. Each worker keeps the set that it used last, so that taking the current one
// costs an atomic load; a lock is taken only when it has changed. Where sets come from: file_policies.h.
// Tested by tests/server/run.py.
#pragma once

#include <portcullis/admission.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/log.h"
#include "server/metrics.h"

namespace portcullis::server {

struct PolicySet {
  std::shared_ptr<const v1::Engine> engine;
  uint64_t generation = 0;  // 1 for the first
};

class Policies {
 public:
  Policies(Log& log, Metrics& metrics) : log_(log), metrics_(metrics) {}

  // The set in use is that of `engine` from now on. `time`: how long it took to make it; `about`: more for the line
  // of the log. Calls of `exchange`, `refresh` and `keep` must not overlap.
  void exchange(std::shared_ptr<const v1::Engine> engine, std::chrono::steady_clock::duration time,
                std::initializer_list<LogField> about);
  // The same, where the policies are as before and only their params, namespaces and the like are newer.
  void refresh(std::shared_ptr<const v1::Engine> engine, std::chrono::steady_clock::duration time);
  // A newer set does not load, so the one in use stays. `why`: the first error.
  void keep(const std::string& why);

  // The current set; null before the first is loaded. Thread-safe.
  std::shared_ptr<const PolicySet> current() const;
  // The generation of the current set; 0 before the first. Thread-safe.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  // Why the newest set did not load; empty if it did. Thread-safe.
  std::string trouble() const;

 private:
  // Puts the set in use. Returns its generation.
  uint64_t use(std::shared_ptr<const v1::Engine> engine);

  Log& log_;
  Metrics& metrics_;
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
