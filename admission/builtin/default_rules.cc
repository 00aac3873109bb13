// Defaults that depend on several fields: see default_rows.h.

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "admission/builtin/access.h"
#include "admission/builtin/default_rows.h"
#include "admission/builtin/image.h"
#include "admission/objects/request.h"
#include "grammar/ascii.h"
#include "interpreter/values/builder.h"

namespace portcullis::builtin {
namespace {

void pull_policy(Object& o, std::string_view image, std::string_view policy) {
  if (text(o, policy).empty()) {
    set(o, policy, Value::string(image_tag(text(o, image)) == "latest" ? "Always" : "IfNotPresent"));
  }
}

void container(const Defaulting&, Object& o) {
  Value& policy = *find<"imagePullPolicy">(o);
  if (policy.is(Kind::String) && policy.size() != 0) return;
  policy = Value::string(image_tag(text<"image">(o)) == "latest" ? "Always" : "IfNotPresent");
}

// A volume without a source is an emptyDir.
void default_volume(const Defaulting& with, Object& o) {
  static const std::vector<uint8_t> is_source = [] {
    std::vector<uint8_t> made;
    for (const FieldRow& f : fields_of(*find_struct("api/core/v1.Volume")))
      made.push_back(text_at(f.embedding) == "VolumeSource");
    return made;
  }();
  bool any = false;
  for (size_t i = 0; i < is_source.size(); ++i) any |= is_source[i] && !is_absent(o.slots[i]);
  if (!any)
    set<"emptyDir">(o,
                    Value::opaque(make_object(with.arena, *find_struct("api/core/v1.EmptyDirVolumeSource"))));
  if (Object* image = child<"image">(o)) pull_policy(*image, "reference", "pullPolicy");
}

// serviceAccount is the old name of serviceAccountName, which wins.
void pod_spec(const Defaulting&, Object& o) {
  Value &current = *find<"serviceAccountName">(o), &old = *find<"serviceAccount">(o);
  if (!current.is(Kind::String) || current.size() == 0) current = old;
  old = current;
}

// Copies entries of the map `from` to the map `to` where `to` lacks their key; creates `to` if it is absent.
void fill_map(Arena& arena, Object& o, std::string_view from, std::string_view to) {
  Value* source = find(o, from);
  Value* target = find(o, to);
  size_t extra = source->is(Kind::Map) ? source->size() : 0,
         held = target->is(Kind::Map) ? target->size() : 0;
  MapEntry* entries = alloc_entries(arena, held + extra);
  size_t n = 0;
  if (held != 0) {
    for (const MapEntry& e : target->as_map()) entries[n++] = e;
  }
  if (extra != 0) {
    for (const MapEntry& e : source->as_map()) {
      if (held == 0 || find_key(*target, e.key) == nullptr) entries[n++] = e;
    }
  }
  *target = make_map(entries, n);
}

// Whether `container` requests all that it limits, as most do.
bool requests_its_limits(const Value& container) {
  Value resources = peek<"resources">(container), limits = peek<"limits">(resources);
  if (is_absent(limits)) return true;
  Value requests = peek<"requests">(resources);
  return limits.is(Kind::Map) && requests.is(Kind::Map) &&
         std::ranges::all_of(limits.as_map(),
                             [&](const MapEntry& e) { return find_key(requests, e.key) != nullptr; });
}

void host_ports(Object& container) {
  each_item(container, "ports", [](Object& port) {
    Value* host = find(port, "hostPort");
    if (is_absent(*host) || host->as_int() == 0) *host = *find(port, "containerPort");
  });
}

void pod(const Defaulting& with, Object& o) {
  Value* grace = find<"spec.terminationGracePeriodSeconds">(o);
  if (grace->is(Kind::Int) && grace->as_int() < 0) *grace = Value::integer(1);
  bool host = is_set<"spec.hostNetwork">(o);
  for (FieldSlot list : {locate<"spec.containers">(o), locate<"spec.initContainers">(o)}) {
    for (const Value& held : access::items(list)) {
      bool fill = !requests_its_limits(held);
      if (!fill && !host) continue;  // so that a container that was passed through stays
      Object& container = *access::item(list, held);
      if (fill) fill_map(with.arena, container, "resources.limits", "resources.requests");
      if (host) host_ports(container);
    }
  }
}

// podIP and the first of podIPs are the same address; podIP wins.
void pod_status(const Defaulting& with, Object& o) {
  Value* list = find<"podIPs">(o);
  if (!has<"podIP">(o) && is_absent(*list)) return;
  std::string_view ip = text(o, "podIP");
  Value first_address = count(o, "podIPs") > 0 ? peek<"ip">(list->as_list()[0]) : absent();
  std::string_view first = access::text(&first_address);
  if (ip.empty()) {
    if (count(o, "podIPs") > 0) set(o, "podIP", Value::string(first));
  } else if (count(o, "podIPs") == 0 || first != ip) {
    Object* item = make_object(with.arena, *find_struct("api/core/v1.PodIP"));
    set(*item, "ip", Value::string(ip));
    *list = Value::list(with.arena.make<Value>(Value::opaque(item)), 1);
  }
}

void default_service(const Defaulting&, Object& o) {
  if (std::string_view affinity = text(o, "spec.sessionAffinity"); affinity.empty() || affinity == "None") {
    set(o, "spec.sessionAffinityConfig", absent());
  }
  if (text(o, "spec.type") != "LoadBalancer") return;
  each_item(o, "status.loadBalancer.ingress", [](Object& ingress) {
    if (!text(ingress, "ip").empty() && !has(ingress, "ipMode")) set(ingress, "ipMode", Value::string("VIP"));
  });
}

void service_port(const Defaulting&, Object& o) {
  Value* target = find(o, "targetPort");
  bool unset = is_absent(*target) || (target->is(Kind::Int) ? target->as_int() == 0 : target->size() == 0);
  if (unset) {
    const Value* port = find(o, "port");
    *target = is_absent(*port) ? Value::integer(0) : *port;
  }
}

// Both then share one map, as in Go: registry.cc adds to it. Labels that were sent are a map of their own.
void labels_from_template(Object& o) {
  Value *labels = find(o, "spec.template.metadata.labels"), *own = find(o, "metadata.labels");
  if (labels == nullptr || own == nullptr || is_absent(*labels)) return;
  if (count(o, "metadata.labels") == 0) {
    *own = *labels;
  } else {
    separate_labels(o);
  }
}

void replication_controller(const Defaulting&, Object& o) {
  Value* labels = find(o, "spec.template.metadata.labels");
  if (labels != nullptr && !is_absent(*labels) && count(o, "spec.selector") == 0)
    set(o, "spec.selector", *labels);
  labels_from_template(o);
}

void default_job(const Defaulting&, Object& o) { labels_from_template(o); }

// The beta versions default selector and labels to those of the template.
void old_workload(const Defaulting& with, Object& o) {
  Value* labels = find(o, "spec.template.metadata.labels");
  if (labels != nullptr && !is_absent(*labels) && !has(o, "spec.selector")) {
    Object* selector = make_object(with.arena, *find_struct("apimachinery/pkg/apis/meta/v1.LabelSelector"));
    set(*selector, "matchLabels", *labels);
    set(o, "spec.selector", Value::opaque(selector));
  }
  labels_from_template(o);
}

void namespace_label(const Defaulting& with, Object& o) {
  std::string_view name = text(o, "metadata.name");
  if (name.empty()) return;
  Value* labels = find(o, "metadata.labels");
  size_t held = labels->is(Kind::Map) ? labels->size() : 0;
  MapEntry* entries = alloc_entries(with.arena, held + 1);
  for (size_t i = 0; i < held; ++i) entries[i] = labels->as_map()[i];
  entries[held] = {Value::string(kNamespaceNameLabel),
                   Value::string(name)};  // a later entry with the same key wins
  *labels = make_map(entries, held + 1);
}

void node_status(const Defaulting&, Object& o) {
  if (!has(o, "allocatable") && has(o, "capacity")) set(o, "allocatable", *find(o, "capacity"));
}

void limit_range_item(const Defaulting& with, Object& o) {
  if (text(o, "type") != "Container") return;
  fill_map(with.arena, o, "max", "default");
  fill_map(with.arena, o, "default", "defaultRequest");
  fill_map(with.arena, o, "min", "defaultRequest");
}

void network_policy(const Defaulting& with, Object& o) {
  if (count(o, "spec.policyTypes") != 0) return;
  Value* types = with.arena.array<Value>(2);
  types[0] = Value::string("Ingress");
  types[1] = Value::string("Egress");
  set(o, "spec.policyTypes", Value::list(types, count(o, "spec.egress") != 0 ? 2 : 1));
}

struct Scaling {
  std::string_view type;
  int64_t value;
};

void scaling_rules(Arena& arena, Object& behavior, std::string_view which, std::span<const Scaling> policies,
                   bool window) {
  constexpr int64_t kPeriodSeconds = 15;
  Object* rules = child(behavior, which);
  if (rules == nullptr) {
    rules = make_object(arena, *find_struct("api/autoscaling/v2.HPAScalingRules"));
    set(behavior, which, Value::opaque(rules));
  }
  if (!has(*rules, "selectPolicy")) set(*rules, "selectPolicy", Value::string("Max"));
  if (window && !has(*rules, "stabilizationWindowSeconds"))
    set(*rules, "stabilizationWindowSeconds", Value::integer(0));
  if (has(*rules, "policies")) return;
  Value* items = arena.array<Value>(policies.size());
  for (size_t i = 0; i < policies.size(); ++i) {
    Object* item = make_object(arena, *find_struct("api/autoscaling/v2.HPAScalingPolicy"));
    set(*item, "type", Value::string(policies[i].type));
    set(*item, "value", Value::integer(policies[i].value));
    set(*item, "periodSeconds", Value::integer(kPeriodSeconds));
    items[i] = Value::opaque(item);
  }
  set(*rules, "policies", Value::list(items, policies.size()));
}

void default_autoscaler(const Defaulting& with, Object& o) {
  static constexpr Scaling kUp[] = {{"Pods", 4}, {"Percent", 100}}, kDown[] = {{"Percent", 100}};
  Object* behavior = child(o, "spec.behavior");
  if (behavior == nullptr) return;
  scaling_rules(with.arena, *behavior, "scaleUp", kUp, true);
  scaling_rules(with.arena, *behavior, "scaleDown", kDown, false);
}

// Subjects of rbac/v1alpha1 have an apiVersion instead of a group.
void old_subject(const Defaulting&, Object& o) {
  if (!text(o, "apiVersion").empty()) return;
  std::string_view kind = text(o, "kind");
  if (kind == "ServiceAccount") set(o, "apiVersion", Value::string("v1"));
  if (kind == "User" || kind == "Group")
    set(o, "apiVersion", Value::string("rbac.authorization.k8s.io/v1alpha1"));
}

// Zero shares stay if an annotation says that they are intended.
void priority_level(const Defaulting&, Object& o) {
  Value* shares = find(o, "spec.limited.nominalConcurrencyShares");
  Value* annotations = find(o, "metadata.annotations");
  bool kept =
      annotations->is(Kind::Map) &&
      find_key(*annotations, Value::string("flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares")) !=
          nullptr;
  if (shares != nullptr && !kept && (is_absent(*shares) || shares->as_int() == 0))
    *shares = Value::integer(30);
}

void device_taint(const Defaulting& with, Object& o) {
  if (!has(o, "timeAdded")) set(o, "timeAdded", Value::string(with.time()));
}

// Names derived from the kind, and the stored version.
void default_definition(const Defaulting& with, Object& o) {
  std::string_view kind = text(o, "spec.names.kind");
  if (text(o, "spec.names.singular").empty()) {
    std::string lower(kind);
    for (char& c : lower) {
      c = to_lower(c);
    }
    set(o, "spec.names.singular", Value::string(with.arena.copy(lower)));
  }
  if (text(o, "spec.names.listKind").empty() && !kind.empty()) {
    set(o, "spec.names.listKind", Value::string(with.arena.copy(std::string(kind) + "List")));
  }
  if (count(o, "status.storedVersions") != 0) return;
  bool found = false;
  each_item(o, "spec.versions", [&](Object& version) {
    if (found || !is_set(version, "storage")) return;
    found = true;
    const Value name = Value::string(text(version, "name"));  // of which validation says what is wrong
    set(o, "status.storedVersions", Value::list(with.arena.make<Value>(name), 1));
  });
}

constexpr DefaultRule kRules[] = {
    {"core/v1.Container", container},
    {"core/v1.EphemeralContainer", container},
    {"core/v1.Volume", default_volume},
    {"core/v1.PodSpec", pod_spec},
    {"core/v1.Pod", pod},
    {"core/v1.PodStatus", pod_status},
    {"core/v1.Service", default_service},
    {"core/v1.ServicePort", service_port},
    {"core/v1.ReplicationController", replication_controller},
    {"core/v1.Namespace", namespace_label},
    {"core/v1.NodeStatus", node_status},
    {"core/v1.LimitRangeItem", limit_range_item},
    {"batch/v1.Job", default_job},
    {"apps/v1beta1.Deployment", old_workload},
    {"apps/v1beta1.StatefulSet", old_workload},
    {"networking/v1.NetworkPolicy", network_policy},
    {"resource/v1,v1alpha3,v1beta1,v1beta2.DeviceTaint", device_taint},
    {"autoscaling/v2.HorizontalPodAutoscaler", default_autoscaler},
    {"rbac/v1alpha1.Subject", old_subject},
    {"flowcontrol/v1beta3.PriorityLevelConfiguration", priority_level},
    {"apiextensions-apiserver/pkg/apis/apiextensions/v1.CustomResourceDefinition", default_definition},
};

}  // namespace

std::span<const DefaultRule> default_rules() { return kRules; }

}  // namespace portcullis::builtin
