#include "admission/builtin/managed.h"

#include "admission/builtin/access.h"
#include "admission/builtin/conversion.h"
#include "admission/builtin/encode.h"
#include "admission/builtin/merging.h"
#include "admission/builtin/normalize.h"
#include "admission/ownership/managers.h"
#include "admission/scalars/group_version.h"

namespace portcullis::builtin {
namespace {

using ownership::FieldSet;

// Fields (`paths`, separated by spaces) that the strategy takes from the stored object or clears, regardless
// of the request.
struct Reset {
  std::string_view group, kind, subresource, paths;
};
constexpr Reset kResets[] = {
    {"core", "Pod", "", "status"},
    {"core", "Pod", "status", "spec metadata.deletionTimestamp metadata.ownerReferences"},
    {"core", "Node", "", "status"},
    {"core", "Node", "status", "spec"},
    {"core", "Namespace", "", "status"},
    {"core", "Namespace", "status", "spec"},
    {"core", "Namespace", "finalize", "status"},
    {"core", "Service", "", "status"},
    {"core", "Service", "status", "spec"},
    {"core", "ReplicationController", "", "status"},
    {"core", "ReplicationController", "status", "spec"},
    {"core", "ResourceQuota", "", "status"},
    {"core", "ResourceQuota", "status", "spec"},
    {"core", "PersistentVolume", "", "status"},
    {"core", "PersistentVolume", "status", "spec"},
    {"core", "PersistentVolumeClaim", "", "status"},
    {"core", "PersistentVolumeClaim", "status", "spec"},
    {"apps", "Deployment", "", "status"},
    {"apps", "Deployment", "status", "spec metadata.labels"},
    {"apps", "DaemonSet", "", "status"},
    {"apps", "DaemonSet", "status", "spec"},
    {"apps", "StatefulSet", "", "status"},
    {"apps", "StatefulSet", "status", "spec"},
    {"apps", "ReplicaSet", "", "status"},
    {"apps", "ReplicaSet", "status", "spec"},
    {"batch", "Job", "", "status"},
    {"batch", "Job", "status", "spec"},
    {"batch", "CronJob", "", "status"},
    {"batch", "CronJob", "status", "spec"},
    {"autoscaling", "HorizontalPodAutoscaler", "", "status"},
    {"autoscaling", "HorizontalPodAutoscaler", "status", "spec"},
    {"networking", "Ingress", "", "status"},
    {"networking", "Ingress", "status", "spec"},
    {"networking", "ServiceCIDR", "", "status"},
    {"networking", "ServiceCIDR", "status", "metadata spec"},
    {"policy", "PodDisruptionBudget", "", "status"},
    {"policy", "PodDisruptionBudget", "status", "spec"},
    {"certificates", "CertificateSigningRequest", "", "spec status"},
    {"certificates", "CertificateSigningRequest", "status", "spec status.conditions"},
    {"certificates", "CertificateSigningRequest", "approval", "spec status.certificate"},
    {"certificates", "PodCertificateRequest", "", "status"},
    {"certificates", "PodCertificateRequest", "status", "metadata spec"},
    {"scheduling", "PodGroup", "", "status"},
    {"scheduling", "PodGroup", "status", "metadata spec"},
    {"scheduling", "CompositePodGroup", "", "status"},
    {"scheduling", "CompositePodGroup", "status", "metadata spec"},
    {"resource", "ResourceClaim", "", "status"},
    {"resource", "ResourceClaim", "status", "metadata spec"},
    {"resource", "DeviceTaintRule", "", "status"},
    {"resource", "DeviceTaintRule", "status", "metadata spec"},
    {"resource", "ResourcePoolStatusRequest", "", "status"},
    {"resource", "ResourcePoolStatusRequest", "status", "metadata spec"},
    {"flowcontrol", "FlowSchema", "", "status"},
    {"flowcontrol", "FlowSchema", "status", "metadata spec"},
    {"flowcontrol", "PriorityLevelConfiguration", "", "status"},
    {"flowcontrol", "PriorityLevelConfiguration", "status", "metadata spec"},
    {"lifecycle", "Eviction", "", "status"},
    {"lifecycle", "Eviction", "status", "metadata spec"},
    {"lifecycle", "EvictionRequest", "", "status"},
    {"lifecycle", "EvictionRequest", "status", "metadata spec"},
    {"storage", "VolumeAttachment", "", "status"},
    {"storage", "VolumeAttachment", "status", "metadata spec"},
    {"storage", "CSINode", "", "status"},
    {"storagemigration", "StorageVersionMigration", "", "status"},
    {"storagemigration", "StorageVersionMigration", "status", "metadata spec"},
    {"apiserverinternal", "StorageVersion", "", "status"},
    {"apiserverinternal", "StorageVersion", "status", "metadata spec"},
    {"admissionregistration", "ValidatingAdmissionPolicy", "", "status"},
    {"admissionregistration", "ValidatingAdmissionPolicy", "status", "metadata spec"},
    {"apiextensions", "CustomResourceDefinition", "", "status"},
    {"apiextensions", "CustomResourceDefinition", "status", "spec"},
    {"apiregistration", "APIService", "", "status"},
    {"apiregistration", "APIService", "status", "metadata spec"},
};

// Subresources that change only a few fields of an object; "*" matches any item.
constexpr Reset kKept[] = {
    {"core", "Pod", "ephemeralcontainers", "spec.ephemeralContainers"},
    {"core", "Pod", "resize",
     "spec.containers.*.resources spec.containers.*.resizePolicy "
     "spec.initContainers.*.resources spec.initContainers.*.resizePolicy"},
};

std::string_view paths_of(std::span<const Reset> table, const StructRow& row, std::string_view subresource) {
  std::string_view group = group_of(row), kind = text_at(row.name);
  for (const Reset& r : table) {
    if (r.kind == kind && r.group == group && r.subresource == subresource) return r.paths;
  }
  return {};
}

std::string_view next_word(std::string_view& rest) {
  std::string_view word = rest.substr(0, rest.find(' '));
  rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  return word;
}

// The members of `set` below the path.
FieldSet below_path(Arena& arena, const FieldSet& set, std::string_view path) {
  std::string_view name = path.substr(0, path.find('.')),
                   rest = path.substr(std::min(path.size(), name.size() + 1));
  auto* kept = arena.array<ownership::FieldEntry>(set.count);
  uint32_t n = 0;
  for (const ownership::FieldEntry& e : set.all()) {
    bool named = e.element.kind == ownership::ElementKind::Field && e.element.value.as_text() == name;
    if (!named && name != "*") continue;
    ownership::FieldEntry made = e;
    if (!rest.empty()) made = {e.element, below_path(arena, e.children, rest), e.member};
    if (made.member || !made.children.empty()) new (&kept[n++]) ownership::FieldEntry(made);
  }
  return {kept, n};
}

class KindVersions final : public ownership::Versions {
 public:
  KindVersions(const StructRow& row, std::string_view api_version, std::string_view subresource)
      : row_(row),
        api_version_(api_version),
        resets_(paths_of(kResets, row, subresource)),
        kept_(paths_of(kKept, row, subresource)) {}

