// See metrics.h.
#include "server/metrics.h"

#include <prometheus/text_serializer.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

#include "server/registered.h"
#include "server/request_words.h"

namespace portcullis::server {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using Labels = std::map<std::string, std::string>;

// Those of apiserver_admission_controller_admission_duration_seconds.
const Histogram::BucketBoundaries kAdmissionBuckets = {0.005, 0.025, 0.1, 0.5, 1.0, 2.5};
const Histogram::BucketBoundaries kRequestBuckets = {0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005,
                                                     0.001,   0.0025,   0.005,   0.01,   0.025,   0.1,
                                                     0.5,     1.0,      2.5,     10.0};

// ErrorType() of both dispatchers; that a validation is false is an "invalid_error" there.
std::string_view error_type(bool admits, std::string_view message) {
  if (admits) return "no_error";
  if (message.starts_with("compilation")) return "compile_error";
  if (message.starts_with("validation failed due to running out of cost budget")) return "out_of_budget";
  return "invalid_error";
}

// The second number of /proc/self/statm: resident pages.
double resident_bytes() {
  std::ifstream in("/proc/self/statm");
  double all = 0, resident = 0;
  in >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double open_files() {
  std::error_code error;
  double count = 0;
  for (std::filesystem::directory_iterator it("/proc/self/fd", error), end; !error && it != end;
       it.increment(error))
    count++;
  return count;
}

}  // namespace

struct Metrics::State {
  prometheus::Registry registry;
  std::mutex mutex;  // of what follows
  std::function<void()> before_reading;
  Family<Counter>& validating = counters(registry, "apiserver_validating_admission_policy_check_total",
                                         "Validation admission policy check total, labeled by policy and "
                                         "further identified by binding and enforcement action taken.");
  Family<Counter>& mutating =
      counters(registry, "apiserver_mutating_admission_policy_check_total",
               "Mutation admission policy check total, labeled by policy and further identified by binding.");
  Family<Histogram>& admission =
      histograms(registry, "apiserver_admission_controller_admission_duration_seconds",
                 "Admission controller latency histogram in seconds, identified by name and broken out for "
                 "each operation and API resource and type (validate or admit).");
  Family<Counter>& requests =
      counters(registry, "portcullis_http_requests_total", "Answered requests, by path and HTTP status.");
  Family<Histogram>& durations = histograms(registry, "portcullis_http_request_duration_seconds",
                                            "Time from the last byte of a request to its answer, by path.");
  Family<Counter>& undecided = counters(registry, "portcullis_undecided_total",
                                        "Requests that the server itself could not decide, by reason.");
  Family<Counter>& reloads =
      counters(registry, "portcullis_policy_reloads_total", "Attempts to load the policies, by result.");
  Family<Counter>& certificates = counters(registry, "portcullis_certificate_reloads_total",
                                           "Attempts to load the certificate, by result.");
  Counter& reload_success = reloads.Add({{"result", "success"}});
  Counter& reload_error = reloads.Add({{"result", "error"}});
  Counter& certificate_success = certificates.Add({{"result", "success"}});
  Counter& certificate_error = certificates.Add({{"result", "error"}});
  std::vector<Counter*> of_undecided;  // in the order of kUndecided
  Counter& audit_lost = counter(registry, "portcullis_audit_lines_lost_total",
                                "Decisions that could not be written to the audit log.");
  Gauge& policies = gauge(registry, "portcullis_policies", "Loaded policies that have a binding.");
  Gauge& bindings = gauge(registry, "portcullis_bindings", "Loaded bindings of policies.");
  Gauge& loaded = gauge(registry, "portcullis_policies_loaded_timestamp_seconds",
                        "When the policies in use were loaded.");
  Gauge& healthy = gauge(registry, "portcullis_policies_last_reload_successful",
                         "1 if the files that were read last are in use, 0 if older ones are.");
  Gauge& expires =
      gauge(registry, "portcullis_certificate_expiry_timestamp_seconds", "When the certificate expires.");
  Gauge& connections = gauge(registry, "portcullis_connections", "Open connections of the webhook.");
  Counter& accepted =
      counter(registry, "portcullis_connections_total", "Accepted connections of the webhook.");
  Counter& handshakes = counter(registry, "portcullis_handshake_failures_total",
                                "Connections of the webhook that did not get through TLS.");
  Gauge& in_flight =
      gauge(registry, "portcullis_requests_in_flight", "Requests that are read and not answered.");
  Gauge& resident = gauge(registry, "process_resident_memory_bytes", "Resident memory size in bytes.");
  Gauge& files = gauge(registry, "process_open_fds", "Number of open file descriptors.");
  Gauge& start =
      gauge(registry, "process_start_time_seconds", "Start time of the process since unix epoch in seconds.");
  Counter& processor =
      counter(registry, "process_cpu_seconds_total", "Total user and system CPU time spent in seconds.");

