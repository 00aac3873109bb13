// The set of policies in use, and its exchange.
//
// Idea: a set is read and compiled as a whole and never changes. A new one takes the place of the old one in one
// step, so a request is decided by one of the two. A set with errors takes no place: the last good one stays, and
// log, metric and readiness say so. Each worker keeps the current set between its requests, so that taking it costs no
// lock; when the set changes, the old one is taken from all who are idle, and the others drop it after their request.
// So an old set lives no longer than the requests that it decides. Where sets come from: file_policies.h.
// Tested by tests/server/files.py.
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
// Why a set does not load for which there is no memory.
inline constexpr const char* kNoMemory = "there is not enough memory for the policies";
using PolicySetPtr = std::unique_ptr<const PolicySet>;

class KeptPolicies;

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

  // The current set, which shares its engine; null before the first is loaded. Thread-safe.
  PolicySetPtr current() const;
  // The generation of the current set; 0 before the first. Thread-safe.
  uint64_t generation() const { return generation_.load(); }
  // Why the newest set did not load; empty if it did. Thread-safe.
  std::string trouble() const;

  // Those who keep a set between their requests. Thread-safe.
  void enter(KeptPolicies& kept);
  void leave(KeptPolicies& kept);

 private:
  // Puts the set in use. Returns its generation.
  uint64_t use(std::shared_ptr<const v1::Engine> engine);

  Log& log_;
  Metrics& metrics_;
  mutable std::mutex mutex_;
  PolicySet current_;
  std::vector<KeptPolicies*> kept_;
  std::string trouble_;
  std::atomic<uint64_t> generation_ = 0;
};

// The set that a worker keeps between its requests. Belongs to one thread, but for `drop`.
class KeptPolicies {
 public:
  explicit KeptPolicies(Policies& policies) : policies_(policies) { policies_.enter(*this); }
  ~KeptPolicies() {
    policies_.leave(*this);
    drop();
  }
  KeptPolicies(const KeptPolicies&) = delete;
  KeptPolicies& operator=(const KeptPolicies&) = delete;

  // The current set for a request; null before the first is loaded.
  PolicySetPtr take() {
    PolicySetPtr set = empty();
    if (set == nullptr || set->generation != policies_.generation()) set = policies_.current();
    return set;
  }
  // Keeps the set after the request, unless it has been exchanged. `Policies` writes the generation and then drops, here it
  // is the other way round: one of the two sees the other.
  void keep(PolicySetPtr set) {
    if (set == nullptr) return;
    const uint64_t generation = set->generation;
    set_ = set.release();
    if (generation != policies_.generation()) drop();
  }
  // Drops what is kept while there is no request. Thread-safe.
  void drop() { empty(); }

 private:
  PolicySetPtr empty() { return PolicySetPtr(set_.exchange(nullptr)); }

  Policies& policies_;
  std::atomic<const PolicySet*> set_ = nullptr;  // owned; null during a request
};

}  // namespace portcullis::server
