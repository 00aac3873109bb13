#include "admission/builtin/registry.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "admission/builtin/access.h"
#include "admission/builtin/claims.h"
#include "admission/builtin/decode.h"
#include "admission/builtin/encode.h"
#include "admission/builtin/managed.h"
#include "admission/builtin/plugins.h"
#include "admission/builtin/pods.h"
#include "admission/builtin/scales.h"
#include "admission/builtin/services.h"
#include "admission/builtin/updates.h"
#include "admission/objects/request.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/member.h"

namespace portcullis::builtin {
namespace {

void add_text(Arena& arena, Object& o, std::string_view path, std::string_view text) {
  std::vector<Value> held = values_of(o, path);
  for (const Value& v : held) {
    if (v.is(Kind::String) && v.as_text() == text) return;
  }
  held.push_back(Value::string(text));
  set(o, path, list_of(arena, held));
}

// --- before mutation: metadata and plugins ---

// `mutated`: mutating admission is over.
void drop_duplicate_owners(const Filling& with, Object& metadata, bool mutated) {
  if (count<"ownerReferences">(metadata) < 2) return;
  const Value owners = list_of(with.arena, values_of(metadata, "ownerReferences"));
  set(metadata, "ownerReferences", distinct_owners(with.arena, owners, mutated, with.warnings));
}

void not_ready_taint(const Filling& with, Object& o) {
  constexpr std::string_view kKey = "node.kubernetes.io/not-ready";
  std::vector<Value> taints = values_of(o, "spec.taints");
  for (const Value& t : taints) {
    if (text(as_object(t), "key") == kKey && text(as_object(t), "effect") == "NoSchedule") return;
  }
  Object* made = make_object(with.arena, *find_struct("api/core/v1.Taint"));
  set(*made, "key", Value::string(kKey));
  set(*made, "effect", Value::string("NoSchedule"));
  taints.push_back(Value::opaque(made));
  set(o, "spec.taints", list_of(with.arena, taints));
}

template <const std::string_view& kFinalizer>
void protect(const Filling& with, Object& o) {
  add_text(with.arena, o, "metadata.finalizers", kFinalizer);
}
constexpr std::string_view kClaimProtection = "kubernetes.io/pvc-protection",
                           kVolumeProtection = "kubernetes.io/pv-protection",
                           kAttributesProtection = "kubernetes.io/vac-protection";

void admit_new_pod(const Filling& with, Object& pod) {
  limit_resources(with, pod);
  give_service_account(with, pod);
  admit_pod(with, pod);
  run_by_class(with, pod);
}

void admit_claim(const Filling& with, Object& claim) {
  choose_storage_class(with, claim);
  add_text(with.arena, claim, "metadata.finalizers", kClaimProtection);
}

// --- before validation: strategies ---

void status(const Filling& with, Object& o) { reset(with.arena, o, "status"); }

void name_space(const Filling& with, Object& o) {
  reset(with.arena, o, "status");
  set(o, "status.phase", Value::string("Active"));
  add_text(with.arena, o, "spec.finalizers", "kubernetes");
  if (!text(o, "metadata.name").empty()) {
    set_entry(with.arena, o, "metadata.labels", kNamespaceNameLabel, text(o, "metadata.name"));
  }
}

void fill_volume(const Filling& with, Object& o) {
  Value phase = Value::string("Pending");
  reset(with.arena, o, "status");
  set(o, "status.phase", phase);
  set(o, "status.lastPhaseTransitionTime", Value::string(with.now));
}

void fill_daemon_set(const Filling& with, Object& o) {
  status(with, o);
  set_entry(with.arena, o, "metadata.annotations", "deprecated.daemonset.template.generation", "1");
}

// Whether two fields hold the same map, so that what is added to one is in the other.
bool share_map(const Value* a, const Value* b) {
  return a != nullptr && b != nullptr && a->is(Kind::Map) && b->is(Kind::Map) &&
         a->as_map().data() == b->as_map().data();
}

// Makes the selector of a Job that has none of its own.
void fill_job(const Filling& with, Object& o) {
  status(with, o);
  if (is_set(o, "spec.manualSelector")) return;
  const bool shared = share_map(find(o, "metadata.labels"), find(o, "spec.template.metadata.labels"));
  if (child(o, "spec.selector") == nullptr) {
    set(o, "spec.selector",
        Value::opaque(make_object(with.arena, *find_struct("apimachinery/pkg/apis/meta/v1.LabelSelector"))));
  }
  std::string_view name = text(o, "metadata.name");
  set_entry(with.arena, o, "spec.selector.matchLabels", "batch.kubernetes.io/controller-uid", kUid);
  for (std::string_view key : {"controller-uid", "batch.kubernetes.io/controller-uid"}) {
    set_entry(with.arena, o, "spec.template.metadata.labels", key, kUid);
  }
  for (std::string_view key : {"job-name", "batch.kubernetes.io/job-name"}) {
    set_entry(with.arena, o, "spec.template.metadata.labels", key, name);
  }
  if (shared) set(o, "metadata.labels", *find(o, "spec.template.metadata.labels"));
}

void signing_request(const Filling& with, Object& o) {
  status(with, o);
  set(o, "spec.username", Value::string(with.sender.username));
  set(o, "spec.uid", Value::string(with.sender.uid));
  std::vector<Value> groups;
  for (std::string_view group : with.sender.groups) groups.push_back(Value::string(group));
  set(o, "spec.groups", list_of(with.arena, groups));
  set(o, "spec.extra", absent());
}

// Drops the former configuration of kubelets by reference.
void fill_node(const Filling&, Object& o) {
  set(o, "spec.configSource", absent());
  set(o, "status.config", absent());
}

void pod_group(const Filling& with, Object& o) {
  add_text(with.arena, o, "metadata.finalizers", "scheduling.k8s.io/podgroup-protection");
  Value* priority = find(o, "spec.priority");
  if (priority != nullptr && is_absent(*priority)) *priority = Value::integer(0);
}

// An API of the server itself is available at once.
void api_service(const Filling& with, Object& o) {
  status(with, o);
  if (has(o, "spec.service")) return;
  Object* condition = make_object(
      with.arena, *find_struct("kube-aggregator/pkg/apis/apiregistration/v1.APIServiceCondition"));
  set(*condition, "type", Value::string("Available"));
  set(*condition, "status", Value::string("True"));
  set(*condition, "reason", Value::string("Local"));
  set(*condition, "message", Value::string("Local APIServices are always available"));
  set(*condition, "lastTransitionTime", Value::string(with.now));
  set(o, "status.conditions", list_of(with.arena, {Value::opaque(condition)}));
}

void fill_definition(const Filling& with, Object& o) {
  Value stored = *find(o, "status.storedVersions");
  status(with, o);
  set(o, "status.storedVersions", stored);
}

struct Strategy {
  std::string_view group;  // of the struct's path
  std::string_view kind;
  bool generation;  // whether metadata.generation starts at 1
  void (*before_mutation)(const Filling&, Object&);
  void (*before_validation)(const Filling&, Object&);
};
constexpr Strategy kStrategies[] = {
    {"core", "Pod", true, admit_new_pod, prepare_pod},
    {"core", "PodTemplate", true, nullptr, nullptr},
    {"core", "ReplicationController", true, nullptr, status},
    {"core", "Service", false, nullptr, fill_service},
    {"core", "Namespace", false, nullptr, name_space},
    {"core", "Node", false, not_ready_taint, fill_node},
    {"core", "PersistentVolume", false, protect<kVolumeProtection>, fill_volume},
    {"core", "PersistentVolumeClaim", false, admit_claim, fill_claim},
    {"core", "ResourceQuota", false, nullptr, status},
    {"apps", "Deployment", true, nullptr, status},
    {"apps", "ReplicaSet", true, nullptr, status},
    {"apps", "StatefulSet", true, nullptr, status},
    {"apps", "DaemonSet", true, nullptr, fill_daemon_set},
    {"batch", "Job", true, nullptr, fill_job},
    {"batch", "CronJob", true, nullptr, status},
    {"networking", "Ingress", true, choose_ingress_class, status},
    {"networking", "IngressClass", true, nullptr, nullptr},
    {"networking", "NetworkPolicy", true, nullptr, nullptr},
    {"networking", "ServiceCIDR", false, nullptr, status},
    {"policy", "PodDisruptionBudget", true, nullptr, status},
    {"autoscaling", "HorizontalPodAutoscaler", true, nullptr, status},
    {"discovery", "EndpointSlice", true, nullptr, nullptr},
    {"scheduling", "PriorityClass", true, nullptr, nullptr},
    {"scheduling", "PodGroup", false, pod_group, status},
    {"scheduling", "CompositePodGroup", false, pod_group, status},
    {"flowcontrol", "FlowSchema", true, nullptr, status},
    {"flowcontrol", "PriorityLevelConfiguration", true, nullptr, status},
    {"resource", "DeviceClass", true, nullptr, nullptr},
    {"resource", "DeviceTaintRule", true, nullptr, status},
    {"resource", "ResourceSlice", true, nullptr, nullptr},
    {"resource", "ResourceClaim", false, nullptr, status},
    {"storage", "VolumeAttributesClass", false, protect<kAttributesProtection>, nullptr},
    {"storage", "VolumeAttachment", false, nullptr, status},
    {"certificates", "CertificateSigningRequest", false, nullptr, signing_request},
    {"certificates", "PodCertificateRequest", false, nullptr, status},
    {"lifecycle", "Eviction", true, nullptr, status},
    {"lifecycle", "EvictionRequest", true, nullptr, status},
    {"apiextensions", "CustomResourceDefinition", true, nullptr, fill_definition},
    {"apiregistration", "APIService", false, nullptr, api_service},
    {"admissionregistration", "ValidatingAdmissionPolicy", true, nullptr, nullptr},
    {"admissionregistration", "MutatingAdmissionPolicy", true, nullptr, nullptr},
    {"admissionregistration", "ValidatingAdmissionPolicyBinding", true, nullptr, nullptr},
    {"admissionregistration", "MutatingAdmissionPolicyBinding", true, nullptr, nullptr},
    {"admissionregistration", "ValidatingWebhookConfiguration", true, nullptr, nullptr},
    {"admissionregistration", "MutatingWebhookConfiguration", true, nullptr, nullptr},
};

// How the server treats objects of a struct.
struct Treatment {
  bool is_message = false;  // answered and never stored, without metadata of its own
  const Strategy* strategy = nullptr;
};
Treatment treatment_for(const StructRow& row) {
  std::string_view group = group_of(row), kind = text_at(row.name);
  Treatment made;
  // A TokenRequest gets the metadata of its ServiceAccount.
  made.is_message = (group == "authentication" && kind != "TokenRequest") || group == "authorization" ||
                    kind == "Binding" || is_scale(row) || (group == "policy" && kind == "Eviction");
  for (const Strategy& s : kStrategies) {
    if (s.kind == kind && s.group == group) made.strategy = &s;
  }
  return made;
}
const Treatment& treatment_of(const Object& o) {
  static const std::vector<Treatment> all = [] {
    std::vector<Treatment> made;
    for (const StructRow& row : all_structs()) made.push_back(treatment_for(row));
    return made;
  }();
  return all[struct_index(*o.row)];
}

}  // namespace

void fill_before_mutation(const Filling& with, Object& o) {
  Object* metadata = child<"metadata">(o);
  if (metadata == nullptr) return;
  set<"uid">(*metadata, absent());
  set<"creationTimestamp">(*metadata, absent());
  set<"deletionTimestamp">(*metadata, absent());
  set<"deletionGracePeriodSeconds">(*metadata, absent());
  set<"selfLink">(*metadata, absent());
  set<"namespace">(*metadata, with.name_space.empty() ? absent() : Value::string(with.name_space));
  drop_duplicate_owners(with, *metadata, false);
  if (!with.manager.empty() && !is_scale(*o.row)) manage_new(with, o);
  const Strategy* strategy = treatment_of(o).strategy;
  if (strategy != nullptr && strategy->before_mutation != nullptr) strategy->before_mutation(with, o);
}

std::string_view generated_name(Arena& arena, std::string_view prefix) {
  constexpr std::string_view kSuffix = "zzzzz";
  constexpr size_t kMaxGenerated = 63;
  return arena.copy(std::string(prefix.substr(0, kMaxGenerated - kSuffix.size())).append(kSuffix));
}

void fill_before_validation(const Filling& with, Object& o) {
  Object* metadata = child<"metadata">(o);
  const Treatment& treatment = treatment_of(o);
  if (metadata == nullptr || treatment.is_message) return;
  drop_duplicate_owners(with, *metadata, true);
  if (text<"name">(*metadata).empty() && !text<"generateName">(*metadata).empty()) {
    set(*metadata, "name", Value::string(generated_name(with.arena, text(*metadata, "generateName"))));
  }
  set<"uid">(*metadata, Value::string(kUid));
  set<"creationTimestamp">(*metadata, Value::string(with.now));
  if (treatment.strategy == nullptr) return;
  if (treatment.strategy->generation) set<"generation">(*metadata, Value::integer(1));
  if (treatment.strategy->before_validation != nullptr) treatment.strategy->before_validation(with, o);
}

void fill_update_before_mutation(const Filling& with, Object& o, Object& stored) {
  Object *metadata = child(o, "metadata"), *old = child(stored, "metadata");
  if (metadata == nullptr || old == nullptr || treatment_of(o).is_message) return;
  drop_duplicate_owners(with, *metadata, false);
  if (!with.manager.empty()) manage_update(with, o, stored);
  set(*metadata, "namespace", with.name_space.empty() ? absent() : Value::string(with.name_space));
  const bool is_pod = group_of(*o.row) == "core" && text_at(o.row->name) == "Pod";
  if (is_pod && with.subresource.empty()) admit_pod_update(with, o, stored);
}

namespace {
const Value* member_at(const Value& object, std::string_view path) {
  const size_t dot = path.find('.');
  const Value* found = find_member(object, path.substr(0, dot));
  return found == nullptr || dot == path.npos ? found : find_member(*found, path.substr(dot + 1));
}

// The members whose change by an update makes metadata.generation grow.
std::span<const std::string_view> counted_members(std::string_view kind, std::string_view subresource) {
  static constexpr std::string_view kSpec[] = {"spec"}, kOfDeployments[] = {"spec", "metadata.annotations"},
                                    kWebhooks[] = {"webhooks"}, kTemplate[] = {"template"},
                                    kOfSlices[] = {"addressType", "endpoints", "ports", "metadata.labels"};
  if (!subresource.empty()) return kSpec;
  if (kind == "Deployment") return kOfDeployments;
  if (kind.ends_with("WebhookConfiguration")) return kWebhooks;
  if (kind == "PodTemplate") return kTemplate;
  return kind == "EndpointSlice" ? std::span<const std::string_view>(kOfSlices) : kSpec;
}
}  // namespace

void fill_update_before_validation(const Filling& with, Object& o, Object& stored) {
  Object *metadata = child(o, "metadata"), *old = child(stored, "metadata");
  if (is_scale(*o.row)) return complete_scale(o, stored);
  if (metadata == nullptr || old == nullptr || treatment_of(o).is_message) return;
  drop_duplicate_owners(with, *metadata, true);
  for (std::string_view kept : {"uid", "creationTimestamp", "resourceVersion", "generation",
                                "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    set(*metadata, kept, *find(*old, kept));
  }
  keep_stored(with, o, stored);
  const Strategy* strategy = treatment_of(o).strategy;
  if (strategy == nullptr || !strategy->generation) return;
  const Value now = encode(with.arena, o), was = encode(with.arena, stored);
  const bool changed = std::ranges::any_of(
      counted_members(text_at(o.row->name), with.subresource), [&](std::string_view path) {
        const Value *x = member_at(now, path), *y = member_at(was, path);
        return x == nullptr || y == nullptr ? x != y : !same_data(*x, *y);
      });
  if (const Value* generation = find(*old, "generation"); changed && generation->is(Kind::Int)) {
    set(*metadata, "generation", Value::integer(generation->as_int() + 1));
  }
}

}  // namespace portcullis::builtin