  State() {
    for (const UndecidedWords& words : kUndecided)
      of_undecided.push_back(&undecided.Add({{"reason", std::string(words.metric)}}));
  }
};

Metrics::Metrics() : state_(std::make_unique<State>()) { state_->start.SetToCurrentTime(); }
Metrics::~Metrics() = default;

void Metrics::connections(double change) {
  state_->connections.Increment(change);
  if (change > 0) state_->accepted.Increment();
}
void Metrics::in_flight(double change) { state_->in_flight.Increment(change); }

void Metrics::undecided(Undecided why) { state_->of_undecided[static_cast<size_t>(why)]->Increment(); }

void Metrics::reloaded(bool success, size_t policies, size_t bindings) {
  (success ? state_->reload_success : state_->reload_error).Increment();
  state_->healthy.Set(success ? 1 : 0);
  if (!success) return;
  state_->policies.Set(static_cast<double>(policies));
  state_->bindings.Set(static_cast<double>(bindings));
  state_->loaded.SetToCurrentTime();
}

void Metrics::certificate(bool success, double expires) {
  (success ? state_->certificate_success : state_->certificate_error).Increment();
  if (success) state_->expires.Set(expires);
}

prometheus::Registry& Metrics::registry() { return state_->registry; }

void Metrics::handshake_failed() { state_->handshakes.Increment(); }

void Metrics::audit_lost(uint64_t lines) { state_->audit_lost.Increment(static_cast<double>(lines)); }

void Metrics::before_reading(std::function<void()> call) {
  std::lock_guard lock(state_->mutex);
  state_->before_reading = std::move(call);
}

std::string Metrics::text() {
  {
    std::lock_guard lock(state_->mutex);
    if (state_->before_reading) state_->before_reading();
  }
  state_->resident.Set(resident_bytes());
  state_->files.Set(open_files());
  state_->processor.Increment(std::max(0.0, processor_seconds() - state_->processor.Value()));
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, state_->registry.Collect());
  return std::move(out).str();
}

struct Tally::State {
  Metrics::State& metrics;
  std::unordered_map<std::string, Counter*> counters;  // by all their labels
  std::unordered_map<std::string, Histogram*> histograms;
  std::string key;  // reused

  // The counter with these labels. `sort` tells families apart.
  Counter& counter(std::string_view sort, Family<Counter>& family,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> labels) {
    make_key(sort, labels);
    Counter*& found = counters[key];
    if (found == nullptr) found = &family.Add(labels_of(labels));
    return *found;
  }
  Histogram& histogram(std::string_view sort, Family<Histogram>& family,
                       const Histogram::BucketBoundaries& buckets,
                       std::initializer_list<std::pair<std::string_view, std::string_view>> labels) {
    make_key(sort, labels);
    Histogram*& found = histograms[key];
    if (found == nullptr) found = &family.Add(labels_of(labels), buckets);
    return *found;
  }

 private:
  void make_key(std::string_view sort,
                std::initializer_list<std::pair<std::string_view, std::string_view>> labels) {
    key = sort;
    for (const auto& [name, value] : labels) key.append(1, '\0').append(value);
  }
  static Labels labels_of(std::initializer_list<std::pair<std::string_view, std::string_view>> labels) {
    Labels out;
    for (const auto& [name, value] : labels) out.emplace(name, value);
    return out;
  }
};

Tally::Tally(Metrics& metrics) : state_(new State{metrics.state(), {}, {}, {}}) {}
Tally::~Tally() = default;

void Tally::request(std::string_view path, unsigned status, double seconds) {
  State& s = *state_;
  const std::string code = std::to_string(status);
  s.counter("requests", s.metrics.requests, {{"path", path}, {"code", code}}).Increment();
  s.histogram("durations", s.metrics.durations, kRequestBuckets, {{"path", path}}).Observe(seconds);
}

void Tally::review(const v1::JsonAnswer& answer, v1::Plugins plugins) {
  State& s = *state_;
  const v1::Decision& d = *answer.decision;
  using Kind = v1::ValidationResult::Kind;
  for (const v1::ValidationResult& r : d.results) {
    if (r.kind == Kind::Passed || r.kind == Kind::ConditionsFalse || r.kind == Kind::ConfigError) continue;
    auto count = [&](std::string_view action) {
      s.counter("validating", s.metrics.validating,
                {{"policy", r.policy},
                 {"policy_binding", r.binding},
                 {"error_type", error_type(false, r.message)},
                 {"enforcement_action", action}})
          .Increment();
    };
    if (r.ignored) count("allow");
    if (r.denied) count("deny");
    if (r.audited) count("audit");
    if (r.warned) count("warn");
  }
  for (const v1::MutationResult& r : d.mutations) {
    if (r.mutation < 0) continue;
    const bool failed = r.kind == v1::MutationResult::Kind::Error;
    s.counter("mutating", s.metrics.mutating,
              {{"policy", r.policy},
               {"policy_binding", r.binding},
               {"error_type", error_type(!failed, r.message)}})
        .Increment();
  }
  auto plugin = [&](std::string_view name, std::string_view type) {
    s.histogram("admission", s.metrics.admission, kAdmissionBuckets,
                {{"name", name},
                 {"operation", operation_text(answer.request.operation)},
                 {"rejected", d.allowed ? "false" : "true"},
                 {"type", type}})
        .Observe(std::chrono::duration<double>(answer.time).count());
  };
  if (plugins == v1::Plugins::Validating) {
    plugin("ValidatingAdmissionPolicy", "validate");
  } else if (plugins == v1::Plugins::All) {
    plugin("Portcullis", "review");
  } else {
    plugin("MutatingAdmissionPolicy", "admit");
  }
}

}  // namespace portcullis::server
