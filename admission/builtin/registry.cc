#include "admission/builtin/registry.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "admission/builtin/access.h"
#include "admission/builtin/claims.h"
#include "admission/builtin/conversion.h"
#include "admission/builtin/decode.h"
#include "admission/builtin/disabled_fields.h"
#include "admission/builtin/encode.h"
#include "admission/builtin/managed.h"
#include "admission/builtin/plugins.h"
#include "admission/builtin/pods.h"
#include "admission/builtin/scales.h"
#include "admission/builtin/services.h"
#include "admission/builtin/slices.h"
#include "admission/builtin/system_metadata.h"
#include "admission/builtin/updates.h"
#include "admission/objects/request.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/changed.h"
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
  const Value* annotations = find(o, "metadata.annotations");
  const Value* given =
      annotations->is(Kind::Map) ? find_key(*annotations, Value::string(kTemplateGeneration)) : nullptr;
  const std::string_view number = given == nullptr ? "0" : given->as_text();  // conversion wrote it
  if (number == "0" || number.starts_with('-'))
    set_entry(with.arena, o, "metadata.annotations", kTemplateGeneration, "1");
}

// Makes the selector of a Job that has none of its own.
void fill_job(const Filling& with, Object& o) {
  status(with, o);
  if (is_set(o, "spec.manualSelector")) return;
  const bool shared = shares_labels(o);
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

// autoscaling/v1 keeps parts of the status in annotations.
void fill_autoscaler(const Filling& with, Object& o) {
  status(with, o);
  Value* annotations = find(o, "metadata.annotations");
  for (std::string_view part : {kCurrentMetrics, kConditions})
    *annotations = without_member(with.arena, *annotations, part);
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

// What becomes of metadata.generation.
enum class Generation : uint8_t {
  Kept,
  Counted,         // from 1; it grows with a change of counted_members()
  CountedAsSent,   // the same before the strategy drops anything
  CountedExactly,  // the same, and an empty list or map is not as good as none, which storage makes of it
  CountedLate,     // the same from the first update on
};

bool starts_counting(Generation g) { return g != Generation::Kept && g != Generation::CountedLate; }

struct Strategy {
  std::string_view group;  // of the struct's path
  std::string_view kind;
  Generation generation;
  void (*before_mutation)(const Filling&, Object&);
  void (*before_validation)(const Filling&, Object&);
};
constexpr Strategy kStrategies[] = {
    {"core", "Pod", Generation::Counted, admit_new_pod, prepare_pod},
    {"core", "PodTemplate", Generation::Counted, nullptr, nullptr},
    {"core", "ReplicationController", Generation::Counted, nullptr, status},
    {"core", "Service", Generation::Kept, nullptr, fill_service},
    {"core", "Namespace", Generation::Kept, nullptr, name_space},
    {"core", "Node", Generation::Kept, not_ready_taint, fill_node},
    {"core", "PersistentVolume", Generation::Kept, protect<kVolumeProtection>, fill_volume},
    {"core", "PersistentVolumeClaim", Generation::Kept, admit_claim, fill_claim},
    {"core", "ResourceQuota", Generation::Kept, nullptr, status},
    {"core", "ServiceAccount", Generation::Kept, nullptr, name_secrets},
    {"apps", "Deployment", Generation::Counted, nullptr, status},
    {"apps", "ReplicaSet", Generation::Counted, nullptr, status},
    {"apps", "StatefulSet", Generation::Counted, nullptr, status},
    {"apps", "DaemonSet", Generation::Counted, nullptr, fill_daemon_set},
    {"batch", "Job", Generation::Counted, nullptr, fill_job},
    {"batch", "CronJob", Generation::Counted, nullptr, status},
    {"networking", "Ingress", Generation::Counted, choose_ingress_class, status},
    {"networking", "IngressClass", Generation::Counted, nullptr, nullptr},
    {"networking", "NetworkPolicy", Generation::CountedExactly, nullptr, nullptr},
    {"networking", "ServiceCIDR", Generation::Kept, nullptr, status},
    {"policy", "PodDisruptionBudget", Generation::Counted, nullptr, status},
    {"autoscaling", "HorizontalPodAutoscaler", Generation::Counted, nullptr, fill_autoscaler},
    {"discovery", "EndpointSlice", Generation::CountedAsSent, nullptr, fill_slice},
    {"scheduling", "PriorityClass", Generation::Counted, nullptr, nullptr},
    {"scheduling", "PodGroup", Generation::Kept, pod_group, status},
    {"scheduling", "CompositePodGroup", Generation::Kept, pod_group, status},
    {"flowcontrol", "FlowSchema", Generation::Counted, nullptr, status},
    {"flowcontrol", "PriorityLevelConfiguration", Generation::Counted, nullptr, status},
    {"resource", "DeviceClass", Generation::Counted, nullptr, nullptr},
    {"resource", "DeviceTaintRule", Generation::Counted, nullptr, status},
    {"resource", "ResourceSlice", Generation::CountedAsSent, nullptr, nullptr},
    {"resource", "ResourceClaim", Generation::Kept, nullptr, status},
    {"storage", "CSIDriver", Generation::CountedLate, nullptr, nullptr},
    {"storage", "VolumeAttributesClass", Generation::Kept, protect<kAttributesProtection>, nullptr},
    {"storage", "VolumeAttachment", Generation::Kept, nullptr, status},
    {"certificates", "CertificateSigningRequest", Generation::Kept, nullptr, signing_request},
    {"certificates", "PodCertificateRequest", Generation::Kept, nullptr, status},
    {"lifecycle", "Eviction", Generation::Counted, nullptr, status},
    {"lifecycle", "EvictionRequest", Generation::Counted, nullptr, status},
    {"apiextensions", "CustomResourceDefinition", Generation::Counted, nullptr, fill_definition},
    {"apiregistration", "APIService", Generation::Kept, nullptr, api_service},
    {"admissionregistration", "ValidatingAdmissionPolicy", Generation::Counted, nullptr, nullptr},
    {"admissionregistration", "MutatingAdmissionPolicy", Generation::Counted, nullptr, nullptr},
    {"admissionregistration", "ValidatingAdmissionPolicyBinding", Generation::Counted, nullptr, nullptr},
    {"admissionregistration", "MutatingAdmissionPolicyBinding", Generation::Counted, nullptr, nullptr},
    {"admissionregistration", "ValidatingWebhookConfiguration", Generation::CountedExactly, nullptr, nullptr},
    {"admissionregistration", "MutatingWebhookConfiguration", Generation::CountedExactly, nullptr, nullptr},
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
const Treatment& treatment_of(const StructRow& row) {
  static const std::vector<Treatment> all = [] {
    std::vector<Treatment> made;
    for (const StructRow& row : all_structs()) made.push_back(treatment_for(row));
    return made;
  }();
  return all[struct_index(row)];
}
const Treatment& treatment_of(const Object& o) { return treatment_of(*o.row); }

}  // namespace

void name_secrets(const Filling& with, Object& account) {
  std::vector<Value> secrets = values_of(account, "secrets");
  for (Value& secret : secrets) {
    Object* named = make_object(with.arena, *as_object(secret).row);
    set(*named, "name", *find(as_object(secret), "name"));
    secret = Value::opaque(named);
  }
  if (!secrets.empty()) set(account, "secrets", list_of(with.arena, secrets));
}

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
  run_plugins(with, o);
}

void run_plugins(const Filling& with, Object& o) {
  const Strategy* strategy = treatment_of(o).strategy;
  if (strategy != nullptr && strategy->before_mutation != nullptr) strategy->before_mutation(with, o);
}

bool has_plugins(const StructRow& row) {
  const Strategy* strategy = treatment_of(row).strategy;
  return strategy != nullptr && strategy->before_mutation != nullptr;
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
    separate_labels(o);  // the API server copies such an object before it tries a name
    set(*metadata, "name", Value::string(generated_name(with.arena, text(*metadata, "generateName"))));
  }
  set<"uid">(*metadata, Value::string(kUid));
  set<"creationTimestamp">(*metadata, Value::string(with.now));
  drop_disabled_fields(o, nullptr);
  if (treatment.strategy == nullptr) return;
  if (starts_counting(treatment.strategy->generation)) set<"generation">(*metadata, Value::integer(1));
  if (treatment.strategy->before_validation != nullptr) treatment.strategy->before_validation(with, o);
}

