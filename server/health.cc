// See health.h.
#include "server/health.h"

namespace portcullis::server {
namespace {

struct Check {
  std::string_view name;
  bool good = true;
  std::string detail;
};

}  // namespace

std::optional<HealthAnswer> answer_health(std::string_view method, std::string_view target,
                                          const Health& health) {
  std::string_view path = target.substr(0, target.find('?'));
  const bool ready = path == "/readyz";
  if (!ready && path != "/healthz" && path != "/livez") return std::nullopt;
  if (method != "GET" && method != "HEAD") return HealthAnswer{405, "want GET\n"};
  Check checks[] = {
      {"ping", true, {}}, {"policies", true, {}}, {"shutdown", true, {}}, {"cluster", true, {}}};
  size_t count = !ready ? 1 : health.cluster == nullptr ? 3 : 4;
  if (ready) {
    uint64_t generation = health.policies.generation();
    std::string trouble = health.policies.trouble();
    checks[1].good = generation > 0;
    checks[1].detail = generation > 0 ? "generation " + std::to_string(generation) : "none are loaded";
    if (!trouble.empty()) checks[1].detail += "; newer files do not load: " + trouble;
    checks[2].good = !health.ends.load();
    if (!checks[2].good) checks[2].detail = "the server shuts down";
    if (health.cluster != nullptr) {
      ClusterPolicies::Health cluster = health.cluster->health();
      checks[3].good = cluster.known;
      checks[3].detail = std::move(cluster.detail);
    }
  }
  bool good = true;
  std::string lines;
  for (const Check& c : std::span(checks, count)) {
    good &= c.good;
    lines.append(c.good ? "[+]" : "[-]").append(c.name).append(c.good ? " ok" : " failed");
    if (!c.detail.empty()) lines.append(": ").append(c.detail);
    lines += "\n";
  }
  const std::string name(path.substr(1));
  if (!good) return HealthAnswer{500, lines + name + " check failed\n"};
  const bool verbose = target.find("?verbose") != target.npos || target.find("&verbose") != target.npos;
  return HealthAnswer{200, verbose ? lines + name + " check passed\n" : "ok"};
}

}  // namespace portcullis::server
