// See object_updates.h.
#include "admission/policies/object_updates.h"

#include <algorithm>

#include "admission/builtin/access.h"
#include "admission/builtin/decode.h"
#include "admission/builtin/normalize.h"
#include "admission/policies/update_rules.h"

namespace portcullis {
namespace {

using namespace updates;

// --- the table ---

// Versions and kinds as in the request; an empty version stands for all.
struct Row {
  std::string_view group, kind;
  std::string_view path = {};  // a field that may not change
  Shown shown = Shown::Json;   // how the error shows its new value
  std::string_view said = {};  // how the error names the field; empty: by its path
  std::string_view detail = kFixed;
  std::string_view once = {};  // a boolean field that must be true in the old object
  std::string_view version = {};
  std::string_view subresource = {};
  void (*check)(Update&) = nullptr;  // a rule that is no matter of one field
};
constexpr std::string_view kApps = "apps", kBatch = "batch", kStorage = "storage.k8s.io",
                           kNetworking = "networking.k8s.io", kResource = "resource.k8s.io",
                           kRbac = "rbac.authorization.k8s.io", kEvents = "events.k8s.io",
                           kCertificates = "certificates.k8s.io";
constexpr std::string_view kSealed = "field is immutable when `immutable` is set";
constexpr Row kRows[] = {
    {"", "ConfigMap", "immutable", Shown::Forbidden, {}, kSealed, "immutable"},
    {"", "ConfigMap", "data", Shown::Forbidden, {}, kSealed, "immutable"},
    {"", "ConfigMap", "binaryData", Shown::Forbidden, {}, kSealed, "immutable"},
    {"", "Secret", "type"},
    {"", "Secret", "immutable", Shown::Forbidden, {}, kSealed, "immutable"},
    {"", "Secret", "data", Shown::Forbidden, {}, kSealed, "immutable"},
    {.group = "", .kind = "Pod", .check = check_pod},
    {.group = "", .kind = "Pod", .path = "status.qosClass", .subresource = "status"},
    {.group = "", .kind = "Pod", .subresource = "ephemeralcontainers", .check = check_debugging},
    {.group = "", .kind = "Pod", .subresource = "resize", .check = check_resize},
    {.group = "", .kind = "Service", .check = check_service},
    {.group = "", .kind = "PersistentVolume", .check = check_volume},
    {.group = "", .kind = "PersistentVolumeClaim", .check = check_claim},
    {.group = "", .kind = "ResourceQuota", .check = check_scopes},
    {.group = "", .kind = "Node", .check = check_node},
    {"", "Node", "spec.externalID", Shown::Forbidden, {}, "may not be updated"},
    {kApps, "Deployment", "spec.selector"},
    {kApps, "ReplicaSet", "spec.selector"},
    {kApps, "DaemonSet", "spec.selector"},
    {kApps, "StatefulSet", "spec.selector"},
    {kApps, "StatefulSet", "spec.volumeClaimTemplates", Shown::Hidden},
    {kApps, "StatefulSet", "spec.serviceName", Shown::Text},
    {kApps, "StatefulSet", "spec.podManagementPolicy"},
    {kApps, "ControllerRevision", "data", Shown::Hidden},
    {.group = kBatch, .kind = "Job", .check = check_completions},
    {kBatch, "Job", "spec.selector"},
    {.group = kBatch, .kind = "Job", .check = check_template},
    {kBatch, "Job", "spec.completionMode"},
    {kBatch, "Job", "spec.podFailurePolicy", Shown::Hidden},
    {kBatch, "Job", "spec.backoffLimitPerIndex"},
    {kBatch, "Job", "spec.managedBy"},
    {kBatch, "Job", "spec.successPolicy", Shown::Hidden},
    {kStorage, "StorageClass", "parameters", Shown::Nothing},
    {kStorage, "StorageClass", "provisioner", Shown::Nothing},
    {kStorage, "StorageClass", "reclaimPolicy", Shown::Nothing},
    {kStorage, "StorageClass", "volumeBindingMode", Shown::Nothing},
    {kStorage, "VolumeAttachment", "spec", Shown::Nothing},
    {kStorage, "CSIDriver", "spec.attachRequired", Shown::Json, "spec.attachedRequired"},
    {kStorage, "CSIDriver", "spec.volumeLifecycleModes"},
    {.group = kStorage, .kind = "CSINode", .check = check_csi_node},
    {kStorage, "CSIStorageCapacity", "nodeTopology"},
    {kStorage, "CSIStorageCapacity", "storageClassName", Shown::Text},
    {kStorage,
     "VolumeAttributesClass",
     "driverName",
     Shown::Forbidden,
     {},
     "updates to driverName are forbidden."},
    {kStorage,
     "VolumeAttributesClass",
     "parameters",
     Shown::Forbidden,
     {},
     "updates to parameters are forbidden."},
    {"scheduling.k8s.io", "PriorityClass", "value", Shown::Forbidden, {}, "may not be changed in an update."},
    {"scheduling.k8s.io", "PriorityClass", "preemptionPolicy"},
    {kNetworking, "IngressClass", "spec.controller", Shown::Text},
    {kNetworking, "IPAddress", "spec.parentRef", Shown::Nothing},
    {.group = kNetworking, .kind = "ServiceCIDR", .check = check_service_cidr},
    {"discovery.k8s.io", "EndpointSlice", "addressType", Shown::Nothing},
    {kResource, "ResourceClaim", "spec", Shown::Nothing},
    {kResource, "ResourceClaimTemplate", "spec", Shown::Hidden},
    {kResource, "ResourceSlice", "spec.pool.name", Shown::Text},
    {kResource, "ResourceSlice", "spec.driver", Shown::Text},
    {kResource, "ResourceSlice", "spec.nodeName"},
    {"node.k8s.io", "RuntimeClass", "handler", Shown::Nothing},
    {.group = kRbac, .kind = "RoleBinding", .check = check_role},
    {.group = kRbac, .kind = "ClusterRoleBinding", .check = check_role},
    {kCertificates, "ClusterTrustBundle", "spec.signerName", Shown::Text},
    {kCertificates, "PodCertificateRequest", "spec", Shown::Hidden},
    {"coordination.k8s.io", "LeaseCandidate", "spec.leaseName", Shown::Text},
    {"storagemigration.k8s.io", "StorageVersionMigration", "spec", Shown::Hidden},
    // The field of an Event has another name in the core group, which errors use.
    {kEvents, "Event", "regarding", Shown::Hidden, "involvedObject", kFixed, {}, "v1"},
    {kEvents, "Event", "reason", Shown::Text, {}, kFixed, {}, "v1"},
    {kEvents, "Event", "note", Shown::Text, "message", kFixed, {}, "v1"},
    {kEvents, "Event", "deprecatedSource", Shown::Hidden, "source", kFixed, {}, "v1"},
    {kEvents, "Event", "deprecatedFirstTimestamp", Shown::Json, "firstTimestamp", kFixed, {}, "v1"},
    {kEvents, "Event", "deprecatedLastTimestamp", Shown::Json, "lastTimestamp", kFixed, {}, "v1"},
    {kEvents, "Event", "deprecatedCount", Shown::Json, "count", kFixed, {}, "v1"},
    {kEvents, "Event", "type", Shown::Text, {}, kFixed, {}, "v1"},
    {kEvents, "Event", "eventTime", Shown::Json, {}, kFixed, {}, "v1"},
    {kEvents, "Event", "action", Shown::Text, {}, kFixed, {}, "v1"},
    {kEvents, "Event", "related", Shown::Hidden, {}, kFixed, {}, "v1"},
    {kEvents, "Event", "reportingController", Shown::Text, {}, kFixed, {}, "v1"},
    {kEvents, "Event", "reportingInstance", Shown::Text, {}, kFixed, {}, "v1"},
};

builtin::Object* decoded(Arena& arena, const Value& object) {
  const builtin::StructRow* row = builtin::struct_of(object);
  return row == nullptr ? nullptr : builtin::decode(arena, *row, object, {}).object;
}

}  // namespace

void check_built_in_update(const GroupVersionKind& kind, const Value& object, const Value& old,
                           Written written, std::string_view subresource, FieldErrors& errors) {
  const auto concerns = [&](const Row& r) {
    return r.kind == kind.kind && r.group == kind.group && r.subresource == subresource &&
           (r.version.empty() || r.version == kind.version);
  };
  if (std::ranges::none_of(kRows, concerns)) return;
  Arena arena;
  builtin::Object *now = decoded(arena, object), *before = decoded(arena, old);
  if (now == nullptr || before == nullptr || now->row != before->row) return;
  Update u{arena, *now, *before, written, errors};
  for (const Row& r : kRows) {
    if (!concerns(r)) continue;
    if (r.check != nullptr) {
      r.check(u);
    } else if ((r.once.empty() || builtin::is_set(*before, r.once)) && !same_at(u, r.path)) {
      refuse(u, r.path, r.shown, r.said.empty() ? r.path : r.said, r.detail);
    }
  }
}

}  // namespace portcullis