void fill_update_before_mutation(const Filling& with, Object& o, Object& stored) {
  Object *metadata = child(o, "metadata"), *old = child(stored, "metadata");
  if (metadata == nullptr || old == nullptr || treatment_of(o).is_message) return;
  drop_duplicate_owners(with, *metadata, false);
  if (!with.manager.empty()) manage_update(with, o, stored);
  set(*metadata, "namespace", with.name_space.empty() ? absent() : Value::string(with.name_space));
  // What is stored has the uid that the manifest says, if its own is made up.
  if (text(*old, "uid") == kUid && !text(*metadata, "uid").empty()) set(*old, "uid", *find(*metadata, "uid"));
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

// Whether one of them differs.
bool changes(const Filling& with, Object& o, Object& stored) {
  const Value now = encode(with.arena, o), was = encode(with.arena, stored);
  return std::ranges::any_of(
      counted_members(text_at(o.row->name), with.subresource),
      [&](std::string_view path) { return !semantically_equal(member_at(now, path), member_at(was, path)); });
}

// Whether there is an empty list or map in what `place` holds.
bool holds_empty(FieldSlot place) {
  const Value* slot = place.slot();
  if (slot == nullptr || is_absent(*slot)) return false;
  const FieldRow& field = place.field();
  if (field.shape != kOne && slot->size() == 0) return true;
  if (field.scalar != kStruct) return false;
  bool found = false;
  const auto look = [&](Object& o) {
    for (int i = 0; i < o.row->count && !found; ++i) found = holds_empty({&o, i});
  };
  if (field.shape != kOne)
    access::each_item(place, look);
  else if (Object* o = access::child(place))
    look(*o);
  return found;
}
}  // namespace

