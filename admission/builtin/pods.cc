#include "admission/builtin/pods.h"

#include <algorithm>
#include <string>
#include <vector>

#include "admission/builtin/access.h"
#include "admission/builtin/amounts.h"
#include "admission/builtin/conversion.h"
#include "admission/builtin/surroundings.h"
#include "admission/builtin/unchanged.h"
#include "admission/scalars/quantity.h"
#include "interpreter/formats/text.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/changed.h"

namespace portcullis::builtin {
namespace {

Object* made_object(Arena& arena, std::string_view struct_path,
                    std::initializer_list<std::pair<std::string_view, Value>> fields) {
  Object* o = make_object(arena, *find_struct(struct_path));
  for (const auto& [name, value] : fields) set(*o, name, value);
  return o;
}

// --- plugins ---

// Well-known classes exist in every cluster, others if they are given.
struct PriorityClassRow {
  std::string_view name;
  int64_t value;
};
constexpr PriorityClassRow kClasses[] = {{"system-node-critical", 2000001000},
                                         {"system-cluster-critical", 2000000000}};

// Sets the priority of the pod's class, or of the default class; 0 if the class is unknown.
void priority(const Filling& with, Object& pod) {
  int64_t value = 0;
  Value policy = Value::string("PreemptLowerPriority");
  std::string_view name = text<"spec.priorityClassName">(pod);
  for (const PriorityClassRow& c : kClasses) {
    if (name == c.name) value = c.value;
  }
  if (with.around != nullptr) {
    Value found = name.empty() ? with.around->default_priority_class() : with.around->priority_class(name);
    if (!found.is_null()) {
      value = member(found, "value").as_int();
      policy = member(found, "preemptionPolicy");
      if (name.empty()) set(pod, "spec.priorityClassName", member(member(found, "metadata"), "name"));
    }
  }
  if (!has<"spec.priority">(pod)) set<"spec.priority">(pod, Value::integer(value));
  if (text<"spec.preemptionPolicy">(pod).empty()) set<"spec.preemptionPolicy">(pod, policy);
}

void tolerations(Arena& arena, Object& pod) {
  constexpr int64_t kSeconds = 300;
  bool tolerated[2] = {};
  constexpr std::string_view kKeys[2] = {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"};
  each_item<"spec.tolerations">(pod, [&](Object& t) {
    std::string_view key = text<"key">(t), effect = text<"effect">(t);
    if (!effect.empty() && effect != "NoExecute") return;
    for (size_t i = 0; i < std::size(kKeys); ++i) tolerated[i] |= key.empty() || key == kKeys[i];
  });
  static const StructRow& row = *find_struct("api/core/v1.Toleration");
  Value* list = find<"spec.tolerations">(pod);
  for (size_t i = 0; i < std::size(kKeys); ++i) {
    if (tolerated[i]) continue;
    Object* made = make_object(arena, row);
    set<"key">(*made, Value::string(kKeys[i]));
    set<"operator">(*made, Value::string("Exists"));
    set<"effect">(*made, Value::string("NoExecute"));
    set<"tolerationSeconds">(*made, Value::integer(kSeconds));
    *list = appended(arena, *list, Value::opaque(made));
  }
}

// --- QoS class ---

enum class Service { BestEffort, Burstable, Guaranteed };

std::string_view amount(const Value& list, std::string_view name) {
  const Value* found = list.is(Kind::Map) ? find_key(list, Value::string(name)) : nullptr;
  return found != nullptr && found->is(Kind::String) ? found->as_text() : std::string_view();
}

// Whether a pod or container requests or limits anything.
bool asks(const Value& resources) {
  Value requests = peek<"requests">(resources), limits = peek<"limits">(resources);
  return access::count(&requests) != 0 || access::count(&limits) != 0;
}

Service service_of(Arena& arena, const Value& resources) {
  if (!asks(resources)) return Service::BestEffort;
  Value requests = peek<"requests">(resources), limits = peek<"limits">(resources);
  auto of = [&](std::string_view name) {
    std::string_view asked = amount(requests, name), most = amount(limits, name);
    // Two quantities of one unit are nearly always equal only if their texts are equal; plain quantities are
    // never zero.
    if (is_plain_quantity(asked) && is_plain_quantity(most) && asked.back() == most.back()) {
      return asked == most ? Service::Guaranteed : Service::Burstable;
    }
    Quantity request, limit;
    if (!asked.empty()) quantity::parse(arena, asked, request);
    if (!most.empty()) quantity::parse(arena, most, limit);
    if (quantity::compare(arena, request, limit) != 0) return Service::Burstable;
    return request.is_zero() ? Service::BestEffort : Service::Guaranteed;
  };
  Service cpu = of("cpu");
  return cpu == Service::Burstable || cpu != of("memory") ? Service::Burstable : cpu;
}

std::string_view service_name(Arena& arena, Object& pod) {
  constexpr std::string_view kNames[] = {"BestEffort", "Burstable", "Guaranteed"};
  auto name = [&](Service s) { return kNames[static_cast<size_t>(s)]; };
  const Value& whole = *find<"spec.resources">(pod);
  if (asks(whole)) return name(service_of(arena, whole));
  bool any = false;
  Service result = Service::BestEffort;
  auto join = [&](Object& container) {
    if (any && result == Service::Burstable) return;
    Service s = service_of(arena, *find<"resources">(container));
    result = !any ? s : s == result ? s : Service::Burstable;
    any = true;
  };
  each_item<"spec.initContainers">(pod, join);
  each_item<"spec.containers">(pod, join);
  return name(result);
}

// --- effects of labels and annotations ---

void add_requirements(Arena& arena, Object& pod, Object& term, std::string_view keys,
                      std::string_view relation) {
  Object* selector = child(term, "labelSelector");
  const Value* labels = find(pod, "metadata.labels");
  if (selector == nullptr || count(term, keys) == 0) return;
  std::vector<Value> expressions = values_of(*selector, "matchExpressions");
  for (const Value& key : values_of(term, keys)) {
    const Value* value = labels->is(Kind::Map) ? find_key(*labels, key) : nullptr;
    if (value == nullptr) continue;
    expressions.push_back(Value::opaque(made_object(
        arena, "apimachinery/pkg/apis/meta/v1.LabelSelectorRequirement",
        {{"key", key}, {"operator", Value::string(relation)}, {"values", list_of(arena, {*value})}})));
  }
  if (!expressions.empty()) set(*selector, "matchExpressions", list_of(arena, expressions));
}

void label_keys(Arena& arena, Object& pod) {
  auto both = [&](Object& term) {
    add_requirements(arena, pod, term, "matchLabelKeys", "In");
    add_requirements(arena, pod, term, "mismatchLabelKeys", "NotIn");
  };
  for (Object* affinity :
       {child<"spec.affinity.podAffinity">(pod), child<"spec.affinity.podAntiAffinity">(pod)}) {
    if (affinity == nullptr) continue;
    each_item(*affinity, "preferredDuringSchedulingIgnoredDuringExecution", [&](Object& weighted) {
      if (Object* term = child(weighted, "podAffinityTerm")) both(*term);
    });
    each_item(*affinity, "requiredDuringSchedulingIgnoredDuringExecution", both);
  }
  each_item<"spec.topologySpreadConstraints">(
      pod, [&](Object& c) { add_requirements(arena, pod, c, "matchLabelKeys", "In"); });
}

// The profile that an AppArmor annotation names; null for one that names none, or one that would not be valid.
Object* profile_of(Arena& arena, std::string_view annotation) {
  constexpr std::string_view kLocal = "localhost/";
  constexpr size_t kMaxLocal = 4095;  // ValidateAppArmorProfileField: PATH_MAX - 1
  auto of = [&](std::string_view type) {
    return made_object(arena, "api/core/v1.AppArmorProfile", {{"type", Value::string(type)}});
  };
  if (annotation == "unconfined") return of("Unconfined");
  if (annotation == "runtime/default") return of("RuntimeDefault");
  if (!annotation.starts_with(kLocal)) return nullptr;
  std::string_view name = annotation.substr(kLocal.size());
  if (name.empty() || name.size() > kMaxLocal || trim_space(name) != name) return nullptr;
  Object* profile = of("Localhost");
  set(*profile, "localhostProfile", Value::string(name));
  return profile;
}

void app_armor(Arena& arena, Object& pod) {
  constexpr std::string_view kPrefix = "container.apparmor.security.beta.kubernetes.io/";
  const Value* annotations = find<"metadata.annotations">(pod);
  bool any = annotations->is(Kind::Map) && std::ranges::any_of(annotations->as_map(), [&](const MapEntry& e) {
               return e.key.as_text().starts_with(kPrefix);
             });
  if (!any || text(pod, "spec.os.name") == "windows") return;
  for (std::string_view list : {"spec.initContainers", "spec.containers", "spec.ephemeralContainers"}) {
    each_item(pod, list, [&](Object& container) {
      std::string key(kPrefix);
      key += text(container, "name");
      const Value* annotation = find_key(*annotations, Value::string(key));
      Object* context = child(container, "securityContext");
      if (annotation == nullptr || (context != nullptr && has(*context, "appArmorProfile"))) return;
      Object* profile = profile_of(arena, annotation->as_text());
      Object* whole = child(pod, "spec.securityContext.appArmorProfile");
      auto same = [&](std::string_view field) { return text(*profile, field) == text(*whole, field); };
      if (profile == nullptr || (whole != nullptr && same("type") && same("localhostProfile"))) return;
      if (context == nullptr) {
        context = made_object(arena, "api/core/v1.SecurityContext", {});
        set(container, "securityContext", Value::opaque(context));
      }
      set(*context, "appArmorProfile", Value::opaque(profile));
    });
  }
}

void scheduling_gates(const Filling& with, Object& pod) {
  if (count<"spec.schedulingGates">(pod) == 0) return;
  Object* condition =
      made_object(with.arena, "api/core/v1.PodCondition",
                  {{"type", Value::string("PodScheduled")},
                   {"status", Value::string("False")},
                   {"lastTransitionTime", Value::string(with.now)},
                   {"reason", Value::string("SchedulingGated")},
                   {"message", Value::string("Scheduling is blocked due to non-empty scheduling gates")}});
  set(pod, "status.conditions", list_of(with.arena, {Value::opaque(condition)}));
}

}  // namespace

void admit_pod(const Filling& with, Object& pod) {
  priority(with, pod);
  tolerations(with.arena, pod);
}

void admit_pod_update(const Filling& with, Object& pod, Object& stored) {
  for (std::string_view path : {"spec.priority", "spec.preemptionPolicy"}) {
    if (Value* slot = find(pod, path); is_absent(*slot)) *slot = *find(stored, path);
  }
  tolerations(with.arena, pod);
}

namespace {

constexpr std::string_view kHugePages = "hugepages-";

// What Pods may have as a whole.
bool is_of_pods(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource.starts_with(kHugePages);
}

// The amounts of a member of `resources` of all containers together.
Amounts of_containers(Arena& arena, Object& pod, std::string_view list) {
  const auto amounts = [&](Object& container) {
    Object* resources = child(container, "resources");
    return resources == nullptr ? Amounts() : amounts_of(arena, *find(*resources, list));
  };
  PodAmounts all(arena);
  each_item(pod, "spec.containers", [&](Object& c) { all.add_container(amounts(c)); });
  each_item(pod, "spec.initContainers",
            [&](Object& c) { all.add_init_container(amounts(c), text(c, "restartPolicy") == "Always"); });
  return all.total();
}

// Whether each container has a limit.
bool are_limited(Object& pod, std::string_view resource) {
  bool all = true;
  const auto look = [&](Object& container) {
    Object* resources = child(container, "resources");
    const Value* limits = resources == nullptr ? nullptr : find(*resources, "limits");
    all = all && limits != nullptr && limits->is(Kind::Map) &&
          find_key(*limits, Value::string(resource)) != nullptr;
  };
  for (std::string_view list : {"spec.containers", "spec.initContainers", "spec.ephemeralContainers"})
    each_item(pod, list, look);
  return all;
}

// A list of amounts to which others are added.
class PodResources {
 public:
  PodResources(Arena& arena, Value& slot) : arena_(arena), slot_(slot), amounts_(amounts_of(arena, slot)) {}
  const Amounts& amounts() const { return amounts_; }
  bool has(std::string_view name) const { return amounts_.contains(name); }
  void add(std::string_view name, const Quantity& amount) {
    if (!amounts_.emplace(name, amount).second) return;
    const MapEntry entry{Value::string(name), Value::string(arena_.copy(quantity::print(arena_, amount)))};
    if (!slot_.is(Kind::Map)) {
      MapEntry* only = alloc_entries(arena_, 1);
      *only = entry;
      slot_ = make_map(only, 1);
    } else {
      slot_ = with_member(arena_, slot_, name, entry.value);
    }
  }