  std::optional<ownership::Versioned> at(Arena& arena, const Value& object,
                                         std::string_view api_version) const override {
    if (api_version == api_version_) return ownership::Versioned{object, &merge_type(row_)};
    std::string_view kind = text_at(row_.name);
    const StructRow* other = find_kind(api_version, kind);
    if (other == nullptr) return {};
    GroupVersion to = split_api_version(api_version);
    return ownership::Versioned{convert_to(arena, object, to.group, to.version, kind), &merge_type(*other)};
  }

  FieldSet without_reset(Arena& arena, const FieldSet& set, std::string_view) const override {
    FieldSet left = set;
    for (std::string_view rest = resets_; !rest.empty() && !left.empty();)
      left = subtract(arena, left, ownership::path_set(arena, next_word(rest)), true);
    if (kept_.empty()) return left;
    FieldSet kept;
    for (std::string_view rest = kept_; !rest.empty();)
      kept = unite(arena, kept, below_path(arena, left, next_word(rest)));
    return kept;
  }

 private:
  const StructRow& row_;
  std::string_view api_version_, resets_, kept_;
};

// The apiVersion of the struct; the object may lack it.
std::string_view api_version_of(Object& o) {
  std::string_view said = text<"apiVersion">(o);
  if (!said.empty()) return said;
  for (const KindRow& kind : all_kinds()) {
    if (kind.structure == struct_index(*o.row)) return kind.kind.substr(0, kind.kind.find(' '));
  }
  return {};
}

// The present metadata.managedFields; null if absent.
Value managed_list(Object& metadata) {
  const Value& slot = *find<"managedFields">(metadata);
  if (!slot.is(Kind::List)) return Value::null();
  return slot.size() == 0 ? slot : member(encode_plain(*metadata.arena, metadata), "managedFields");
}

void manage(const Filling& with, Object& o, ownership::Change& change) {
  Object& metadata = *child<"metadata">(o);
  change.after = encode_plain(with.arena, o);
  change.after_list = managed_list(metadata);
  ownership::Manager manager{with.manager, api_version_of(o), with.subresource, with.now};
  KindVersions versions(*o.row, manager.api_version, with.subresource);
  Value list = manage_fields(with.arena, manager, change, versions);
  set<"managedFields">(metadata, list.is_null() ? absent() : list);
}

}  // namespace

void manage_new(const Filling& with, Object& o) {
  ownership::Change change;
  change.creates = true;
  change.before = encode_plain(with.arena, *make_object(with.arena, *o.row));
  manage(with, o, change);
}

void manage_update(const Filling& with, Object& o, Object& stored) {
  ownership::Change change;
  change.before = encode_plain(with.arena, stored);
  Object* metadata = child<"metadata">(stored);
  change.before_list = managed_list(*metadata);
  change.creates = text<"uid">(*metadata).empty();
  manage(with, o, change);
}

}  // namespace portcullis::builtin