void fill_update_before_validation(const Filling& with, Object& o, Object& stored) {
  Object *metadata = child(o, "metadata"), *old = child(stored, "metadata");
  if (is_scale(*o.row)) return complete_scale(o, stored);
  if (metadata == nullptr || old == nullptr || treatment_of(o).is_message) return;
  drop_duplicate_owners(with, *metadata, true);
  for (std::string_view kept : {"creationTimestamp", "resourceVersion", "generation"}) {
    set(*metadata, kept, *find(*old, kept));
  }
  if (has(*old, "deletionTimestamp")) set(*metadata, "deletionTimestamp", *find(*old, "deletionTimestamp"));
  constexpr std::string_view kGracePeriod = "deletionGracePeriodSeconds";
  if (text(*metadata, "uid").empty()) set(*metadata, "uid", *find(*old, "uid"));
  if (!has(*metadata, kGracePeriod)) set(*metadata, kGracePeriod, *find(*old, kGracePeriod));
  const Strategy* strategy = treatment_of(o).strategy;
  const Generation counting = strategy == nullptr ? Generation::Kept : strategy->generation;
  bool changed = counting == Generation::CountedAsSent && changes(with, o, stored);
  drop_disabled_fields(o, &stored);
  keep_stored(with, o, stored);
  if (counting == Generation::Kept) return;
  if (counting != Generation::CountedAsSent) changed = changes(with, o, stored);
  if (counting == Generation::CountedExactly && !changed) {
    changed = std::ranges::any_of(counted_members(text_at(o.row->name), with.subresource),
                                  [&](std::string_view path) { return holds_empty(locate(o, path)); });
  }
  const Value& before = *find(*old, "generation");
  if (changed && (before.is(Kind::Int) || counting == Generation::CountedLate))
    set(*metadata, "generation", Value::integer(before.is(Kind::Int) ? before.as_int() + 1 : 1));
}

}  // namespace portcullis::builtin
