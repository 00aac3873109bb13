// See health.h.
#include "server/health.h"

#include <utility>
#include <vector>

namespace portcullis::server {
namespace {

struct Check {
  std::string_view name;
  bool good = true;
  std::string detail = {};
};

}  // namespace

std::optional<HealthAnswer> answer_health(std::string_view method, std::string_view target,
                                          const Health& health) {
  std::string_view path = target.substr(0, target.find('?'));
  const bool ready = path == "/readyz";
  if (!ready && path != "/healthz" && path != "/livez") return std::nullopt;
  if (method != "GET" && method != "HEAD") return HealthAnswer{405, "want GET\n"};
  std::vector<Check> checks = {{"ping"}};
  if (ready) {
    const uint64_t generation = health.policies.generation();
    const std::string trouble = health.policies.trouble();
    std::string detail = generation > 0 ? "generation " + std::to_string(generation) : "none are loaded";
    if (!trouble.empty()) detail += "; newer files do not load: " + trouble;
    checks.push_back({"policies", generation > 0, std::move(detail)});
    const bool ends = health.ends.load();
    checks.push_back({"shutdown", !ends, ends ? "the server shuts down" : ""});
  }
  if (ready && health.cluster != nullptr) {
    ClusterPolicies::Health cluster = health.cluster->health();
    checks.push_back({"cluster", cluster.known, std::move(cluster.detail)});
  }
  bool good = true;
  std::string lines;
  for (const Check& c : checks) {
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