 private:
  Arena& arena_;
  Value& slot_;
  Amounts amounts_;
};

}  // namespace

void default_pod_resources(Arena& arena, Object& pod) {
  Object* whole = child<"spec.resources">(pod);
  if (whole == nullptr) return;
  PodResources requests(arena, *find(*whole, "requests")), limits(arena, *find(*whole, "limits"));
  if (requests.amounts().empty() && limits.amounts().empty()) return;
  const Amounts limited = of_containers(arena, pod, "limits");
  for (const auto& [name, amount] : limited) {
    if (name.starts_with(kHugePages) && !requests.has(name)) limits.add(name, amount);
  }
  for (const auto& [name, amount] : of_containers(arena, pod, "requests")) {
    if (name == "cpu" || name == "memory") requests.add(name, amount);
  }
  for (const auto& [name, amount] : limits.amounts()) {
    if (is_of_pods(name)) requests.add(name, amount);
  }
  for (const auto& [name, amount] : requests.amounts()) {
    if (!is_of_pods(name) || limits.has(name) || !are_limited(pod, name)) continue;
    const auto sum = limited.find(name);
    if (sum == limited.end()) continue;  // there is no container
    limits.add(name, quantity::compare(arena, amount, sum->second) > 0 ? amount : sum->second);
  }
}

void prepare_pod(const Filling& with, Object& pod) {
  Value& status = *find<"status">(pod);
  status = Value::opaque(make_object(with.arena, *as_object(status).row));
  set<"status.phase">(pod, Value::string("Pending"));
  scheduling_gates(with, pod);
  label_keys(with.arena, pod);
  app_armor(with.arena, pod);
  default_pod_resources(with.arena, pod);
  set<"status.qosClass">(pod, Value::string(service_name(with.arena, pod)));
}

}  // namespace portcullis::builtin
