#include "admission/builtin/updates.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <vector>

#include "admission/builtin/access.h"
#include "admission/builtin/claims.h"
#include "admission/builtin/conversion.h"
#include "admission/builtin/encode.h"
#include "admission/builtin/pods.h"
#include "admission/builtin/services.h"
#include "admission/builtin/slices.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/go_values.h"
#include "interpreter/values/json.h"
#include "interpreter/values/list_types.h"

namespace portcullis::builtin {
namespace {

// Copies of the items of a list of structs, which becomes a list of them.
std::vector<Object*> unshared_items(Arena& arena, Object& o, std::string_view path) {
  std::vector<Object*> made;
  std::vector<Value> values = values_of(o, path);
  for (Value& v : values) {
    made.push_back(shallow_copy(arena, as_object(v)));
    v = Value::opaque(made.back());
  }
  if (!made.empty()) set(o, path, list_of(arena, values));
  return made;
}

void take_if_absent(Object& o, Object& stored, std::string_view path) {
  Value *slot = find(o, path), *held = find(stored, path);
  if (slot != nullptr && held != nullptr && is_absent(*slot)) *slot = *held;
}

int64_t int_at(Object& o, std::string_view path) {
  const Value* slot = find(o, path);
  return slot != nullptr && slot->is(Kind::Int) ? slot->as_int() : 0;
}

// --- rules of single kinds ---

// Conditions that do not say which generation they observed are of the one that the stored ones say.
void keep_generations(const Filling& with, Object& pod, Object& stored) {
  if (int_at(pod, "status.observedGeneration") == 0)
    set(pod, "status.observedGeneration", *find(stored, "status.observedGeneration"));
  std::vector<Value> old = values_of(stored, "status.conditions");
  std::map<std::string_view, size_t> seen;
  for (Object* condition : unshared_items(with.arena, pod, "status.conditions")) {
    std::string_view type = text(*condition, "type");
    size_t skipped = seen[type]++;
    auto found = std::ranges::find_if(
        old, [&](const Value& v) { return text(as_object(v), "type") == type && skipped-- == 0; });
    if (found != old.end() && int_at(*condition, "observedGeneration") == 0)
      set(*condition, "observedGeneration", *find(as_object(*found), "observedGeneration"));
  }
}

void keep_pod_resources(const Filling&, Object& pod, Object& stored) {
  take_if_absent(pod, stored, "spec.resources");
}

void keep_pod_status(const Filling& with, Object& pod, Object& stored) {
  for (std::string_view path :
       {"status.qosClass", "status.resourceClaimStatuses", "status.extendedResourceClaimStatus",
        "status.nodeAllocatableResourceClaimStatuses"})
    take_if_absent(pod, stored, path);
  keep_generations(with, pod, stored);
}

void resize_pod(const Filling& with, Object& pod, Object& stored) {
  keep_pod_resources(with, pod, stored);
  if (unshared(with.arena, pod, "spec.resources") != nullptr) default_pod_resources(with.arena, pod);
}

void keep_account(const Filling& with, Object& account, Object&) { name_secrets(with, account); }

void keep_node(const Filling&, Object& node, Object& stored) {
  if (!has(stored, "spec.configSource")) set(node, "spec.configSource", absent());
}
void keep_node_status(const Filling&, Object& node, Object& stored) {
  if (!has(stored, "status.config")) set(node, "status.config", absent());
}

void keep_volume_status(const Filling& with, Object& volume, Object& stored) {
  constexpr std::string_view kTime = "status.lastPhaseTransitionTime";
  const bool same = text(volume, "status.phase") == text(stored, "status.phase");
  const bool untold = !has(volume, kTime);
  if (same && untold) set(volume, kTime, *find(stored, kTime));
  if (!same && (untold || text(volume, kTime) == text(stored, kTime)))
    set(volume, kTime, Value::string(with.now));
}

// The generation of the template, which is an annotation in v1, grows with the template.
void keep_daemon_set(const Filling& with, Object& daemons, Object& stored) {
  const Value* known = find(stored, "metadata.annotations");
  const Value* held = known->is(Kind::Map) ? find_key(*known, Value::string(kTemplateGeneration)) : nullptr;
  if (held == nullptr || !held->is(Kind::String)) return;
  auto json_of = [&](Object& o) { return to_json(encode(with.arena, *child(o, "spec.template"))); };
  int64_t generation = 0;
  const std::string_view text = held->as_text();
  std::from_chars(text.data(), text.data() + text.size(), generation);
  if (json_of(daemons) != json_of(stored)) generation++;
  set_entry(with.arena, daemons, "metadata.annotations", kTemplateGeneration, std::to_string(generation));
}

// autoscaling/v1 keeps parts of the spec and of the status in annotations.
void take_annotations(const Filling& with, Object& o, Object& stored,
                      std::initializer_list<std::string_view> names) {
  Value* annotations = find(o, "metadata.annotations");
  for (std::string_view name : names) {
    const Value held = member(*find(stored, "metadata.annotations"), name);
    *annotations = held.is_null() ? without_member(with.arena, *annotations, name)
                                  : with_member(with.arena, *annotations, name, held);
  }
}
void keep_autoscaler(const Filling& with, Object& o, Object& stored) {
  take_annotations(with, o, stored, {kCurrentMetrics, kConditions});
}
void keep_autoscaler_status(const Filling& with, Object& o, Object& stored) {
  take_annotations(with, o, stored, {kMetrics, kBehavior});
}

// The times that conditions lack: of a stored condition that says the same, else of the request.
void date_conditions(const Filling& with, Object& request, Object& stored) {
  const Value now = Value::string(with.now);
  std::vector<Value> old = values_of(stored, "status.conditions");
  for (Object* condition : unshared_items(with.arena, request, "status.conditions")) {
    if (!has(*condition, "lastUpdateTime")) set(*condition, "lastUpdateTime", now);
    if (has(*condition, "lastTransitionTime")) continue;
    auto same = std::ranges::find_if(old, [&](const Value& v) {
      Object& other = as_object(v);
      return text(other, "type") == text(*condition, "type") &&
             text(other, "status") == text(*condition, "status") && has(other, "lastTransitionTime");
    });
    set(*condition, "lastTransitionTime",
        same == old.end() ? now : *find(as_object(*same), "lastTransitionTime"));
  }
}

// The conditions of a type, if neither fewer nor more are sent than are stored, are the stored ones.
void keep_conditions(const Filling& with, Object& request, Object& stored, std::string_view type) {
  std::vector<Value> sent = values_of(request, "status.conditions"),
                     old = values_of(stored, "status.conditions");
  auto is_other = [&](const Value& v) { return text(as_object(v), "type") != type; };
  std::erase_if(old, is_other);
  if (sent.size() - static_cast<size_t>(std::ranges::count_if(sent, is_other)) != old.size() || old.empty())
    return;
  size_t next = 0;
  for (Value& v : sent) {
    if (!is_other(v)) v = old[next++];
  }
  set(request, "status.conditions", list_of(with.arena, sent));
}

void keep_signing_status(const Filling& with, Object& request, Object& stored) {
  keep_conditions(with, request, stored, "Approved");
  keep_conditions(with, request, stored, "Denied");
  date_conditions(with, request, stored);
}

// The version that is stored now joins those that were stored before.
void add_stored_version(const Filling& with, Object& definition, Object&) {
  Object* status = unshared(with.arena, definition, "status");
  std::string_view stored;
  each_item(definition, "spec.versions", [&](Object& version) {
    if (stored.empty() && is_set(version, "storage")) stored = text(version, "name");
  });
  if (status == nullptr || stored.empty()) return;
  std::vector<Value> held = values_of(*status, "storedVersions");
  if (std::ranges::any_of(held, [&](const Value& v) { return v.is(Kind::String) && v.as_text() == stored; }))
    return;
  held.push_back(Value::string(stored));
  set(*status, "storedVersions", list_of(with.arena, held));
}

void date_taint(const Filling& with, Object& rule, Object& stored) {
  if (text(rule, "spec.taint.effect") != text(stored, "spec.taint.effect") &&
      text(rule, "spec.taint.timeAdded") == text(stored, "spec.taint.timeAdded"))
    set(rule, "spec.taint.timeAdded", Value::string(with.now));
}

// --- the table ---

// Paths are separated by spaces. "metadata" are the members that ResetObjectMetaForStatus resets.
struct UpdateRow {
  std::string_view group, kind, subresource;
  std::string_view kept;           // what comes from the stored object
  std::string_view sent = {};      // but for these, within what is kept; "*": each item
  std::string_view disowned = {};  // what no manager owns; empty: what is kept
  void (*finish)(const Filling&, Object&, Object& stored) = nullptr;
};
constexpr UpdateRow kUpdates[] = {
    {"core", "Pod", "", "status", {}, {}, keep_pod_resources},
    {"core",
     "Pod",
     "status",
     "spec metadata.ownerReferences",
     {},
     "spec metadata.deletionTimestamp metadata.ownerReferences",
     keep_pod_status},
    {"core", "Pod", "ephemeralcontainers", "metadata spec status", "spec.ephemeralContainers"},
    {"core",
     "Pod",
     "resize",
     "metadata spec status",
     "spec.resources spec.containers.*.resources spec.containers.*.resizePolicy "
     "spec.initContainers.*.resources spec.initContainers.*.resizePolicy",
     {},
     resize_pod},
    {"core", "Node", "", "status", {}, {}, keep_node},
    {"core", "Node", "status", "spec", {}, {}, keep_node_status},
    {"core", "Namespace", "", "status spec.finalizers", {}, "status"},
    {"core", "Namespace", "status", "spec"},
    {"core", "Namespace", "finalize", "status"},
    {"core", "Service", "", "status", {}, {}, keep_service},
    {"core", "Service", "status", "spec"},
    {"core", "ServiceAccount", "", {}, {}, {}, keep_account},
    {"core", "ReplicationController", "", "status"},
    {"core", "ReplicationController", "status", "spec"},
    {"core", "ResourceQuota", "", "status"},
    {"core", "ResourceQuota", "status", "spec"},
    {"core", "PersistentVolume", "", "status"},
    {"core", "PersistentVolume", "status", "spec", {}, {}, keep_volume_status},
    {"core", "PersistentVolumeClaim", "", "status", {}, {}, keep_claim},
    {"core", "PersistentVolumeClaim", "status", "spec"},
    {"apps", "Deployment", "", "status"},
    {"apps", "Deployment", "status", "spec metadata.labels"},
    {"apps", "DaemonSet", "", "status", {}, {}, keep_daemon_set},
    {"apps", "DaemonSet", "status", "spec", {}, {}, keep_daemon_set},
    {"apps", "StatefulSet", "", "status"},
    {"apps", "StatefulSet", "status", "spec"},
    {"apps", "ReplicaSet", "", "status"},
    {"apps", "ReplicaSet", "status", "spec"},
    {"batch", "Job", "", "status"},
    {"batch", "Job", "status", "spec"},
    {"batch", "CronJob", "", "status"},
    {"batch", "CronJob", "status", "spec"},
    {"autoscaling", "HorizontalPodAutoscaler", "", "status", {}, {}, keep_autoscaler},
    {"autoscaling", "HorizontalPodAutoscaler", "status", "spec", {}, {}, keep_autoscaler_status},
    {"networking", "Ingress", "", "status"},
    {"networking", "Ingress", "status", "spec"},
    {"networking", "ServiceCIDR", "", "status"},
    {"networking", "ServiceCIDR", "status", "metadata spec"},
    {"discovery", "EndpointSlice", "", {}, {}, {}, keep_slice},
    {"policy", "PodDisruptionBudget", "", "status"},
    {"policy", "PodDisruptionBudget", "status", "spec"},
    {"certificates", "CertificateSigningRequest", "", "spec status"},
    {"certificates",
     "CertificateSigningRequest",
     "status",
     "spec",
     {},
     "spec status.conditions",
     keep_signing_status},
    {"certificates", "CertificateSigningRequest", "approval", "spec status", "status.conditions",
     "spec status.certificate", date_conditions},
    {"certificates", "PodCertificateRequest", "", "status"},
    {"certificates", "PodCertificateRequest", "status", "metadata spec"},
    {"scheduling", "PodGroup", "", "status"},
    {"scheduling", "PodGroup", "status", "metadata spec"},
    {"scheduling", "CompositePodGroup", "", "status"},
    {"scheduling", "CompositePodGroup", "status", "metadata spec"},
    {"resource", "ResourceClaim", "", "status"},
    {"resource", "ResourceClaim", "status", "metadata spec"},
    {"resource", "DeviceTaintRule", "", "status", {}, {}, date_taint},
    {"resource", "DeviceTaintRule", "status", "metadata spec"},
    {"resource", "ResourcePoolStatusRequest", "", "status"},
    {"resource", "ResourcePoolStatusRequest", "status", "metadata spec"},
    {"flowcontrol", "FlowSchema", "", "status"},
    {"flowcontrol", "FlowSchema", "status", "metadata metadata.generateName spec"},
    {"flowcontrol", "PriorityLevelConfiguration", "", "status"},
    {"flowcontrol", "PriorityLevelConfiguration", "status", "metadata metadata.generateName spec"},
    {"lifecycle", "Eviction", "", "status"},
    {"lifecycle", "Eviction", "status", "metadata spec"},
    {"lifecycle", "EvictionRequest", "", "status"},
    {"lifecycle", "EvictionRequest", "status", "metadata spec"},
    {"storage", "VolumeAttachment", "", "status"},
    {"storage", "VolumeAttachment", "status", "metadata spec"},
    {"storage", "CSINode", "", "status"},
    {"storage", "CSINode", "status", "metadata spec"},
    {"storagemigration", "StorageVersionMigration", "", "status"},
    {"storagemigration", "StorageVersionMigration", "status", "metadata spec"},
    {"apiserverinternal", "StorageVersion", "", "status"},
    {"apiserverinternal", "StorageVersion", "status", "metadata spec"},
    {"admissionregistration", "ValidatingAdmissionPolicy", "", "status"},
    {"admissionregistration", "ValidatingAdmissionPolicy", "status", "metadata spec"},
    {"apiextensions", "CustomResourceDefinition", "", "status", {}, {}, add_stored_version},
    {"apiextensions", "CustomResourceDefinition", "status", "spec"},
    {"apiregistration", "APIService", "", "status"},
    {"apiregistration", "APIService", "status", "metadata spec"},
};
constexpr std::string_view kResetMetadata[] = {"labels", "annotations", "finalizers", "ownerReferences"};

const UpdateRow* row_of(const StructRow& row, std::string_view subresource) {
  std::string_view group = group_of(row), kind = text_at(row.name);
  auto found = std::ranges::find_if(kUpdates, [&](const UpdateRow& r) {
    return r.kind == kind && r.group == group && r.subresource == subresource;
  });
  return found == std::end(kUpdates) ? nullptr : found;
}

// A copy of the struct `stored` that has at `path` what `sent` has.
Object* with_sent(Arena& arena, Object& stored, Object& sent, std::string_view path) {
  Object* made = shallow_copy(arena, stored);
  size_t dot = path.find('.');
  std::string_view name = path.substr(0, dot);
  Value *slot = find(*made, name), *from = find(sent, name);
  if (slot == nullptr) return made;
  if (dot == path.npos) {
    *slot = *from;
    return made;
  }
  std::string_view rest = path.substr(dot + 1);
  if (!rest.starts_with("*.")) {
    Object *inner = child(*made, name), *given = child(sent, name);
    if (inner != nullptr && given != nullptr)
      set(*made, name, Value::opaque(with_sent(arena, *inner, *given, rest)));
    return made;
  }
  // Validation refuses what has other items.
  std::vector<Value> items = values_of(*made, name), given = values_of(sent, name);
  const bool same_items = std::ranges::equal(items, given, [](const Value& a, const Value& b) {
    return text(as_object(a), "name") == text(as_object(b), "name");
  });
  if (!same_items) {
    *slot = *from;
    return made;
  }
  for (size_t i = 0; i < items.size(); ++i)
    items[i] = Value::opaque(with_sent(arena, as_object(items[i]), as_object(given[i]), rest.substr(2)));
  if (!items.empty()) set(*made, name, list_of(arena, items));
  return made;
}

void keep(Arena& arena, Object& o, Object& stored, std::string_view path, std::string_view sent) {
  Value kept = *find(stored, path);
  while (!sent.empty()) {
    std::string_view word = next_word(sent);
    if (!word.starts_with(path) || word[path.size()] != '.') continue;
    Object *given = child(o, path), *from = is_object(kept) ? &as_object(kept) : child(stored, path);
    if (given != nullptr && from != nullptr)
      kept = Value::opaque(with_sent(arena, *from, *given, word.substr(path.size() + 1)));
  }
  set(o, path, kept);
}

}  // namespace

std::string_view next_word(std::string_view& rest) {
  std::string_view word = rest.substr(0, rest.find(' '));
  rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  return word;
}

Ownership ownership_of(const StructRow& row, std::string_view subresource) {
  const UpdateRow* found = row_of(row, subresource);
  if (found == nullptr) return {};
  return {found->disowned.empty() ? found->kept : found->disowned, found->sent};
}

bool semantically_equal(const Value* a, const Value* b) {
  const auto is_none = [](const Value* v) {
    if (v == nullptr || v->is_null()) return true;
    return (is_go_list(*v) || (v->is(Kind::Map) && (v->flags() & kGoMap) != 0)) && v->size() == 0;
  };
  if (is_none(a) || is_none(b)) return is_none(a) == is_none(b);
  if (a->is(Kind::List) && b->is(Kind::List))
    return std::ranges::equal(a->as_list(), b->as_list(),
                              [](const Value& x, const Value& y) { return semantically_equal(&x, &y); });
  if (!a->is(Kind::Map) || !b->is(Kind::Map)) return same_data(*a, *b);
  return std::ranges::all_of(
             a->as_map(),
             [&](const MapEntry& e) { return semantically_equal(&e.value, find_key(*b, e.key)); }) &&
         std::ranges::all_of(b->as_map(), [&](const MapEntry& e) {
           return is_none(&e.value) || find_key(*a, e.key) != nullptr;
         });
}

void keep_stored(const Filling& with, Object& o, Object& stored) {
  const UpdateRow* row = row_of(*o.row, with.subresource);
  if (row == nullptr) return;
  for (std::string_view rest = row->kept; !rest.empty();) {
    std::string_view path = next_word(rest);
    if (path == "metadata") {
      for (std::string_view name : kResetMetadata)
        set(*child<"metadata">(o), name, *find(*child<"metadata">(stored), name));
    } else if (find(o, path) != nullptr && find(stored, path) != nullptr) {
      keep(with.arena, o, stored, path, row->sent);
    }
  }
  if (row->finish != nullptr) row->finish(with, o, stored);
}

}  // namespace portcullis::builtin
