// See cluster_metrics.h.
#include "server/cluster_metrics.h"

#include <atomic>

#include "server/registered.h"

namespace portcullis::server {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using Clock = std::chrono::steady_clock;

struct ClusterMetrics::State {
  prometheus::Registry& registry;
  Family<Gauge>& objects =
      gauges(registry, "portcullis_cluster_objects", "Objects of the cluster that are held, by resource.");
  Family<Counter>& failures = counters(registry, "portcullis_cluster_watch_failures_total",
                                       "Failures to list or watch a resource of the cluster.");
  Family<Counter>& lists =
      counters(registry, "portcullis_cluster_lists_total", "Complete lists of a resource of the cluster.");
  Gauge& connected = gauge(registry, "portcullis_cluster_connected",
                           "1 if all watches of the cluster work, 0 if what is held may be old.");
  Gauge& age = gauge(registry, "portcullis_cluster_data_age_seconds",
                     "For how long changes of the cluster may not be in use; 0 if all are.");
  Gauge& bytes =
      gauge(registry, "portcullis_cluster_bytes", "Size of the objects of the cluster that are held.");
  Gauge& invalid = gauge(
      registry, "portcullis_cluster_objects_invalid",
      "Policies and other objects of the cluster that do not load: they fail when a request meets them.");
  Gauge& unreadable = gauge(registry, "portcullis_cluster_param_kinds_unreadable",
                            "Kinds of params that policies name, and that cannot be read.");
  Counter& exchanges = counter(registry, "portcullis_cluster_data_exchanges_total",
                               "Exchanges of params, namespaces and roles without loading policies again.");

  Metrics& metrics;
  std::atomic<Clock::time_point> old_since = Clock::time_point();  // that of the clock's beginning: never

  explicit State(Metrics& m) : registry(m.registry()), metrics(m) {
    metrics.before_reading([this] {
      const Clock::time_point since = old_since;
      age.Set(since == Clock::time_point() ? 0 : std::chrono::duration<double>(Clock::now() - since).count());
    });
  }
  ~State() { metrics.before_reading({}); }
};

ClusterMetrics::ClusterMetrics(Metrics& metrics) : state_(std::make_unique<State>(metrics)) {}
ClusterMetrics::~ClusterMetrics() = default;

void ClusterMetrics::connected(bool connected) { state_->connected.Set(connected ? 1 : 0); }
void ClusterMetrics::old_since(std::optional<Clock::time_point> time) {
  state_->old_since = time.value_or(Clock::time_point());
}
void ClusterMetrics::objects(const std::string& resource, size_t count) {
  state_->objects.Add({{"resource", resource}}).Set(static_cast<double>(count));
}
void ClusterMetrics::gone(const std::string& resource) {
  state_->objects.Remove(&state_->objects.Add({{"resource", resource}}));
}
void ClusterMetrics::bytes(size_t bytes) { state_->bytes.Set(static_cast<double>(bytes)); }
void ClusterMetrics::failed(const std::string& resource) {
  state_->failures.Add({{"resource", resource}}).Increment();
}
void ClusterMetrics::listed(const std::string& resource) {
  state_->lists.Add({{"resource", resource}}).Increment();
}
void ClusterMetrics::invalid(size_t objects) { state_->invalid.Set(static_cast<double>(objects)); }
void ClusterMetrics::unreadable(size_t kinds) { state_->unreadable.Set(static_cast<double>(kinds)); }
void ClusterMetrics::exchanged() { state_->exchanges.Increment(); }

}  // namespace portcullis::server
