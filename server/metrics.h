// The server's metrics, in the format of Prometheus.
//
// Idea: where the API server has a metric of the same meaning, it has the API server's name, labels and buckets;
// the others begin with portcullis_. prometheus-cpp keeps and prints them. A worker keeps the counters that it
// used, by their labels, so that counting takes no lock.
// Source of behaviour: apiserver pkg/admission/plugin/policy/{validating,mutating}/{dispatcher,errors}.go and
// metrics/metrics.go: which checks count, and as what. Limits: the duration of single expressions
// (check_duration_seconds) is not measured. Tested by tests/server/run.py.
#pragma once

#include <portcullis/admission.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace prometheus {
class Registry;
}

namespace portcullis::server {

// Why the server itself could not decide a request.
enum class Undecided { NoPolicies, Overload, Deadline, Namespace, TooLarge, Memory };
struct UndecidedWords {
  std::string_view metric;  // in the metric and in the log
  std::string_view text;    // in the answer
  unsigned status;          // of HTTP
  std::string_view reason;  // of the metav1.Status
};
// Rows in the order of Undecided.
inline constexpr UndecidedWords kUndecided[] = {
    {"no_policies", "the server has no policies yet", 503, "ServiceUnavailable"},
    {"overload", "the server has too many requests, please try again later", 429, "TooManyRequests"},
    {"deadline", "the request waited for longer than its timeout", 504, "Timeout"},
    {"namespace", "it is unknown whether the namespace exists", 503, "ServiceUnavailable"},
    {"too_large", "the body of the request is too large", 413, "RequestEntityTooLarge"},
    {"memory", "the request needs too much memory, or its answer is too large", 500, "InternalError"}};
constexpr const UndecidedWords& words_of(Undecided why) { return kUndecided[static_cast<size_t>(why)]; }

class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // Of the connections and requests of the server.
  void connections(double change);
  void in_flight(double change);
  void handshake_failed();
  void undecided(Undecided why);
  // Of the policies. `success`: whether the set was exchanged.
  void reloaded(bool success, size_t policies, size_t bindings);
  // The time at which the certificate expires, in seconds since 1970.
  void certificate(bool success, double expires);
  void audit_lost(uint64_t lines);

  // For the metrics of others.
  prometheus::Registry& registry();
  // Sets what is called each time before the metrics are read, for those that change with the time; it may be empty.
  // When this returns, what was set before is not called any more. Thread-safe.
  void before_reading(std::function<void()> call);

  // All of them as text.
  std::string text();

  struct State;
  State& state() { return *state_; }  // for Tally

 private:
  std::unique_ptr<State> state_;
};

// What one worker counts. Belongs to one thread.
class Tally {
 public:
  explicit Tally(Metrics& metrics);
  ~Tally();

  // A request to a path was answered with an HTTP status after `seconds` since it was read.
  void request(std::string_view path, unsigned status, double seconds);
  // A review. The Context must want the results of failures.
  void review(const v1::JsonAnswer& answer, v1::Plugins plugins);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace portcullis::server
