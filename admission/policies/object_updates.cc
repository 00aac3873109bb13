// See object_updates.h.
#include "admission/policies/object_updates.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "admission/builtin/access.h"
#include "admission/builtin/data.h"
#include "admission/builtin/decode.h"
#include "admission/builtin/encode.h"
#include "admission/builtin/normalize.h"
#include "admission/builtin/registry.h"
#include "interpreter/values/go_values.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

using builtin::Object;

constexpr std::string_view kFixed = "field is immutable";

// An update. The objects are copies, which a rule may change before it compares.
struct Update {
  Arena& arena;
  Object &now, &old;
  bool merged;
  FieldErrors& errors;
};

Data at(Object& o, std::string_view path) {
  const builtin::Place place = builtin::locate(o, path);
  return place.object == nullptr ? Data() : Data(*place.slot(), &place.field());
}
bool same_at(Update& u, std::string_view path) { return semantic_equal(at(u.now, path), at(u.old, path)); }
void take(Object& to, Object& from, std::string_view path) {
  if (const Value* held = builtin::find(from, path)) builtin::set(to, path, *held);
}
void take_if_absent(Object& to, Object& from, std::string_view path) {
  if (!builtin::has(to, path)) take(to, from, path);
}

// --- texts ---

// Whether the value may be an empty list or map, which is not told from null.
bool is_vague(const Data& value) {
  return !value.set && value.field != nullptr && value.field->shape != builtin::kOne;
}
// Whether Go prints the value as null.
bool is_null(const Data& value) {
  if (value.set || is_vague(value)) return false;
  return value.field == nullptr || (value.field->flags & builtin::kPointer) != 0 ||
         value.field->scalar == builtin::kTime || value.field->scalar == builtin::kMicroTime;
}

// Go's JSON of an encoded value: structs in their own order, maps by key.
void append_json(const Value& v, std::string& out) {
  if (v.is(Kind::List)) {
    const char* before = "[";
    for (const Value& item : v.as_list()) append_json(item, out.append(std::exchange(before, ",")));
    out += v.size() == 0 ? "[]" : "]";
    return;
  }
  if (!v.is(Kind::Map)) {
    out += to_json(v, JsonEscape::Go);
    return;
  }
  std::vector<const MapEntry*> entries;
  for (const MapEntry& e : v.as_map()) entries.push_back(&e);
  if ((v.flags() & kGoMap) != 0)
    std::ranges::sort(entries, {}, [](const MapEntry* e) { return e->key.as_text(); });
  const char* before = "{";
  for (const MapEntry* e : entries) {
    out.append(std::exchange(before, ",")).append(to_json(e->key, JsonEscape::Go)).append(":");
    append_json(e->value, out);
  }
  out += entries.empty() ? "{}" : "}";
}

std::string json_of(Update& u, const Data& value) {
  if (!value.set) {
    if (is_null(value)) return "null";
    if (value.field->scalar == builtin::kBoolean) return "false";
    return value.field->scalar == builtin::kInt32 || value.field->scalar == builtin::kInt64 ? "0" : "\"\"";
  }
  std::string out;
  append_json(value.is_struct() ? builtin::encode(u.arena, builtin::as_object(value.value)) : value.value,
              out);
  return out;
}

// How an error shows the value.
enum class Shown : uint8_t {
  Json,       // a named type, a pointer, a list: its JSON
  Text,       // a string
  Hidden,     // left out: an internal struct, or what may be null or empty
  Nothing,    // null: declared immutable by a tag
  Forbidden,  // the error is Forbidden, and has no value
};

void refuse(Update& u, std::string_view path, Shown shown, std::string_view said, std::string_view detail) {
  const Data value = at(u.now, path);
  if (shown == Shown::Json && is_vague(value)) shown = Shown::Hidden;
  switch (shown) {
    case Shown::Forbidden: u.errors.forbidden(std::string(said), detail); break;
    case Shown::Text: u.errors.invalid(std::string(said), value.text, detail); break;
    case Shown::Json: u.errors.invalid_json(std::string(said), json_of(u, value), detail); break;
    case Shown::Hidden:
      if (!is_null(value)) {
        u.errors.invalid_hidden(std::string(said), detail);
        break;
      }
      [[fallthrough]];
    case Shown::Nothing: u.errors.invalid_json(std::string(said), "null", detail); break;
  }
  u.errors.list.back().field = path;
}

// An error that names the path as the manifest does.
void refuse(Update& u, std::string_view path, Shown shown, std::string_view detail = kFixed) {
  refuse(u, path, shown, path, detail);
}

