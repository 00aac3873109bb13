#include "admission/builtin/services.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "admission/builtin/access.h"
#include "interpreter/values/list_types.h"

namespace portcullis::builtin {
namespace {

constexpr std::string_view kHeadless = "None";

std::string_view type_of(Object& service) { return text(service, "spec.type"); }
bool needs_address(Object& service) { return type_of(service) != "ExternalName"; }
bool is_balanced(Object& service) { return type_of(service) == "LoadBalancer"; }
bool needs_node_ports(Object& service) { return type_of(service) == "NodePort" || is_balanced(service); }
bool gets_node_ports(Object& service) {
  return type_of(service) == "NodePort" ||
         (is_balanced(service) && is_set(service, "spec.allocateLoadBalancerNodePorts"));
}
bool needs_health_check(Object& service) {
  return is_balanced(service) && text(service, "spec.externalTrafficPolicy") == "Local";
}
bool is_exposed(Object& service) {
  return needs_node_ports(service) ||
         (type_of(service) == "ClusterIP" && count(service, "spec.externalIPs") > 0);
}

int64_t number_at(Object& o, std::string_view path) {
  const Value* slot = find(o, path);
  return access::has(slot) && slot->is(Kind::Int) ? slot->as_int() : 0;
}

std::set<int64_t> node_ports(Object& service) {
  std::set<int64_t> out;
  each_item(service, "spec.ports", [&](Object& port) { out.insert(number_at(port, "nodePort")); });
  out.erase(0);
  return out;
}

bool same_at(Object& a, Object& b, std::string_view path) {
  const Value *x = find(a, path), *y = find(b, path);
  return access::has(x) && access::has(y) ? same_data(*x, *y) : access::has(x) == access::has(y);
}
bool same_addresses(Object& a, Object& b) {
  return text(a, "spec.clusterIP") == text(b, "spec.clusterIP") && same_at(a, b, "spec.clusterIPs");
}

void take(Object& o, Object& stored, std::string_view path) { set(o, path, *find(stored, path)); }
void clear_if_same(Object& o, Object& stored, std::string_view path) {
  if (same_at(o, stored, path)) set(o, path, absent());
}

// --- allocation ---

bool is_headless(Object& service) {
  const Value* addresses = find(service, "spec.clusterIPs");
  return text(service, "spec.clusterIP") == kHeadless ||
         (count(service, "spec.clusterIPs") != 0 && addresses->as_list()[0].as_text() == kHeadless);
}

void choose_families(Arena& arena, Object& service) {
  const bool selectorless = is_headless(service) && count(service, "spec.selector") == 0;
  if (text(service, "spec.ipFamilyPolicy").empty())
    set(service, "spec.ipFamilyPolicy", Value::string(selectorless ? "RequireDualStack" : "SingleStack"));
  if (count(service, "spec.ipFamilies") != 0) return;
  std::vector<Value> families;
  for (const Value& address : values_of(service, "spec.clusterIPs")) {
    if (address.as_text() == kHeadless) break;
    families.push_back(
        Value::string(address.as_text().find(':') == std::string_view::npos ? "IPv4" : "IPv6"));
  }
  if (families.empty()) families.push_back(Value::string("IPv4"));
  const std::string_view policy = text(service, "spec.ipFamilyPolicy");
  if (families.size() == 1 && (policy == "RequireDualStack" || (selectorless && policy != "SingleStack")))
    families.push_back(Value::string(families[0].as_text() == "IPv4" ? "IPv6" : "IPv4"));
  set(service, "spec.ipFamilies", list_of(arena, families));
}

void choose_node_ports(Object& service) {
  constexpr int64_t kFirstNodePort = 30000;
  std::set<int64_t> used = node_ports(service);
  int64_t next = kFirstNodePort;
  each_item(service, "spec.ports", [&](Object& port) {
    if (number_at(port, "nodePort") != 0) return;
    while (!used.insert(next).second) next++;
    set(port, "nodePort", Value::integer(next));
  });
}

void allocate(Arena& arena, Object& service) {
  if (needs_address(service)) {
    choose_families(arena, service);
    if (text(service, "spec.clusterIP").empty())
      set(service, "spec.clusterIP", Value::string(is_headless(service) ? kHeadless : kClusterAddress));
    if (count(service, "spec.clusterIPs") == 0)
      set(service, "spec.clusterIPs", list_of(arena, {*find(service, "spec.clusterIP")}));
  }
  if (gets_node_ports(service)) choose_node_ports(service);
  if (needs_health_check(service) && number_at(service, "spec.healthCheckNodePort") == 0) {
    constexpr int64_t kHealthCheckPort = 31000;
    set(service, "spec.healthCheckNodePort", Value::integer(kHealthCheckPort));
  }
}

// --- updates ---

// Ports that have none get the node port of the stored port of that name, unless another one has it.
void keep_node_ports(Object& service, Object& stored) {
  const std::set<int64_t> before = node_ports(stored), sent = node_ports(service);
  std::map<std::string_view, int64_t> by_name;
  each_item(stored, "spec.ports",
            [&](Object& port) { by_name[text(port, "name")] = number_at(port, "nodePort"); });
  each_item(service, "spec.ports", [&](Object& port) {
    if (number_at(port, "nodePort") != 0) return;
    const auto held = by_name.find(text(port, "name"));
    if (held == by_name.end() || held->second == 0 || sent.contains(held->second)) return;
    set(port, "nodePort", Value::integer(held->second));
  });
}

// A changed clusterIP changes clusterIPs, if an older client leaves them as they were.
void follow_address(Arena& arena, Object& service, Object& stored) {
  const std::string_view now = text(service, "spec.clusterIP"), before = text(stored, "spec.clusterIP");
  if (now == before || !same_at(service, stored, "spec.clusterIPs")) return;
  set(service, "spec.clusterIPs",
      now.empty() ? absent() : list_of(arena, {*find(service, "spec.clusterIP")}));
}

void keep_allocated(Object& service, Object& stored) {
  if (needs_address(stored) && needs_address(service)) {
    if (text(service, "spec.clusterIP").empty()) take(service, stored, "spec.clusterIP");
    if (count(service, "spec.clusterIPs") == 0) take(service, stored, "spec.clusterIPs");
    if (text(service, "spec.ipFamilyPolicy").empty()) take(service, stored, "spec.ipFamilyPolicy");
  }
  if (gets_node_ports(stored) && gets_node_ports(service)) keep_node_ports(service, stored);
  if (needs_health_check(stored) && needs_health_check(service) &&
      number_at(service, "spec.healthCheckNodePort") == 0)
    take(service, stored, "spec.healthCheckNodePort");
}

// A Service that becomes one of a single family leaves the second one.
void leave_second_family(Arena& arena, Object& service, Object& stored) {
  if (text(service, "spec.ipFamilyPolicy") != "SingleStack" || !needs_address(service)) return;
  const bool addresses = same_addresses(service, stored),
             families = same_at(service, stored, "spec.ipFamilies");
  const auto cut = [&](std::string_view path) {
    if (count(service, path) > 1) set(service, path, list_of(arena, {find(service, path)->as_list()[0]}));
  };
  if (addresses) cut("spec.clusterIPs");
  if (families) cut("spec.ipFamilies");
}

// What the new type has no use for goes, if the update leaves it as it was.
void clear_unused(Arena& arena, Object& service, Object& stored) {
  if (needs_address(stored) && !needs_address(service)) {
    if (same_addresses(service, stored)) {
      set(service, "spec.clusterIP", absent());
      set(service, "spec.clusterIPs", absent());
    }
    clear_if_same(service, stored, "spec.ipFamilies");
    clear_if_same(service, stored, "spec.ipFamilyPolicy");
  }
  if (needs_node_ports(stored) && !needs_node_ports(service) &&
      std::ranges::includes(node_ports(stored), node_ports(service)))
    each_item(service, "spec.ports", [](Object& port) { set(port, "nodePort", absent()); });
  if (needs_health_check(stored) && !needs_health_check(service))
    clear_if_same(service, stored, "spec.healthCheckNodePort");
  if (is_balanced(stored) && !is_balanced(service)) {
    clear_if_same(service, stored, "spec.allocateLoadBalancerNodePorts");
    clear_if_same(service, stored, "spec.loadBalancerClass");
  }
  if (is_exposed(stored) && !is_exposed(service))
    clear_if_same(service, stored, "spec.externalTrafficPolicy");
  // The status is that of the stored Service.
  if (!is_balanced(service) && unshared(arena, service, "status") != nullptr)
    reset(arena, service, "status.loadBalancer");
}

}  // namespace

void fill_service(const Filling& with, Object& service) {
  reset(with.arena, service, "status");
  allocate(with.arena, service);
}

void keep_service(const Filling& with, Object& service, Object& stored) {
  keep_allocated(service, stored);
  follow_address(with.arena, service, stored);
  leave_second_family(with.arena, service, stored);
  allocate(with.arena, service);
  clear_unused(with.arena, service, stored);
}

}  // namespace portcullis::builtin
