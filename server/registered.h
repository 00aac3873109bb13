// Metrics of a registry, by their names and what they mean. Tested by tests/server/run.py, tests/server/watching.py.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

namespace portcullis::server {

// Those that labels tell apart.
inline prometheus::Family<prometheus::Counter>& counters(prometheus::Registry& registry, const char* name,
                                                         const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}
inline prometheus::Family<prometheus::Gauge>& gauges(prometheus::Registry& registry, const char* name,
                                                     const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}
inline prometheus::Family<prometheus::Histogram>& histograms(prometheus::Registry& registry, const char* name,
                                                             const char* help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

// Those without labels.
inline prometheus::Counter& counter(prometheus::Registry& registry, const char* name, const char* help) {
  return counters(registry, name, help).Add({});
}
inline prometheus::Gauge& gauge(prometheus::Registry& registry, const char* name, const char* help) {
  return gauges(registry, name, help).Add({});
}

}  // namespace portcullis::server