// --- rules of single kinds ---

// The one internal struct that is shown: most updates of a binding that are refused are about it.
void check_role(Update& u) {
  if (same_at(u, "roleRef")) return;
  const Data role = at(u.now, "roleRef");
  std::string json = "{\"APIGroup\":" + quote_json(role.field_text("apiGroup"), JsonEscape::Go);
  json += ",\"Kind\":" + quote_json(role.field_text("kind"), JsonEscape::Go);
  json += ",\"Name\":" + quote_json(role.field_text("name"), JsonEscape::Go) + "}";
  u.errors.invalid_json("roleRef", json, kFixed);
}

void check_scopes(Update& u) {
  const auto scopes = [](Object& o) {
    std::set<std::string_view> out;
    for (const Value& v : builtin::values_of(o, "spec.scopes")) out.insert(v.as_text());
    return out;
  };
  if (scopes(u.now) != scopes(u.old)) refuse(u, "spec.scopes", Shown::Json);
}

void check_node(Update& u) {
  constexpr std::string_view kRanges = "spec.podCIDRs", kProvider = "spec.providerID";
  if (u.merged) {
    for (std::string_view path : {kRanges, std::string_view("spec.podCIDR"), kProvider})
      take_if_absent(u.now, u.old, path);
  }
  if (builtin::count(u.old, kRanges) > 0 && !same_at(u, kRanges))
    refuse(u, kRanges, Shown::Forbidden, "node updates may not change podCIDR except from \"\" to valid");
  const std::string_view before = builtin::text(u.old, kProvider), now = builtin::text(u.now, kProvider);
  if (before.empty() || before == now) return;
  refuse(u, kProvider, Shown::Nothing,
         now.empty() ? "field cannot be cleared once set" : "field cannot be modified once set");
}

void check_csi_node(Update& u) {
  builtin::each_item(u.old, "spec.drivers", [&](Object& before) {
    builtin::each_item(u.now, "spec.drivers", [&](Object& now) {
      if (builtin::text(now, "name") != builtin::text(before, "name")) return;
      for (Object* o : {&before, &now}) builtin::set(*o, "allocatable", builtin::absent());
      if (!semantic_equal(Data(now), Data(before))) refuse(u, "spec.drivers", Shown::Hidden);
    });
  });
}

void check_service_cidr(Update& u) {
  constexpr std::string_view kRanges = "spec.cidrs";
  const DataList now = at(u.now, kRanges).items, old = at(u.old, kRanges).items;
  if (now.size() != old.size() && (old.size() != 1 || now.size() != 2))
    return refuse(u, kRanges, Shown::Json);
  for (size_t i = 0; i < old.size(); i++) {
    if (now[i].text != old[i].text) u.errors.invalid(index(kRanges, i), now[i].text, kFixed);
  }
}

// --- the table ---

// Versions and kinds as in the request; an empty version stands for all.
struct Row {
  std::string_view group, kind;
  std::string_view path = {};           // a field that may not change
  Shown shown = Shown::Json;            // how the error shows its new value
  std::string_view said = {};           // how the error names the field; empty: by its path
  std::string_view detail = kFixed;
  std::string_view once = {};           // a boolean field that must be true in the old object
  std::string_view version = {};
  void (*check)(Update&) = nullptr;     // a rule that is no matter of one field
};
constexpr std::string_view kApps = "apps", kStorage = "storage.k8s.io",
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
    {kStorage, "VolumeAttributesClass", "driverName", Shown::Forbidden, {},
     "updates to driverName are forbidden."},
    {kStorage, "VolumeAttributesClass", "parameters", Shown::Forbidden, {},
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

Object* decoded(Arena& arena, const Value& object) {
  const builtin::StructRow* row = builtin::struct_of(object);
  return row == nullptr ? nullptr : builtin::decode(arena, *row, object, {}).object;
}

}  // namespace

void check_built_in_update(const GroupVersionKind& kind, const Value& object, const Value& old, bool merged,
                           FieldErrors& errors) {
  const auto concerns = [&](const Row& r) {
    return r.kind == kind.kind && r.group == kind.group && (r.version.empty() || r.version == kind.version);
  };
  if (std::ranges::none_of(kRows, concerns)) return;
  Arena arena;
  Object *now = decoded(arena, object), *before = decoded(arena, old);
  if (now == nullptr || before == nullptr || now->row != before->row) return;
  Update u{arena, *now, *before, merged, errors};
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
